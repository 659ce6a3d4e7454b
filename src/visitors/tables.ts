import { type Block, listBlock } from '../report/blocks.ts';
import { formatCount, formatDifference, formatPercent, plural } from '../report/numbers.ts';
import { pathCell } from '../report/shown.ts';
import type { WindowRead } from '../report/window-read.ts';
import type { VisitorsRow } from '../service/schemas.ts';
import { fewVisitors, pageChange } from './chance.ts';
import { aiShare } from './figures.ts';
import type { ReadSite } from './report.ts';

/** The lists of a site's pages, each with at most so many entries. */
export function pageTables(site: ReadSite, most: number): Block[] {
  return [
    ...moversTable(site, most),
    ...topTable(site, most),
    ...sectionsTable(site, most),
    ...mostlyAiTable(site, most),
    ...newAndVanishedTables(site, most),
  ];
}

function moversTable({ windows: { now }, findings: { before, movers } }: ReadSite, most: number): Block[] {
  if (movers === undefined || before === undefined) return [];
  const isWhole = now.cut === undefined && before.cut === undefined;
  const among = isWhole
    ? ''
    : ' Only pages whose visitors are known for both windows can be here; others may have moved more.';
  const heading = '### Pages that moved';
  if (movers.length === 0) {
    return [{ kind: 'text', text: `${heading}\n\nNo page changed by more than chance explains.${among}` }];
  }
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

function topTable({ windows: { now }, findings: { mostVisited } }: ReadSite, most: number): Block[] {
  // How many pages there are is known only if the window was read whole.
  const known = now.cut === undefined ? mostVisited : mostVisited?.slice(0, most);
  return listBlock(known, most, {
    lead: `### Top pages${now.cut === undefined ? '' : `\n\n${topOfCut(now)}`}`,
    head: ['Page', 'Visitors', 'AI share'],
    cells: (row) => [pathCell(row.path), formatCount(row.total), formatPercent(aiShare(row))],
  });
}

/** Why the top pages of a window that was not read whole are right, and why there may be fewer than were asked for. */
function topOfCut({ rows }: WindowRead): string {
  const last = [...rows.values()].at(-1)?.total ?? 0;
  return `Not all pages were read, but these are the most visited: the service sent the most visited first. Pages with more than ${plural(last, 'visitor')} are all known; only they can be listed.`;
}

function sectionsTable({ findings: { sections, sectionsBefore } }: ReadSite, most: number): Block[] {
  const change = (path: string, total: number) => {
    const before = sectionsBefore?.get(path)?.total ?? 0;
    return formatDifference(total - before, pageChange({ now: total, before }));
  };
  const isCompared = sectionsBefore !== undefined;
  return listBlock(sections, most, {
    title: 'Sections',
    lead: 'Page visitors are the sum over a section’s pages: somebody who reads several pages counts on each, so a section had **at most** that many visitors.',
    head: ['Section', 'Page visitors', ...(isCompared ? ['Change'] : [])],
    cells: ({ path, pages, total }) => [
      `${pathCell(path)}, ${plural(pages, 'page')}`,
      formatCount(total),
      ...(isCompared ? [change(path, total)] : []),
    ],
  });
}

function mostlyAiTable({ findings: { mostlyAi } }: ReadSite, most: number): Block[] {
  return listBlock(mostlyAi, most, {
    title: 'Pages read mostly by AI',
    lead: `More than half of the visitors were AI; pages with at least ${plural(fewVisitors, 'visitor')}.`,
    head: ['Page', 'AI share', 'AI', 'Visitors'],
    cells: (row) => [
      pathCell(row.path),
      formatPercent(aiShare(row)),
      formatCount(row.ai),
      formatCount(row.total),
    ],
  });
}

function newAndVanishedTables({ windows: { now }, findings }: ReadSite, most: number): Block[] {
  const { before, appeared, vanished } = findings;
  const { previousName } = now.window;
  const cells = ({ path, total }: VisitorsRow) => [pathCell(path), formatCount(total)];
  return [
    ...listBlock(appeared, most, {
      title: 'New pages',
      lead: `Not visited in ${previousName}.`,
      head: ['Page', 'Visitors'],
      cells,
    }),
    ...listBlock(vanished, most, {
      title: 'Vanished pages',
      lead: `Visited in ${previousName}, and not any more.`,
      head: ['Page', `Visitors, ${before?.window.shortLabel ?? previousName}`],
      cells,
    }),
  ];
}
