import type { VisitorsRow } from '../../service/schemas.ts';
import { fewVisitors, pageChange } from '../judge/chance.ts';
import type { Findings } from '../judge/compare.ts';
import { aiShare } from '../judge/figures.ts';
import { sum } from '../judge/ratio.ts';
import type { WindowRead } from '../read/window-read.ts';
import type { Block, TableBlock } from './blocks.ts';
import { formatCount, formatDifference, formatPercent, plural } from './numbers.ts';
import { pathCell } from './quoted.ts';

/** The pages that moved. */
export function moversTable({ now, before, movers }: Findings, most: number): Block[] {
  if (movers === undefined || before === undefined) return [];
  const isWhole = now.cut === undefined && before.cut === undefined;
  const among = isWhole
    ? ''
    : ' Only pages whose visitors are known for both windows can be here; others may have moved more.';
  const heading = '### Pages that moved';
  if (movers.length === 0) {
    return [{ kind: 'text', text: `${heading}\n\nNo page changed by more than chance explains.${among}` }];
  }
  return tableOf(movers, most, {
    lead: `${heading}\n\nChanges that are more than chance explains, the largest first.${among}`,
    head: ['Page', 'Visitors', 'Change'],
    cells: ({ path, now: visitors, delta, change, isNew }) => [
      pathCell(path),
      formatCount(visitors),
      `${formatDifference(delta, change)}${isNew ? ' (new)' : ''}`,
    ],
  });
}

export function topTable({ now, mostVisited }: Findings, most: number): Block[] {
  // How many pages there are is known only of a window read whole.
  const known = now.cut === undefined ? mostVisited : mostVisited?.slice(0, most);
  return tableOf(known, most, {
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

export function sectionsTable({ sections, sectionsBefore }: Findings, most: number): Block[] {
  const change = (path: string, total: number) => {
    const earlier = sectionsBefore?.get(path)?.total ?? 0;
    return formatDifference(sum(total, -earlier), pageChange({ now: total, before: earlier }));
  };
  const isCompared = sectionsBefore !== undefined;
  return tableOf(sections, most, {
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

export function mostlyAiTable({ mostlyAi }: Findings, most: number): Block[] {
  return tableOf(mostlyAi, most, {
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

export function newAndVanishedTables({ now, before, appeared, vanished }: Findings, most: number): Block[] {
  const { previousName } = now.window;
  const cells = ({ path, total }: VisitorsRow) => [pathCell(path), formatCount(total)];
  return [
    ...tableOf(appeared, most, {
      title: 'New pages',
      lead: `Not visited in ${previousName}.`,
      head: ['Page', 'Visitors'],
      cells,
    }),
    ...tableOf(vanished, most, {
      title: 'Vanished pages',
      lead: `Visited in ${previousName}, and not any more.`,
      head: ['Page', `Visitors, ${before?.window.shortLabel ?? previousName}`],
      cells,
    }),
  ];
}

/** How a list is shown as a table. */
interface ListTable<T> extends Pick<TableBlock, 'lead' | 'head'> {
  /** Set for a table that is folded away: its title, shown with the length of the list. */
  readonly title?: string;
  readonly cells: (item: T) => readonly string[];
}

/** A table of the first items of a list; nothing where the list is empty or not known. */
function tableOf<T>(
  items: readonly T[] | undefined,
  most: number,
  { title, lead, head, cells }: ListTable<T>,
): Block[] {
  if (items === undefined || items.length === 0) return [];
  return [
    {
      kind: 'table',
      ...(title === undefined ? {} : { folded: `${title} (${formatCount(items.length)})` }),
      lead,
      head,
      rows: items.slice(0, most).map(cells),
      outOf: items.length,
    },
  ];
}
