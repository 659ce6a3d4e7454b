import { fenced } from '../text/markdown.ts';
import { formatCount } from './numbers.ts';
import type { Window } from './window.ts';

/** The grey whose contrast with GitHub's light page equals that with its dark one (#0d1117), 4.35 : 1: none has 4.5 with both. */
const ink = '#717a86';

/** For labels on a bar or a slice. Before 11.13 Mermaid ignores the color that is set for the labels of bars, and takes black. */
const inkOnColor = '#0d1117';

/** A bar below this part of the highest is too low for its label, and one label too small makes all of them so. */
const lowestLabelled = 1 / 6;

/** Not much wider than a phone, so that labels hardly shrink there; eight dates of this size fit side by side. */
const xyChart = {
  width: 400,
  height: 280,
  showDataLabel: true,
  xAxis: { labelFontSize: 11 },
  yAxis: { showLabel: false, showTick: false, showAxisLine: false },
};

const xyColors = {
  plotColorPalette: '#54aeff',
  dataLabelColor: inkOnColor,
  backgroundColor: 'transparent',
  xAxisLabelColor: ink,
  xAxisTickColor: ink,
  xAxisLineColor: ink,
};

/** All are given, since Mermaid takes those that are missing from its own theme: on a dark page they are nearly black. */
const pieColors = {
  pie1: '#4493f8',
  pie2: '#d29922',
  pie3: '#818b98',
  pieStrokeColor: ink,
  pieOuterStrokeColor: ink,
  pieTitleTextColor: ink,
  pieSectionTextColor: inkOnColor,
  pieLegendTextColor: ink,
  pieSectionTextSize: '19px',
  pieLegendTextSize: '19px',
  pieOpacity: '1',
};

/** The longest bar of a text chart, in characters. */
const barWidth = 20;

/** How charts are drawn. */
export type ChartKind = 'mermaid' | 'text' | 'none';

/** A label and its figure. All labels are ours: no text from outside is read as Mermaid. */
export type ChartItem = readonly [label: string, visitors: number];

/** The visitors of windows like this one, oldest first; `''` for `none`. */
export function barChart(
  kind: ChartKind,
  { kind: period, span }: Window,
  items: readonly ChartItem[],
): string {
  if (kind === 'none') return '';
  const by = `by ${span}${period === 'last-month' ? '' : ', each under its first day'}`;
  const visitors = items.map(([, count]) => count);
  const most = Math.max(...visitors);
  if (kind === 'text' || Math.min(...visitors) < most * lowestLabelled) {
    return `Visitors ${by}:\n\n${textBars(items)}`;
  }
  // Mermaid writes figures as they are, and those of more than four characters too small: the table has them whole.
  const [unit, name] =
    most < 10_000 ? [1, ''] : most < 1_000_000 ? [1_000, ' in thousands'] : [1_000_000, ' in millions'];
  const decimals = unit === 1 ? 0 : Math.max(0, 3 - `${Math.floor(most / unit)}`.length);
  const heights = visitors.map((count) => Math.round((count / unit) * 10 ** decimals) / 10 ** decimals);
  const drawn = mermaid({ xyChart, themeVariables: { xyChart: xyColors } }, [
    'xychart-beta',
    `  x-axis [${items.map(([label]) => `"${label}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.max(...heights)}`,
    `  bar [${heights.join(', ')}]`,
  ]);
  return `Visitors${name} ${by}:\n\n${drawn}`;
}

/** The visitors of one window by kind, each counted once; `''` for `none`. */
export function kindsChart(kind: ChartKind, items: readonly ChartItem[]): string {
  if (kind === 'none') return '';
  // Mermaid fails on a slice of 0.
  const slices = items.filter(([, visitors]) => visitors > 0);
  const lines = slices.map(([label, visitors]) => `  "${label}" : ${visitors}`);
  const pie = mermaid({ themeVariables: pieColors }, ['pie showData', ...lines]);
  return `Visitors by kind, each counted once:\n\n${kind === 'text' ? textBars(items) : pie}`;
}

function textBars(items: readonly ChartItem[]): string {
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
