import { type Block, listBlock } from '../report/blocks.ts';
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
import type { VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import { table } from '../text/markdown.ts';
import { fewVisitors, pageChange } from './chance.ts';
import { aiShare, mixOf, siteAiShare } from './figures.ts';
import { isRead, type ReadSite, type Report, type Site } from './report.ts';

/** Characters shown of a path in the table of projects; the sections show more of it. */
const longestPath = 60;

const dash = formatCount(undefined);

/** A row per project: how many visitors, by how much that changed, the AI share, and the page that moved most. */
export function projectsTable({ sites, window }: Report): string {
  const head = ['Project', `Visitors, ${window.shortLabel}`, 'Change', 'AI share', 'Largest mover'];
  const rows = sites.map((site) => [nameCell(site.project.name), ...projectCells(site)]);
  return table(head, rows, 1);
}

function projectCells(site: Site): string[] {
  if (!isRead(site)) return ['not read', dash, dash, dash];
  const { windows, findings } = site;
  const { now } = windows;
  if (hasNoVisits(now)) return ['none recorded', dash, dash, dash];
  const { movers: [mover] = [], change, isNews } = findings;
  // In the words of the headline if chance explains the change.
  const difference = change && (isNews ? formatDifference(change.part, change) : 'about as many');
  return [
    formatCount(totalOf(now, 'total')),
    difference ?? dash,
    formatPercent(siteAiShare(now)),
    mover === undefined ? dash : `${pathCell(mover.path, longestPath)} (${formatSigned(mover.delta)})`,
  ];
}

/** All visitors, humans and AI, with their change and the window before if there is one; below, who came as both. */
export function totalsTable({ windows: { now }, findings: { before } }: ReadSite): string {
  const countRow = (name: string, kind: keyof VisitorsTotals) => {
    const [count, earlier] = [totalOf(now, kind), before && totalOf(before, kind)];
    const shown = kind === 'total' ? `**${formatCount(count)}**` : formatCount(count);
    const isKnown = count !== undefined && earlier !== undefined;
    const change = isKnown ? formatDifference(count - earlier, changeFrom(earlier, count)) : dash;
    return [name, shown, change, formatCount(earlier)];
  };
  const [share, shareBefore] = [siteAiShare(now), before && siteAiShare(before)];
  const rows = [
    countRow('All visitors', 'total'),
    countRow('Human', 'human'),
    countRow('AI', 'ai'),
    ['AI share', formatPercent(share), formatPoints(share, shareBefore), formatPercent(shareBefore)],
  ];
  const columns = before === undefined ? 2 : 4;
  const head = ['', now.window.shortLabel, 'Change', before?.window.shortLabel ?? ''].slice(0, columns);
  const shown = table(
    head,
    rows.map((row) => row.slice(0, columns)),
    1,
  );
  const both = mixOf(now)?.both ?? 0;
  return both > 0 ? `${shown}\n\n${plural(both, 'visitor')} came both as a human and as AI.` : shown;
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

/** The lists of a site's pages, each with at most so many entries. */
export function pageTables({ windows: { now }, findings }: ReadSite, most: number): Block[] {
  const { before, sections, sectionsBefore, mostlyAi, appeared, vanished } = findings;
  const { previousName } = now.window;
  const pageCells = ({ path, total }: VisitorsRow) => [pathCell(path), formatCount(total)];
  const sectionChange = (path: string, total: number) => {
    const earlier = sectionsBefore?.get(path)?.total ?? 0;
    return formatDifference(total - earlier, pageChange({ now: total, before: earlier }));
  };
  return [
    moversTable(findings, now.cut === undefined && before?.cut === undefined, most),
    topTable(findings, now, most),
    listBlock(sections, most, {
      title: 'Sections',
      lead: 'Page visitors are the sum over a section’s pages: somebody who reads several pages counts on each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors', ...(sectionsBefore ? ['Change'] : [])],
      cells: ({ path, pages, total }) => [
        `${pathCell(path)}, ${plural(pages, 'page')}`,
        formatCount(total),
        ...(sectionsBefore ? [sectionChange(path, total)] : []),
      ],
    }),
    listBlock(mostlyAi, most, {
      title: 'Pages read mostly by AI',
      lead: `More than half of the visitors were AI; pages with at least ${plural(fewVisitors, 'visitor')}.`,
      head: ['Page', 'AI share', 'AI', 'Visitors'],
      cells: (row) => [
        pathCell(row.path),
        formatPercent(aiShare(row)),
        formatCount(row.ai),
        formatCount(row.total),
      ],
    }),
    listBlock(appeared, most, {
      title: 'New pages',
      lead: `Not visited in ${previousName}.`,
      head: ['Page', 'Visitors'],
      cells: pageCells,
    }),
    listBlock(vanished, most, {
      title: 'Vanished pages',
      lead: `Visited in ${previousName}, and not any more.`,
      head: ['Page', `Visitors, ${before?.window.shortLabel ?? previousName}`],
      cells: pageCells,
    }),
  ];
}

function moversTable({ movers }: ReadSite['findings'], isWhole: boolean, most: number): Block {
  if (movers === undefined) return '';
  const among = isWhole
    ? ''
    : ' Only pages whose visitors are known for both windows can be here; others may have moved more.';
  const heading = '### Pages that moved';
  if (movers.length === 0) return `${heading}\n\nNo page changed by more than chance explains.${among}`;
  return listBlock(movers, most, {
    lead: `${heading}\n\nChanges that are more than chance explains, the largest first.${among}`,
    head: ['Page', 'Visitors', 'Change'],
    cells: ({ path, now: visitors, delta, change, isNew }) => [
      pathCell(path),
      formatCount(visitors),
      `${formatDifference(delta, change)}${isNew ? ' (new)' : ''}`,
    ],
  });
}

/** Of a window that was not read whole, how many pages there are is not known. */
function topTable(
  { mostVisited }: ReadSite['findings'],
  { cut, rows }: ReadSite['windows']['now'],
  most: number,
): Block {
  const least = [...rows.values()].at(-1)?.total ?? 0;
  const why = `\n\nNot all pages were read, but these are the most visited: the service sent the most visited first. Pages with more than ${plural(least, 'visitor')} are all known; only they can be listed.`;
  return listBlock(cut === undefined ? mostVisited : mostVisited?.slice(0, most), most, {
    lead: `### Top pages${cut === undefined ? '' : why}`,
    head: ['Page', 'Visitors', 'AI share'],
    cells: (row) => [pathCell(row.path), formatCount(row.total), formatPercent(aiShare(row))],
  });
}
