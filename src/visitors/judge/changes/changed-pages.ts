import type { PathFilter } from '../../../core/globs.ts';
import type { Scrubbed } from '../../../text/scrub.ts';
import type { ChangesRead, MergedChanges, MergedPull } from '../../read/read-changes.ts';
import { isSilent, minWeeks, type WindowRead } from '../../read/window-read.ts';
import { byPath } from '../site-pages.ts';
import {
  aroundChange,
  type Counts,
  leveled,
  meansOf,
  type Row,
  rule,
  standOutSince,
} from '../unusual-rows.ts';
import type { SiteCounts } from '../usual-pages.ts';
import { createPageFinder } from './changed-files.ts';

/** Pages with fewer visitors a week, before and since, are only counted. */
export const minForChange = 10;

/**
 * What became of a page: `crawled` if only AI made it rise, `early` if too few weeks before the
 * change are known.
 */
const becameOrder = ['more', 'fewer', 'new', 'gone', 'crawled', 'same', 'early'] as const;

type Became = (typeof becameOrder)[number];

/** Visitors a week; `null` if unknown. */
type Average = Readonly<Record<'total' | 'human' | 'ai', number | null>>;

/** A page that changed, and its visitors before and since. */
export type ChangedPage = Readonly<{
  path: Scrubbed;
  became: Became;
  before: Average;
  since: Average;
  weeksBefore: number;
  weeksSince: number;
  pullRequest: Pick<MergedPull, 'number' | 'url' | 'isBot' | 'date'>;
  /** How many pull requests changed it, beginning with that one. */
  changes: number;
}>;

/** What became of a site's pages that changed. */
export type Changed =
  | { readonly problem: string; readonly rows?: never }
  | (ReturnType<typeof compareChangedPages> & { readonly problem?: never });

type Change = NonNullable<ReturnType<typeof findChange>>;

/** What became of the pages, or why that is unknown; `undefined` if the site had no visitors. */
export function judgeChanges(
  changes: ChangesRead,
  now: WindowRead,
  site: SiteCounts,
  isChosen: PathFilter,
): Changed | undefined {
  if ('problem' in changes) return changes;
  if (isSilent(now)) return undefined;
  return compareChangedPages(changes, site, isChosen);
}

/** Finds the pages that pull requests changed, and compares their visitors before and since. */
export function compareChangedPages(
  changes: MergedChanges,
  site: SiteCounts,
  isChosen: PathFilter,
) {
  const { pulls, tree } = changes;
  const reads = site.all.map(({ read }) => read);
  const pageOf = createPageFinder(tree, listVisitedPaths(reads));
  const touched = findTouched(pulls, pageOf, isChosen);
  const compared = comparePages(listChanged(touched.pages, site, reads), site);
  const isLarge = (visitors: Average) => (visitors.total ?? 0) >= minForChange;
  const rows = compared.filter(({ before, since }) => isLarge(before) || isLarge(since));
  return {
    rows: rows.toSorted(byChange),
    few: compared.length - rows.length,
    shared: touched.shared.size,
    unvisited: touched.unvisited.size,
    isTruncated: tree === undefined,
    pullRequests: {
      read: pulls.length,
      partly: pulls.filter(({ isWhole }) => !isWhole).length,
      unread: changes.unread,
      isLeast: changes.isLeast,
    },
  };
}

/** The paths of all pages with visitors, the most visited last. */
function listVisitedPaths(reads: readonly WindowRead[]): string[] {
  const totals = new Map<string, number>();
  for (const { rows } of reads)
    for (const { path, total } of rows.values()) totals.set(path, (totals.get(path) ?? 0) + total);
  return [...totals].sort(([, a], [, b]) => a - b).map(([path]) => path);
}

/** Finds the chosen pages that pull requests touched, and the files that are on no visited page. */
function findTouched(
  pulls: readonly MergedPull[],
  pageOf: ReturnType<typeof createPageFinder>,
  isChosen: PathFilter,
) {
  const pages = new Map<string, Set<MergedPull>>();
  const shared = new Set<string>();
  const unvisited = new Set<string>();
  // The oldest first.
  for (const pull of pulls.toReversed()) {
    for (const file of pull.paths) {
      const page = pageOf(file);
      if (page === undefined) continue;
      if (page.isShared) shared.add(file);
      else if (page.visited === undefined) unvisited.add(file);
      else if (isChosen(page.visited))
        pages.set(page.visited, (pages.get(page.visited) ?? new Set()).add(pull));
    }
  }
  return { pages, shared, unvisited };
}

/** Finds the first change with a week before it and one since, and counts it and those after it. */
function findChange(pulls: Iterable<MergedPull>, reads: readonly WindowRead[]) {
  const spans = Array.from(pulls, (pull) => {
    const before = reads.slice(0, -1).filter(({ window }) => window.end <= pull.date).length;
    const since = reads.filter(({ window }) => window.start > pull.date).length;
    return { pull, before, weeks: Math.min(rule.maxSince, since) };
  });
  const first = spans.findIndex(({ before, weeks }) => before > 0 && weeks > 0);
  const span = spans[first];
  return span && { ...span, changes: spans.length - first };
}

/** The touched pages that can be compared, each with its first change that can be. */
function listChanged(
  touched: ReadonlyMap<string, Iterable<MergedPull>>,
  site: SiteCounts,
  reads: readonly WindowRead[],
) {
  // A page that wasn’t read may have had visitors.
  let partial = reads;
  if (site.most === undefined) partial = reads.slice(-1).filter(({ cut }) => cut);
  const changed: (Row & Change)[] = [];
  for (const page of site.pages) {
    const change = findChange(touched.get(page.path) ?? [], reads);
    const isListed = partial.every(({ rows }) => rows.has(page.path));
    if (change !== undefined && isListed) changed.push({ ...page, ...change });
  }
  return changed;
}

function comparePages(changed: readonly (Row & Change)[], site: SiteCounts): ChangedPage[] {
  const humansOf = (row: Row) => site.visitsBy('human', row);
  const clear = standOutSince(site.pages, changed, humansOf);
  return changed.map((page) => {
    const { path, pull } = page;
    const average = (visits: Counts) =>
      meansOf(aroundChange(leveled(visits, clear.levels), page), page.weeks);
    const total = average(page.counts);
    const human = average(humansOf(page));
    const ai = average(site.visitsBy('ai', page));
    const before = { total: round(total.base), human: round(human.base), ai: round(ai.base) };
    const since = { total: round(total.value), human: round(human.value), ai: round(ai.value) };
    const nameChange = (): Became => {
      if (before.total === 0) return 'new';
      if (since.total === 0) return 'gone';
      if (page.before < minWeeks) return 'early';
      return clear.became.get(path) ?? 'same';
    };
    return {
      path,
      became: nameChange(),
      before,
      since,
      weeksBefore: page.before,
      weeksSince: page.weeks,
      pullRequest: { number: pull.number, url: pull.url, isBot: pull.isBot, date: pull.date },
      changes: page.changes,
    };
  });
}

/** The most telling changes first, and the most visited pages first. */
function byChange(a: ChangedPage, b: ChangedPage): number {
  const ranks = becameOrder.indexOf(a.became) - becameOrder.indexOf(b.became);
  if (ranks !== 0) return ranks;
  const visitors = (b.since.total ?? 0) - (a.since.total ?? 0);
  if (visitors !== 0) return visitors;
  return byPath(a, b);
}

/** Rounds to tenths; `null` if the count is unknown. */
function round(count: number): number | null {
  if (Number.isNaN(count)) return null;
  return Math.round(10 * count) / 10;
}
