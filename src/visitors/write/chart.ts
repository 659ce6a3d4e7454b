import type { JudgedSite, ReportSettings } from '../judge/report.ts';

/** Barely wider than a phone, so labels hardly shrink there. Eight dates of this size fit next to each other. */
const xyChart = {
  width: 400,
  height: 240,
  xAxis: { labelFontSize: 11 },
  // With numbers on the axis, Mermaid draws a bar for zero.
  yAxis: { showLabel: false, showTick: false, showAxisLine: false },
};

/** Each has a contrast of at least 3 : 1 on GitHub's pages, and of 1.25 : 1 on the others, so that gray prints show it, too. */
const xyColors = {
  plotColorPalette: '#bf8700, #0969da, #985fed, #985fed',
  backgroundColor: 'transparent',
  xAxisTickColor: '#717a86',
  xAxisLineColor: '#717a86',
};

/** Fewer windows show no trend, and more dates wouldn't fit next to each other. */
const [minBars, maxWindows] = [3, 8];

/** The visitors of the last windows, people in front, with the usual range; `''` if the windows are too few. */
export function siteChart(
  { earlier, now, findings }: JudgedSite,
  charts: ReportSettings['charts'],
): string {
  const trend = findings.usual.total?.trend;
  const windows = [...earlier, now].map((read, at) => ({ ...read, usual: trend?.[at] }));
  const known = windows.slice(-maxWindows).flatMap(({ window: { startLabel }, totals, usual }) => {
    const { total, human } = totals;
    return total === undefined || human === undefined ? [] : { startLabel, total, human, usual };
  });
  const bars = known.slice(known.findIndex(({ total }) => total > 0));
  const highest = Math.max(
    ...bars.flatMap(({ total, human, usual }) => [total, human, usual?.high ?? 0]),
  );
  if (charts === 'none' || bars.length < minBars || bars.every(({ total }) => total === 0))
    return '';
  // No outside text is parsed as Mermaid.
  const plot = (kind: 'bar' | 'line', of: (bar: (typeof bars)[number]) => number | undefined) =>
    `  ${kind} [${bars.map(of).join(', ')}]`;
  const lines = [
    `%%{init: ${JSON.stringify({ xyChart, themeVariables: { xyChart: xyColors } })}}%%`,
    'xychart-beta',
    `  x-axis [${bars.map(({ startLabel }) => `"${startLabel}"`).join(', ')}]`,
    `  y-axis 0 --> ${Math.ceil(1.04 * highest)}`,
    plot('bar', ({ total }) => total),
    plot('bar', ({ human }) => human),
    ...(trend
      ? [plot('line', ({ usual }) => usual?.low), plot('line', ({ usual }) => usual?.high)]
      : []),
  ];
  const legend = `🟦 people, 🟧 only AI${trend ? ', 🟪 usual range for all visitors' : ''}`;
  return `${['```mermaid', ...lines, '```'].join('\n')}\n\n<sub>${legend}</sub>`;
}
