import type { PathFilter } from '../../../core/globs.ts';
import type { Scrubbed } from '../../../text/scrub.ts';
import type { ChangesRead, MergedChanges, MergedPull } from '../../read/read-changes.ts';
import type { WindowRead } from '../../read/window-read.ts';
import type { Findings } from '../findings.ts';
import { becameOrder, judgeChanged } from '../method/changed.ts';
import type { Page } from '../method/level.ts';
import { rule } from '../method/rule.ts';
import { mean, sum } from '../method/statistics.ts';
import { areWhole, type SiteLists } from '../page-lists.ts';
import { byPath } from '../site-pages.ts';
import type { SiteComparison } from '../standouts.ts';
import { createPageFinder } from './changed-files.ts';

/** Pages with fewer people a week, before and since, are only counted. */
export const minForChange = 10;

/** A page that changed, and who read it before and since. */
export type ChangedPage = Readonly<ReturnType<typeof comparePages>[number]>;

/** What became of a site's pages that changed, or why that is unknown. */
export type Changed =
  | { readonly problem: string; readonly rows?: never }
  | (ReturnType<typeof compareChangedPages> & { readonly problem?: never });

/** A page that changed, and the weeks before its first change and since. */
type ChangedRow = Page & NonNullable<ReturnType<typeof findChange>>;

/** What became of the pages, or why that is unknown; `undefined` if nothing can be compared. */
export function judgeChanges(
  changes: ChangesRead,
  findings: Findings,
  isChosen: PathFilter,
): Changed | undefined {
  if ('problem' in changes) return changes;
  if (findings.compared.lists.reads.length < 2) return undefined;
  return compareChangedPages(changes, findings, isChosen);
}

/** Finds the pages that pull requests changed, and compares their people before and since. */
function compareChangedPages(
  changes: MergedChanges,
  { compared, usual }: Findings,
  isChosen: PathFilter,
) {
  const { lists } = compared;
  const { pulls, tree } = changes;
  const pageOf = createPageFinder(tree, listVisitedPaths(lists));
  const touched = findTouched(pulls, pageOf, lists, isChosen);
  const pages = comparePages(listChanged(touched.pages, lists), compared);
  const rows = pages.filter(({ before, since }) => {
    return Math.max(before.human, since.human) >= minForChange;
  });
  return {
    rows: rows.sort(byChange),
    /** How many visited pages changed, also those that can't be compared. */
    touched: touched.pages.size,
    few: pages.length - rows.length,
    shared: touched.shared.size,
    unvisited: touched.unvisited.size,
    isTruncated: tree === undefined,
    hasSwings: hasSwings(rows, lists, usual.human),
    pullRequests: {
      read: pulls.length,
      partly: pulls.filter(({ isWhole }) => !isWhole).length,
      unread: changes.unread,
      isLeast: changes.isLeast,
    },
  };
}

/** The paths of all pages, the most visited last. A page that moved has two. */
function listVisitedPaths({ pages, moves }: SiteLists): Scrubbed[] {
  const visitsOf = ({ rows }: Page) => sum(rows.map((row) => row?.total ?? 0));
  const visits = new Map(pages.map((page) => [page.path, visitsOf(page)]));
  for (const { from } of moves) visits.set(from.path, visitsOf(from));
  return [...visits].sort(([, a], [, b]) => a - b).map(([path]) => path);
}

/** Finds the chosen pages that pull requests touched, and the files that are on no visited page. */
function findTouched(
  pulls: readonly MergedPull[],
  pageOf: ReturnType<typeof createPageFinder>,
  { moves }: SiteLists,
  isChosen: PathFilter,
) {
  const newPaths = new Map(moves.map(({ from, to }) => [from.path, to.path]));
  const pages = new Map<string, Set<MergedPull>>();
  const shared = new Set<string>();
  const unvisited = new Set<string>();
  // The oldest first.
  for (const pull of pulls.toReversed()) {
    for (const file of pull.paths) {
      const page = pageOf(file);
      if (page?.isShared) shared.add(file);
      if (page === undefined || page.isShared) continue;
      if (page.visited === undefined) {
        unvisited.add(file);
        continue;
      }
      const path = newPaths.get(page.visited) ?? page.visited;
      if (isChosen(path)) pages.set(path, (pages.get(path) ?? new Set()).add(pull));
    }
  }
  return { pages, shared, unvisited };
}

/** Finds the first change with a week before it and one since, and counts it and those after it. */
function findChange(pulls: Iterable<MergedPull>, reads: readonly WindowRead[]) {
  const spans = Array.from(pulls, (pull) => {
    const weeksBefore = reads.slice(0, -1).filter(({ window }) => window.end <= pull.date).length;
    const since = reads.filter(({ window }) => window.start > pull.date).length;
    return { pull, weeksBefore, weeksSince: Math.min(rule.maxWeeksSince, since) };
  });
  const first = spans.findIndex(({ weeksBefore, weeksSince }) => weeksBefore > 0 && weeksSince > 0);
  const span = spans[first];
  return span && { ...span, changes: spans.length - first };
}

/** The touched pages that can be compared, each with its first change that can be. */
function listChanged(
  touched: ReadonlyMap<string, Iterable<MergedPull>>,
  lists: SiteLists,
): ChangedRow[] {
  const isWhole = areWhole(lists);
  return lists.pages.flatMap((page) => {
    // A page that wasn’t read may have had visitors.
    if (!isWhole && page.rows.includes(undefined)) return [];
    const change = findChange(touched.get(page.path) ?? [], lists.reads);
    return change === undefined ? [] : { ...page, ...change };
  });
}

function comparePages(changed: readonly ChangedRow[], { judgment }: SiteComparison) {
  return judgeChanged(changed, judgment.levels, judgment.unrest).map((judged) => {
    const { page } = judged;
    const { pull, weeksBefore } = page;
    return {
      path: page.path,
      became: judged.became,
      // Visitors a week. Only people are at this week’s level, because AI is a fact.
      before: { human: round(judged.before), ai: averageAi(page.rows.slice(0, weeksBefore)) },
      since: { human: round(judged.since), ai: averageAi(page.rows.slice(-page.weeksSince)) },
      weeksBefore,
      weeksSince: page.weeksSince,
      pullRequest: { number: pull.number, url: pull.url, isBot: pull.isBot, date: pull.date },
      /** How many pull requests changed it, beginning with that one. */
      changes: page.changes,
    };
  });
}

/** `null` if the service didn't give a count. */
function averageAi(rows: Page['rows']): number | null {
  // A page that isn't listed had no visitors.
  const average = mean(rows.map((row) => (row === undefined ? 0 : (row.ai ?? Number.NaN))));
  return Number.isNaN(average) ? null : round(average);
}

/**
 * Whether the site’s people were outside their usual range in a week since the first change. Only
 * weekly reports are about changes, so no week is longer than another.
 */
function hasSwings(
  rows: readonly ChangedPage[],
  { reads }: SiteLists,
  usual: Findings['usual']['human'],
): boolean {
  if (usual === undefined) return false;
  const days = rows.map(({ pullRequest }) => pullRequest.date);
  return reads.some(({ window, totals: { human } }) => {
    const isSince = days.some((day) => window.end > day);
    return isSince && human !== undefined && (human < usual.low || human > usual.high);
  });
}

/** The most telling changes first, and the most read pages first. */
function byChange(a: ChangedPage, b: ChangedPage): number {
  const ranks = becameOrder.indexOf(a.became) - becameOrder.indexOf(b.became);
  if (ranks !== 0) return ranks;
  return b.since.human - a.since.human || byPath(a, b);
}

/** Rounds to tenths. */
const round = (count: number) => Math.round(10 * count) / 10;
