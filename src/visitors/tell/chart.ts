import { fenced } from '../../text/markdown.ts';
import { type Mix, mixOf } from '../judge/figures.ts';
import type { TrendPoint } from '../judge/trend.ts';
import type { Window } from '../read/period.ts';
import type { ReportContent } from './content.ts';
import { formatCount, rounded } from './numbers.ts';

/** The grey whose contrast with GitHub's light page equals that with its dark one (#0d1117), 4.35 : 1: none has 4.5 with both. */
const ink = '#717a86';

/** For what stands on a bar or a slice. Before 11.13 Mermaid takes black for the labels of bars, whatever it is told. */
const inkOnColour = '#0d1117';

/** A bar that has less of the highest is too low for its label, and one label too small makes all of them so. */
const lowestLabelled = 1 / 6;

/** Not much wider than a phone, so that what is written hardly shrinks there; eight dates of this size fit side by side. */
const xyChart = {
  width: 400,
  height: 280,
  showDataLabel: true,
  xAxis: { labelFontSize: 11 },
  yAxis: { showLabel: false, showTick: false, showAxisLine: false },
};

const xyColours = {
  plotColorPalette: '#54aeff',
  dataLabelColor: inkOnColour,
  backgroundColor: 'transparent',
  xAxisLabelColor: ink,
  xAxisTickColor: ink,
  xAxisLineColor: ink,
};

/** All are given, since Mermaid takes those that are missing from its own theme: on a dark page they are nearly black. */
const pieColours = {
  pie1: '#4493f8',
  pie2: '#d29922',
  pie3: '#818b98',
  pieStrokeColor: ink,
  pieOuterStrokeColor: ink,
  pieTitleTextColor: ink,
  pieSectionTextColor: inkOnColour,
  pieLegendTextColor: ink,
  pieSectionTextSize: '19px',
  pieLegendTextSize: '19px',
  pieOpacity: '1',
};

/** The longest bar of a text chart, in characters. */
const barWidth = 20;

/**
 * The totals of the windows in the trend, if there are three or more; of a window without any other, its visitors by kind, if
 * they are known; `''` for two, which the table tells better. All labels are ours: no text from outside is read as Mermaid.
 */
export function chart({ charts, trend, windows }: ReportContent): string {
  if (charts === 'none') return '';
  if (trend.length > 2) return trendChart(charts, windows.now.window, trend.map(itemOf));
  const mix = mixOf(windows.now);
  if (trend.length === 2 || mix === undefined) return '';
  const items = kindsOf(mix);
  return `Visitors by kind, each counted once:\n\n${charts === 'text' ? textBars(items) : mermaidPie(items)}`;
}

/** A label and its figure. */
type Item = readonly [label: string, visitors: number];

function itemOf({ window, visitors }: TrendPoint): Item {
  return [window.startLabel, visitors];
}

function trendChart(
  kind: 'mermaid' | 'text',
  { kind: period, span }: Window,
  items: readonly Item[],
): string {
  const by = `by ${span}${period === 'last-month' ? '' : ', each under its first day'}`;
  const visitors = items.map(([, count]) => count);
  const most = Math.max(...visitors);
  if (kind === 'text' || Math.min(...visitors) < most * lowestLabelled) {
    return `Visitors ${by}:\n\n${textBars(items)}`;
  }
  // Mermaid writes figures as they are, and of more than four characters too small: the table has them whole.
  const [unit, name] =
    most < 10_000 ? [1, ''] : most < 1_000_000 ? [1_000, ' in thousands'] : [1_000_000, ' in millions'];
  const decimals = unit === 1 ? 0 : Math.max(0, 3 - `${Math.floor(most / unit)}`.length);
  const heights = visitors.map((count) => rounded(count / unit, decimals));
  const drawn = mermaid({ xyChart, themeVariables: { xyChart: xyColours } }, [
    'xychart-beta',
    `  x-axis [${items.map(([label]) => `"${label}"`).join(', ')}]`,
    // Mermaid fails on an axis from 0 to 0, as of figures that are rounded away.
    `  y-axis 0 --> ${Math.max(1, ...heights)}`,
    `  bar [${heights.join(', ')}]`,
  ]);
  return `Visitors${name} ${by}:\n\n${drawn}`;
}

function mermaidPie(items: readonly Item[]): string {
  // Mermaid fails on a slice of 0, and on more than two decimals.
  const slices = items
    .map(([label, visitors]) => ({ label, size: rounded(visitors, 2) }))
    .filter(({ size }) => size > 0);
  const lines = slices.map(({ label, size }) => `  "${label}" : ${size}`);
  return mermaid({ themeVariables: pieColours }, ['pie showData', ...lines]);
}

function kindsOf({ humanOnly, aiOnly, both }: Mix): Item[] {
  return [
    ['Human only', humanOnly],
    ['AI only', aiOnly],
    ['Both', both],
  ];
}

function textBars(items: readonly Item[]): string {
  const widest = Math.max(...items.map(([label]) => label.length));
  const most = Math.max(1, ...items.map(([, value]) => value));
  const lines = items.map(([label, value]) => {
    const bar = '█'.repeat(Math.round((value / most) * barWidth));
    return `${label.padStart(widest)} ${bar}${bar === '' ? '' : ' '}${formatCount(value)}`;
  });
  return fenced(lines.join('\n'));
}

function mermaid(config: object, lines: readonly string[]): string {
  return ['```mermaid', `%%{init: ${JSON.stringify(config)}}%%`, ...lines, '```'].join('\n');
}
