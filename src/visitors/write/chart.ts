import { formatCount } from '../../text/counts.ts';
import { fenced } from '../../text/markdown.ts';
import { countBoth } from '../judge/findings.ts';
import type { JudgedSite, ReportSettings } from '../judge/report.ts';

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

/** The maximum number of windows in a chart or sparkline. More dates wouldn't fit next to each other. */
export const mostWindows = 8;

/** The longest bar of a text chart, in characters. */
const barWidth = 20;

const sparks = [...'▁▂▃▄▅▆▇█'];

/** A bar of a chart. All labels are ours, so outside text is never parsed as Mermaid. */
interface Bar {
  readonly label: string;
  readonly visitors: number;
  readonly humans?: number | undefined;
}

/** The visitors of consecutive windows, oldest first, humans in front of all. */
function barChart(kind: 'mermaid' | 'text', lead: string, bars: readonly Bar[]): string {
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

function textBars(bars: readonly Bar[]): string {
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

/** A chart of the last windows if there are at least three; visitors by kind if there is only one; `''` if there are two. */
export function siteChart({ earlier, windows: { now } }: JudgedSite, kind: ReportSettings['charts']): string {
  if (kind === 'none') return '';
  const bars = [...earlier, now].slice(-mostWindows).flatMap(({ window, totals }): Bar[] => {
    const { total, human } = totals;
    return total === undefined ? [] : [{ label: window.startLabel, visitors: total, humans: human }];
  });
  if (bars.every(({ visitors }) => visitors === 0)) return '';
  if (bars.length > 2) {
    const each = now.window.kind === 'last-month' ? '' : ', labeled with its first day';
    return barChart(kind, `Visitors by ${now.window.noun}${each}`, bars);
  }
  const { human, ai, total } = now.totals;
  const isSum =
    human !== undefined && ai !== undefined && total !== undefined && Math.max(human, ai) <= total;
  if (bars.length === 2 || !isSum) return '';
  const both = countBoth(now.totals);
  const kinds = [
    { label: 'Human only', visitors: human - both },
    { label: 'AI only', visitors: ai - both },
    { label: 'Both', visitors: both },
  ];
  return `Visitors by kind, each counted once:\n\n${textBars(kinds)}`;
}
