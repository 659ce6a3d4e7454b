import { fenced } from '../../lib/markdown.ts';
import { both } from '../judge/figures.ts';
import type { TrendPoint } from '../judge/trend.ts';
import { formatCount } from './numbers.ts';

/** A middle grey, which can be read on a white page and on a black one. */
const ink = '#818b98';

/**
 * Colours for light and dark alike. All of them, since Mermaid takes the ones not given from its light theme even on a dark
 * page; and not its own, whose first bar all but vanishes on a white one.
 */
const xyChart = {
  plotColorPalette: '#4493f8, #d29922',
  backgroundColor: 'transparent',
  titleColor: ink,
  xAxisLabelColor: ink,
  xAxisTitleColor: ink,
  xAxisTickColor: ink,
  xAxisLineColor: ink,
  yAxisLabelColor: ink,
  yAxisTitleColor: ink,
  yAxisTickColor: ink,
  yAxisLineColor: ink,
};

const barWidth = 20;

/**
 * The windows side by side, the last one being the report's; where there is only that one, who its visitors were. Labels
 * come from the calendar alone, so nothing from outside reaches Mermaid's grammar.
 */
export function chart(kind: 'mermaid' | 'text', trend: readonly TrendPoint[]): string {
  const [only] = trend;
  if (only === undefined) return '';
  if (kind === 'text') return trend.length > 1 ? textTrend(trend) : textMix(only);
  return trend.length > 1 ? mermaidTrend(trend) : mermaidMix(only);
}

function mermaidTrend(trend: readonly TrendPoint[]): string {
  const list = (values: readonly (string | number)[]) => `[${values.join(', ')}]`;
  // An axis from 0 to 0 is an error to Mermaid.
  const top = Math.max(1, ...trend.map(({ totals }) => Math.max(totals.total, totals.ai)));
  return mermaid([
    `%%{init: ${JSON.stringify({ themeVariables: { xyChart } })}}%%`,
    'xychart-beta',
    '  title "Visitors by window (bars: all, line: AI)"',
    `  x-axis ${list(trend.map(({ label }) => `"${label}"`))}`,
    `  y-axis "Visitors" 0 --> ${top}`,
    `  bar ${list(trend.map(({ totals }) => totals.total))}`,
    `  line ${list(trend.map(({ totals }) => totals.ai))}`,
  ]);
}

function mermaidMix(point: TrendPoint): string {
  // Mermaid takes no slice of nothing, and two decimals at most.
  const slices = mix(point)
    .filter(([, visitors]) => visitors > 0)
    .map(([name, visitors]) => `  "${name}" : ${Math.round(visitors * 100) / 100}`);
  return mermaid(['pie showData', `  title Visitors in ${point.label}`, ...slices]);
}

function textTrend(trend: readonly TrendPoint[]): string {
  return bars(trend.map(({ label, totals }) => [label, totals.total]));
}

function textMix(point: TrendPoint): string {
  return bars(mix(point));
}

/** Distinct visitors by kind: the three do add up. */
function mix({ totals }: TrendPoint): [string, number][] {
  const shared = both(totals);
  return [
    ['Humans only', Math.max(0, totals.human - shared)],
    ['AI only', Math.max(0, totals.ai - shared)],
    ['Both', shared],
  ];
}

function bars(items: readonly (readonly [string, number])[]): string {
  const widest = Math.max(...items.map(([label]) => label.length));
  const most = Math.max(1, ...items.map(([, value]) => value));
  const lines = items.map(([label, value]) => {
    const bar = '█'.repeat(Math.round((value / most) * barWidth));
    return `${label.padEnd(widest)} ${bar}${bar === '' ? '' : ' '}${formatCount(value)}`;
  });
  return fenced(lines.join('\n'));
}

function mermaid(lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}
