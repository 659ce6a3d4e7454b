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
 * The visitors of the last windows, people in front, with the usual range; `''` if the windows are
 * too few.
 */
export function siteChart(site: JudgedSite, charts: ReportSettings['charts']): string {
  if (charts === 'none') return '';
  const bars = listBars(site);
  if (bars.length < minBars) return '';
  const heights = bars.flatMap((bar) => [bar.total, bar.human, bar.usual?.high ?? 0]);
  // No outside text is parsed as Mermaid.
  const lines = [
    '```mermaid',
    `%%{init: ${JSON.stringify({ xyChart, themeVariables: { xyChart: xyColors } })}}%%`,
    'xychart-beta',
    `  x-axis [${bars.map((bar) => `"${bar.label}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.ceil(headroom * Math.max(...heights))}`,
    `  bar [${bars.map((bar) => bar.total).join(', ')}]`,
    `  bar [${bars.map((bar) => bar.human).join(', ')}]`,
  ];
  let legend = '🟦 people, 🟧 only AI';
  if (site.findings.usual.total) {
    lines.push(`  line [${bars.map((bar) => bar.usual?.low).join(', ')}]`);
    lines.push(`  line [${bars.map((bar) => bar.usual?.high).join(', ')}]`);
    legend += ', 🟪 usual range for all visitors';
  }
  lines.push('```');
  return `${lines.join('\n')}\n\n<sub>${legend}</sub>`;
}

/** The last windows with known counts, from the first one that had visitors on. */
function listBars(site: JudgedSite) {
  const trend = site.findings.usual.total?.trend;
  const bars = [];
  const windows = [...site.earlier, site.now];
  for (const [index, { window, totals }] of windows.entries()) {
    if (index < windows.length - maxBars) continue;
    const { total, human } = totals;
    if (total === undefined || human === undefined) continue;
    if (bars.length === 0 && total === 0) continue;
    bars.push({ label: window.startLabel, total, human, usual: trend?.[index] });
  }
  return bars;
}
