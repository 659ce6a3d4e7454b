import { formatCount } from '../../text/counts.ts';
import type { JudgedSite, ReportSettings } from '../judge/report.ts';

/** This gray has the same contrast (4.35 : 1) on GitHub's light and dark pages. No gray reaches 4.5 on both. */
const ink = '#717a86';

/** Barely wider than a phone, so labels hardly shrink there. Eight dates of this size fit next to each other. */
const xyChart = {
  width: 400,
  height: 280,
  xAxis: { labelFontSize: 11 },
  // With numbers on the axis, Mermaid draws a bar for zero.
  yAxis: { showLabel: false, showTick: false, showAxisLine: false },
};

/** Amber for all visitors, with blue for humans on top. */
const xyColors = {
  plotColorPalette: '#d29922, #54aeff',
  backgroundColor: 'transparent',
  xAxisLabelColor: ink,
  xAxisTickColor: ink,
  xAxisLineColor: ink,
};

/** The maximum number of windows in a chart or sparkline. More dates wouldn't fit next to each other. */
export const maxWindows = 8;

/** With fewer windows, the table of totals shows them all. */
const minBars = 3;

const sparks = [...'▁▂▃▄▅▆▇█'];

/** `▁▁▂▂▂▂▃█`: the lowest bar is the smallest value, and a dot is an unknown value. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const heightOf = (value: number) =>
    Math.round(((value - least) / Math.max(1, most - least)) * (sparks.length - 1));
  return values.map((value) => (value === undefined ? '·' : sparks[heightOf(value)])).join('');
}

/** The visitors of the last windows, humans in front; `''` if the windows are too few. No outside text is parsed as Mermaid. */
export function siteChart({ earlier, now }: JudgedSite, charts: ReportSettings['charts']): string {
  const known = [...earlier, now].slice(-maxWindows).flatMap(({ window, totals: { total, human } }) => {
    return total === undefined || human === undefined ? [] : [{ label: window.startLabel, total, human }];
  });
  const bars = known.slice(known.findIndex(({ total }) => total > 0));
  const highest = bars.toSorted((a, b) => b.total - a.total)[0];
  if (charts === 'none' || bars.length < minBars || !highest?.total) return '';
  const lines = [
    `%%{init: ${JSON.stringify({ xyChart, themeVariables: { xyChart: xyColors } })}}%%`,
    'xychart-beta',
    `  x-axis [${bars.map(({ label }) => `"${label}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.max(...bars.flatMap(({ total, human }) => [total, human]))}`,
    `  bar [${bars.map(({ total }) => total).join(', ')}]`,
    `  bar [${bars.map(({ human }) => human).join(', ')}]`,
  ];
  const lead = `Visitors by ${now.window.noun} (🟧 all, 🟦 humans). Highest: ${formatCount(highest.total)}, ${highest.label}.`;
  return `${lead}\n\n${['```mermaid', ...lines, '```'].join('\n')}`;
}
