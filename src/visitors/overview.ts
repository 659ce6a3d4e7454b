import { barChart, kindsChart } from '../report/chart.ts';
import {
  changeFrom,
  formatCount,
  formatDifference,
  formatPercent,
  formatPoints,
  formatSigned,
  plural,
} from '../report/numbers.ts';
import { nameCell, pathCell } from '../report/shown.ts';
import { hasNoVisits, totalOf } from '../report/window-read.ts';
import type { VisitorsTotals } from '../service/schemas.ts';
import { table } from '../text/markdown.ts';
import { mixOf, siteAiShare } from './figures.ts';
import { isRead, type ReadSite, type Report, type Site } from './report.ts';

/** Characters shown of a path in the table of projects; the sections show more of it. */
const longestPath = 60;

const dash = formatCount(undefined);

/** A row per project: how many visitors, by how much that changed, the AI share, and the page that moved most. */
export function projectsTable({ sites, window }: Report): string {
  const head = ['Project', `Visitors, ${window.shortLabel}`, 'Change', 'AI share', 'Largest mover'];
  return table(
    head,
    sites.map((site) => [nameCell(site.project.name), ...projectCells(site)]),
    1,
  );
}

function projectCells(site: Site): string[] {
  if (!isRead(site)) return ['not read', dash, dash, dash];
  const {
    windows: { now },
    findings,
  } = site;
  if (hasNoVisits(now)) return ['none recorded', dash, dash, dash];
  const [mover] = findings.movers ?? [];
  return [
    formatCount(totalOf(now, 'total')),
    changeCell(site),
    formatPercent(siteAiShare(now)),
    mover === undefined ? dash : `${pathCell(mover.path, longestPath)} (${formatSigned(mover.delta)})`,
  ];
}

/** The change of the total; if chance explains it, in the words of the headline. */
function changeCell({ findings: { change, isNews } }: ReadSite): string {
  if (change === undefined) return dash;
  return isNews ? formatDifference(change.part, change) : 'about as many';
}

/** All visitors, humans and AI, with their change and the window before if there is one; below, who came as both. */
export function totalsTable({ windows: { now }, findings: { before } }: ReadSite): string {
  const countRow = (name: string, kind: keyof VisitorsTotals) => {
    const [count, earlier] = [totalOf(now, kind), before && totalOf(before, kind)];
    const shown = kind === 'total' ? `**${formatCount(count)}**` : formatCount(count);
    const change =
      count === undefined || earlier === undefined
        ? dash
        : formatDifference(count - earlier, changeFrom(earlier, count));
    return [name, shown, change, formatCount(earlier)];
  };
  const [share, shareBefore] = [siteAiShare(now), before && siteAiShare(before)];
  const shareRow = [
    'AI share',
    formatPercent(share),
    formatPoints(share, shareBefore),
    formatPercent(shareBefore),
  ];
  const rows = [
    countRow('All visitors', 'total'),
    countRow('Human', 'human'),
    countRow('AI', 'ai'),
    shareRow,
  ];
  const head = ['', now.window.shortLabel, 'Change', before?.window.shortLabel ?? ''];
  const columns = before === undefined ? 2 : 4;
  const [shownHead, ...shownRows] = [head, ...rows].map((row) => row.slice(0, columns));
  const both = mixOf(now)?.both ?? 0;
  const sentence = both > 0 ? [`${plural(both, 'visitor')} came both as a human and as AI.`] : [];
  return [table(shownHead ?? [], shownRows, 1), ...sentence].join('\n\n');
}

/**
 * The totals of the windows in the trend, if there are three or more; of a window without any other, its visitors by kind, if
 * they are known; `''` for two, which the table shows better.
 */
export function siteChart({ trend, windows: { now } }: ReadSite, kind: Report['settings']['charts']): string {
  if (trend.length > 2) {
    const items = trend.map(({ window, visitors }) => [window.startLabel, visitors] as const);
    return barChart(kind, now.window, items);
  }
  const mix = mixOf(now);
  if (trend.length === 2 || mix === undefined) return '';
  return kindsChart(kind, [
    ['Human only', mix.humanOnly],
    ['AI only', mix.aiOnly],
    ['Both', mix.both],
  ]);
}
