import type { PathFilter } from '../../core/globs.ts';
import type { ChangesRead, MergedPull } from '../read/read-changes.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import { hasPages, minWeeks } from '../read/window-read.ts';
import { pageFinder } from './changed-files.ts';
import { byPath } from './site-pages.ts';
import { leveled, meansOf, rule, standOutSince } from './unusual-rows.ts';
import { type Basis, countsOf } from './usual-pages.ts';

/** Pages with fewer visitors a week, before and since, are only counted. */
export const minForChange = 10;

/** What became of a page: `crawled` if only AI made it rise, `early` if too few weeks before the change are known. */
export const becameOrder = ['more', 'fewer', 'new', 'gone', 'crawled', 'same', 'early'] as const;

type Became = (typeof becameOrder)[number];

/** A page that changed, and its visitors before and since, a week. */
export type ChangedPage = ReturnType<typeof changedPages>['rows'][number];

/** What became of a site's pages that changed. */
export type Changed = { readonly problem: string } | ReturnType<typeof changedPages>;

/** Finds the pages that pull requests changed, and compares their visitors since with those before. */
export function changedPages(
  { pulls, tree, unread, isLeast }: Exclude<ChangesRead, { readonly problem: string }>,
  { now, earlier }: Pick<SiteWindows, 'now' | 'earlier'>,
  basis: Basis | undefined,
  isChosen: PathFilter,
) {
  const lists = basis?.lists ?? (now.cut ? [] : earlier.filter(hasPages));
  const all = [...lists, now];
  const totals = new Map<string, number>();
  for (const { rows } of all)
    for (const { path, total } of rows.values()) totals.set(path, (totals.get(path) ?? 0) + total);
  const visited = [...totals].sort((a, b) => a[1] - b[1]).map(([path]) => path);
  const pageOf = pageFinder(tree, visited);
  const [touched, shared, unvisited] = [new Map<string, MergedPull[]>(), new Set(), new Set()];
  // The oldest first.
  for (const pull of pulls.toReversed()) {
    for (const file of new Set(pull.paths)) {
      const page = pageOf(file);
      if (page?.isShared) shared.add(file);
      else if (page && page.visited === undefined) unvisited.add(file);
      if (page?.visited === undefined || !isChosen(page.visited)) continue;
      const pullsOf = touched.get(page.visited) ?? [];
      if (!pullsOf.includes(pull)) touched.set(page.visited, [...pullsOf, pull]);
    }
  }

  const { paths, pages, visitsBy } = countsOf(now, { lists, rows: basis?.rows }, visited);
  const [humansOf, aiOf] = [visitsBy('human'), visitsBy('ai')];
  // A page that wasn’t read may have had visitors.
  const unsure = basis?.rows === undefined ? [now].filter(({ cut }) => cut) : all;
  const isListed = (path: string) => unsure.every(({ rows }) => rows.has(path));
  const changes = paths.flatMap((path, index) => {
    const pullsOf = touched.get(path) ?? [];
    const weeks = pullsOf.map(({ date }) => ({
      before: lists.filter(({ window }) => window.end <= date).length,
      since: all.filter(({ window }) => window.start > date).length,
    }));
    const first = weeks.findIndex(({ before, since }) => before > 0 && since > 0);
    const [pull, span] = [pullsOf[first], weeks[first]];
    if (pull === undefined || span === undefined || !isListed(path)) return [];
    return { index, path, pull, changes: pullsOf.length - first, ...span };
  });
  const { levels, marked, crawled } = standOutSince(pages, (index) => humansOf(paths[index] ?? ''), changes);
  const sides = marked.map(({ index, shown }) => [index, shown.difference > 0 ? 'more' : 'fewer'] as const);
  const known = new Map<number, Became>([
    ...crawled.map(({ index }) => [index, 'crawled'] as const),
    ...sides,
  ]);
  const described = changes.map(({ index, path, pull, changes, before: weeksBefore, since }) => {
    const weeksSince = Math.min(rule.maxSince, since);
    const [total, human, ai] = [pages[index] ?? [], humansOf(path), aiOf(path)].map((counts) => {
      const row = leveled(counts, levels);
      const { base, value } = meansOf([...row.slice(0, weeksBefore), ...row.slice(-weeksSince)], weeksSince);
      return { before: base, since: value };
    });
    const at = (side: 'before' | 'since') => ({
      total: rounded(total?.[side]),
      human: rounded(human?.[side]),
      ai: rounded(ai?.[side]),
    });
    const [before, now] = [at('before'), at('since')];
    const became: Became =
      (before.total === 0 && 'new') ||
      (now.total === 0 && 'gone') ||
      (weeksBefore < minWeeks ? 'early' : (known.get(index) ?? 'same'));
    const { number, url, isBot, date } = pull;
    const pullRequest = { number, url, isBot, date };
    return { path, became, before, since: now, weeksBefore, weeksSince, pullRequest, changes };
  });
  const isLarge = (row: (typeof described)[number]) =>
    Math.max(row.before.total ?? 0, row.since.total ?? 0) >= minForChange;
  const rows = described.filter(isLarge).toSorted((a, b) => {
    const rank = becameOrder.indexOf(a.became) - becameOrder.indexOf(b.became);
    return rank || (b.since.total ?? 0) - (a.since.total ?? 0) || byPath(a, b);
  });
  const few = described.length - rows.length;
  const isPart = ({ isWhole }: MergedPull) => !isWhole;
  const pullRequests = { read: pulls.length, partly: pulls.filter(isPart).length, unread, isLeast };
  return {
    rows,
    few,
    shared: shared.size,
    unvisited: unvisited.size,
    isTruncated: tree === undefined,
    pullRequests,
  };
}

/** `null` if it is unknown. */
function rounded(count = Number.NaN): number | null {
  return Number.isNaN(count) ? null : Math.round(10 * count) / 10;
}
