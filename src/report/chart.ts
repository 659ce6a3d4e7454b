import { fenced } from '../text/markdown.ts';
import { formatCount } from './numbers.ts';

/** This gray has the same contrast (4.35 : 1) on GitHub's light and dark pages. No gray reaches 4.5 on both. */
const ink = '#717a86';

/** Barely wider than a phone, so labels hardly shrink there. Eight dates of this size fit next to each other. */
const xyChart = {
  width: 400,
  height: 280,
  xAxis: { labelFontSize: 11 },
  yAxis: { labelFontSize: 11, showTick: false, showAxisLine: false },
};

/** Amber for all visitors, with blue for humans on top. */
const xyColors = {
  plotColorPalette: '#d29922, #54aeff',
  backgroundColor: 'transparent',
  xAxisLabelColor: ink,
  xAxisTickColor: ink,
  xAxisLineColor: ink,
  yAxisLabelColor: ink,
};

/** The longest bar of a text chart, in characters. */
const barWidth = 20;

const sparks = [...'▁▂▃▄▅▆▇█'];

/** A window in the chart. All labels are ours, so outside text is never parsed as Mermaid. */
export interface ChartBar {
  readonly label: string;
  readonly visitors: number;
  readonly humans: number | undefined;
}

/** The visitors of consecutive windows, oldest first, humans in front of all. */
export function barChart(kind: 'mermaid' | 'text', lead: string, bars: readonly ChartBar[]): string {
  if (kind === 'text') return `${lead}:\n\n${textBars(bars)}`;
  const humans = bars.flatMap((bar) => bar.humans ?? []);
  const series = [bars.map(({ visitors }) => visitors), ...(humans.length === bars.length ? [humans] : [])];
  const legend = series.length === 1 ? '' : ' (🟧 all, 🟦 humans)';
  // Larger numbers don't fit next to the axis on a phone.
  const [unit, inUnits] = Math.max(...series.flat()) < 100_000 ? [1, ''] : [1_000, ', in thousands'];
  const inUnit = (heights: readonly number[]) => heights.map((height) => Math.round(height / unit));
  const lines = [
    `%%{init: ${JSON.stringify({ xyChart, themeVariables: { xyChart: xyColors } })}}%%`,
    'xychart-beta',
    `  x-axis [${bars.map(({ label }) => `"${label}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.max(1, ...inUnit(series.flat()))}`,
    ...series.map((heights) => `  bar [${inUnit(heights).join(', ')}]`),
  ];
  return `${lead}${inUnits}${legend}:\n\n${['```mermaid', ...lines, '```'].join('\n')}`;
}

export function textBars(bars: readonly Omit<ChartBar, 'humans'>[]): string {
  const widest = Math.max(...bars.map(({ label }) => label.length));
  const most = Math.max(1, ...bars.map(({ visitors }) => visitors));
  const lines = bars.map(({ label, visitors }) => {
    const bar = '█'.repeat(Math.round((visitors / most) * barWidth));
    return `${label.padStart(widest)} ${bar}${bar === '' ? '' : ' '}${formatCount(visitors)}`;
  });
  return fenced(lines.join('\n'));
}

/** `▁▁▂▂▂▂▃█`: the lowest bar is the smallest value, and a dot is an unknown value. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const heightOf = (value: number) =>
    Math.round(((value - least) / Math.max(1, most - least)) * (sparks.length - 1));
  return values.map((value) => (value === undefined ? '·' : sparks[heightOf(value)])).join('');
}
