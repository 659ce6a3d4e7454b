import { fenced } from '../../lib/markdown.ts';
import type { Mix } from '../judge/figures.ts';
import type { TrendPoint } from '../judge/trend.ts';
import { formatCount, rounded } from './numbers.ts';

/** A grey that can be read on a white page and on a black one. */
const ink = '#818b98';

/**
 * Colours that are seen in GitHub's light and dark theme. All are given, since Mermaid takes those that are missing from its
 * light theme, even on a dark page; and its own colour for bars is hardly seen on a white one.
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

/** The longest bar of a text chart, in characters. */
const barWidth = 20;

/**
 * The totals of the windows in the trend; where there is only one window, its visitors by kind, if they are known. All labels
 * are ours, so that no text from outside is read as Mermaid.
 */
export function chart(kind: 'mermaid' | 'text', trend: readonly TrendPoint[], mix: Mix | undefined): string {
  const [only] = trend;
  if (only === undefined) return '';
  if (trend.length > 1) {
    return kind === 'mermaid'
      ? mermaidTrend(trend)
      : textBars(trend.map(({ label, totals }) => [label, totals.total]));
  }
  if (mix === undefined) return '';
  return kind === 'mermaid' ? mermaidMix(only.label, mix) : textBars(kindsOf(mix));
}

function mermaidTrend(trend: readonly TrendPoint[]): string {
  const list = (values: readonly (string | number)[]) => `[${values.join(', ')}]`;
  const ai = trend.flatMap(({ totals }) => totals.ai ?? []);
  const hasAi = ai.length === trend.length;
  // Mermaid fails on an axis from 0 to 0.
  const top = Math.max(1, ...trend.map(({ totals }) => totals.total), ...ai);
  return mermaid([
    `%%{init: ${JSON.stringify({ themeVariables: { xyChart } })}}%%`,
    'xychart-beta',
    `  title "Visitors by window${hasAi ? ' (bars: all, line: AI)' : ''}"`,
    `  x-axis ${list(trend.map(({ label }) => `"${label}"`))}`,
    `  y-axis "Visitors" 0 --> ${top}`,
    `  bar ${list(trend.map(({ totals }) => totals.total))}`,
    ...(hasAi ? [`  line ${list(ai)}`] : []),
  ]);
}

function mermaidMix(label: string, mix: Mix): string {
  // Mermaid fails on a slice of 0, and on more than two decimals.
  const slices = kindsOf(mix)
    .filter(([, visitors]) => visitors > 0)
    .map(([name, visitors]) => `  "${name}" : ${rounded(visitors, 2)}`);
  return mermaid(['pie showData', `  title Visitors in ${label}`, ...slices]);
}

function kindsOf({ humanOnly, aiOnly, both }: Mix): [string, number][] {
  return [
    ['Humans only', humanOnly],
    ['AI only', aiOnly],
    ['Both', both],
  ];
}

function textBars(items: readonly (readonly [string, number])[]): string {
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
