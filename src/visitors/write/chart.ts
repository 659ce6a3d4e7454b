import type { JudgedSite, ReportSettings } from '../judge/report.ts';

/**
 * Barely wider than a phone, so labels hardly shrink there. Eight dates of this size fit next to
 * each other.
 */
const xyChart = {
  width: 400,
  height: 240,
  xAxis: { labelFontSize: 11 },
  // With numbers on the axis, Mermaid draws a bar for zero.
  yAxis: { showLabel: false, showTick: false, showAxisLine: false },
};

/**
 * Each has a contrast of at least 3 : 1 on GitHub's pages, and of 1.25 : 1 on the others, so that
 * gray prints show it, too.
 */
const xyColors = {
  plotColorPalette: '#bf8700, #0969da, #985fed, #985fed',
  backgroundColor: 'transparent',
  xAxisTickColor: '#717a86',
  xAxisLineColor: '#717a86',
};

/** Fewer windows show no trend. */
const minBars = 3;

/** More dates wouldn’t fit next to each other. */
const maxBars = 8;

/** The highest bar ends below the top of the chart. */
const headroom = 1.04;

/**
 * The visitors of the last windows, people in front, with the ends of their usual range; `''` if
 * the windows are too few.
 */
export function siteChart(site: JudgedSite, charts: ReportSettings['charts']): string {
  if (charts === 'none') return '';
  const bars = listBars(site);
  if (bars.length < minBars) return '';
  const range = site.findings.usual.human;
  // A range that is too wide to call it usual would only flatten the bars.
  const ends = range === undefined || range.side === 'varies' ? [] : [range.low, range.high];
  const heights = [...bars.flatMap(({ total, human }) => [total, human]), ...ends];
  // No outside text is parsed as Mermaid.
  const lines = [
    '```mermaid',
    `%%{init: ${JSON.stringify({ xyChart, themeVariables: { xyChart: xyColors } })}}%%`,
    'xychart-beta',
    `  x-axis [${bars.map((bar) => `"${bar.label}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.ceil(headroom * Math.max(...heights))}`,
    `  bar [${bars.map((bar) => bar.total).join(', ')}]`,
    `  bar [${bars.map((bar) => bar.human).join(', ')}]`,
    ...ends.map((end) => `  line [${bars.map(() => end).join(', ')}]`),
    '```',
  ];
  const legend = `🟦 people, 🟧 only AI${ends.length > 0 ? ', 🟪 usual range for people' : ''}`;
  return `${lines.join('\n')}\n\n<sub>${legend}</sub>`;
}

/** The last windows with known counts, from the first one that had visitors on. */
function listBars({ earlier, now }: JudgedSite) {
  const bars = [];
  for (const { window, totals } of [...earlier, now].slice(-maxBars)) {
    const { total, human } = totals;
    if (total === undefined || human === undefined) continue;
    if (bars.length === 0 && total === 0) continue;
    bars.push({ label: window.startLabel, total, human });
  }
  return bars;
}
