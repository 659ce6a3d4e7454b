import type { PathFilter } from '../../core/globs.ts';
import type { ChangesRead, MergedPull } from '../read/read-changes.ts';
import { minWeeks } from '../read/window-read.ts';
import { pageFinder } from './changed-files.ts';
import { byPath } from './site-pages.ts';
import { aroundChange, leveled, meansOf, rule, standOutSince } from './unusual-rows.ts';
import type { SiteCounts } from './usual-pages.ts';

/** Pages with fewer visitors a week, before and since, are only counted. */
export const minForChange = 10;

/** What became of a page: `crawled` if only AI made it rise, `early` if too few weeks before the change are known. */
const becameOrder = ['more', 'fewer', 'new', 'gone', 'crawled', 'same', 'early'] as const;

/** A page that changed, and its visitors before and since, a week. */
export type ChangedPage = ReturnType<typeof changedPages>['rows'][number];

/** What became of a site's pages that changed. */
export type Changed =
  | { readonly problem: string; readonly rows?: never }
  | (ReturnType<typeof changedPages> & { readonly problem?: never });

/** Finds the pages that pull requests changed, and compares their visitors since with those before. */
export function changedPages(
  { pulls, tree, unread, isLeast }: Exclude<ChangesRead, { readonly problem: string }>,
  { all, most, pages, visitsBy }: SiteCounts,
  isChosen: PathFilter,
) {
  const reads = all.map(({ read }) => read);
  const totals = new Map<string, number>();
  for (const { rows } of reads)
    for (const { path, total } of rows.values()) totals.set(path, (totals.get(path) ?? 0) + total);
  const visited = [...totals].sort((a, b) => a[1] - b[1]).map(([path]) => path);
  const pageOf = pageFinder(tree, visited);
  const touched = new Map<string, Set<MergedPull>>();
  const [shared, unvisited] = [new Set(), new Set()];
  // The oldest first.
  for (const pull of pulls.toReversed()) {
    for (const file of pull.paths) {
      const page = pageOf(file);
      if (page?.isShared) shared.add(file);
      else if (page && page.visited === undefined) unvisited.add(file);
      if (page?.visited === undefined || !isChosen(page.visited)) continue;
      touched.set(page.visited, (touched.get(page.visited) ?? new Set()).add(pull));
    }
  }

  // A page that wasn’t read may have had visitors.
  const unsure = most === undefined ? reads.slice(-1).filter(({ cut }) => cut) : reads;
  const isListed = (path: string) => unsure.every(({ rows }) => rows.has(path));
  const changed = pages.flatMap((page) => {
    const spans = Array.from(touched.get(page.path) ?? [], (pull) => ({
      pull,
      before: reads.slice(0, -1).filter(({ window }) => window.end <= pull.date).length,
      weeks: Math.min(rule.maxSince, reads.filter(({ window }) => window.start > pull.date).length),
    }));
    const first = spans.findIndex(({ before, weeks }) => before > 0 && weeks > 0);
    const span = spans[first];
    return span && isListed(page.path) ? { ...page, ...span, changes: spans.length - first } : [];
  });
  const { levels, became: known } = standOutSince(pages, changed, (row) => visitsBy('human', row));
  const described = changed.map((span) => {
    const { path, counts, pull, changes, before: weeksBefore, weeks: weeksSince } = span;
    const [total, human, ai] = [counts, visitsBy('human', span), visitsBy('ai', span)].map(
      (visits) => meansOf(aroundChange(leveled(visits, levels), span), weeksSince),
    );
    const at = (side: 'base' | 'value') => ({
      total: rounded(total?.[side]),
      human: rounded(human?.[side]),
      ai: rounded(ai?.[side]),
    });
    const [before, since] = [at('base'), at('value')];
    const became: (typeof becameOrder)[number] =
      (before.total === 0 && 'new') ||
      (since.total === 0 && 'gone') ||
      (weeksBefore < minWeeks ? 'early' : (known.get(path) ?? 'same'));
    const { number, url, isBot, date } = pull;
    const pullRequest = { number, url, isBot, date };
    return { path, became, before, since, weeksBefore, weeksSince, pullRequest, changes };
  });
  const rows = described
    .filter(({ before, since }) => Math.max(before.total ?? 0, since.total ?? 0) >= minForChange)
    .toSorted((a, b) => {
      const rank = becameOrder.indexOf(a.became) - becameOrder.indexOf(b.became);
      return rank || (b.since.total ?? 0) - (a.since.total ?? 0) || byPath(a, b);
    });
  const partly = pulls.filter(({ isWhole }) => !isWhole).length;
  return {
    rows,
    few: described.length - rows.length,
    shared: shared.size,
    unvisited: unvisited.size,
    isTruncated: tree === undefined,
    pullRequests: { read: pulls.length, partly, unread, isLeast },
  };
}

/** `null` if it is unknown. */
function rounded(count = Number.NaN): number | null {
  return Number.isNaN(count) ? null : Math.round(10 * count) / 10;
}
