import type { VisitorsRow } from '../../service/schemas.ts';
import { isRanked, minWeeks, type WindowRead } from '../read/window-read.ts';
import type { Counts, ListedPage, Lists } from './method/level.ts';
import { findMoves, type Move } from './method/moved.ts';
import type { Section } from './method/stands-out.ts';
import { sum } from './method/statistics.ts';

/* Turns the lists of windows into pages with their people by week. */

/** A page of a site, and its row in each list. */
export type Page = ListedPage & Readonly<{ rows: PageRows }>;

type PageRows = readonly (VisitorsRow | undefined)[];

/** The lists that pages are compared by, oldest first. The last one is this week's. */
export type SiteLists = Lists<Page> &
  Readonly<{
    reads: readonly WindowRead[];
    /** Whether all lists are whole. If not, they are sorted by visitors. */
    areWhole: boolean;
    /** The pages that moved. Each is one of `pages`, at its new path. */
    moves: readonly Move<Page>[];
  }>;

/**
 * Gathers the whole lists, or if they are too few, all that are sorted by visitors. `undefined` if
 * the last two weeks can't be compared.
 */
export function gatherLists(
  now: WindowRead,
  earlier: readonly WindowRead[],
): SiteLists | undefined {
  const before = earlier.at(-1);
  const withPeople = [...earlier, now].filter(hasPeople);
  const hasLastTwo = (reads: readonly WindowRead[]) =>
    before !== undefined && reads.includes(before) && reads.includes(now);
  const whole = withPeople.filter(({ cut }) => cut === undefined);
  const ranked = withPeople.filter(isRanked);
  if (hasLastTwo(whole) && hasEnoughWeeks(whole)) return gatherWhole(whole);
  if (hasLastTwo(ranked) && hasEnoughWeeks(ranked)) return gatherRanked(ranked);
  if (hasLastTwo(whole)) return gatherWhole(whole);
  if (hasLastTwo(ranked)) return gatherRanked(ranked);
  return undefined;
}

/** Whether there are enough weeks before the last two for pages to be judged. */
export function hasEnoughWeeks(reads: readonly WindowRead[]): boolean {
  return reads.length - 2 >= minWeeks;
}

/** Whether a list shows what people read. */
export function hasPeople({ rows }: WindowRead): boolean {
  return rows.values().some(({ human = 0 }) => human > 0);
}

/** The people of a page in one of the lists; `undefined` if the list is cut before it. */
export function peopleIn(page: Page, lists: SiteLists, week: number): number | undefined {
  const row = page.rows.at(week);
  if (row !== undefined) return row.human;
  return lists.maxMissing.at(week) === 0 ? 0 : undefined;
}

/** Adds up the pages of each section. */
export function gatherSections(
  pages: readonly Page[],
  sectionOf: ReadonlyMap<string, string>,
): Section<Page>[] {
  const groups = Map.groupBy(pages, ({ path }) => sectionOf.get(path) ?? '/');
  return Array.from(groups, ([path, ofSection]) => {
    const weeks = [...(ofSection[0]?.counts.keys() ?? [])];
    const counts = weeks.map((week) => sum(ofSection.map(({ counts }) => counts[week] ?? 0)));
    return { path, pages: ofSection, counts };
  });
}

/** Rows whose paths differ only in a final slash are one page. */
export function joinSlashes(rows: Iterable<VisitorsRow>): VisitorsRow[] {
  const joined = new Map<string, VisitorsRow>();
  for (const row of rows) {
    const key = withoutFinalSlash(row.path);
    joined.set(key, addRows(joined.get(key), row));
  }
  return [...joined.values()];
}

function gatherWhole(reads: readonly WindowRead[]): SiteLists {
  const maxMissing = reads.map(() => 0);
  const pages = gatherPages(reads, maxMissing);
  const moves = findMoves(pages);
  const moved = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const joined = moves.flatMap(({ from, to }) => {
    const rows = to.rows.map((row, week) => joinRows(from.rows[week], row));
    return toPage(rows, reads, maxMissing) ?? [];
  });
  const others = pages.filter((page) => !moved.has(page));
  return { reads, areWhole: true, maxMissing, moves, pages: [...others, ...joined] };
}

function gatherRanked(reads: readonly WindowRead[]): SiteLists {
  const maxMissing = reads.map((read) => {
    if (read.cut === undefined) return 0;
    const last = [...read.rows.values()].at(-1)?.total ?? 0;
    return scaleOf(read, reads) * last;
  });
  const pages = gatherPages(reads, maxMissing);
  return { reads, areWhole: false, maxMissing, moves: [], pages };
}

function gatherPages(reads: readonly WindowRead[], maxMissing: Counts): Page[] {
  const rowsByPage = new Map<string, PageRows>();
  for (const [week, read] of reads.entries()) {
    for (const row of joinSlashes(read.rows.values())) {
      const key = withoutFinalSlash(row.path);
      const rows = rowsByPage.get(key) ?? reads.map(() => undefined);
      rowsByPage.set(key, rows.with(week, row));
    }
  }
  return [...rowsByPage.values()].flatMap((rows) => toPage(rows, reads, maxMissing) ?? []);
}

/** A page with its people by week; `undefined` if the service left out how many there were. */
function toPage(
  rows: PageRows,
  reads: readonly WindowRead[],
  maxMissing: Counts,
): Page | undefined {
  const isUncounted = rows.some((row) => row !== undefined && row.human === undefined);
  if (isUncounted) return undefined;
  const counts = reads.map((read, week) => {
    const row = rows[week];
    if (row === undefined) return maxMissing[week] ?? 0;
    return scaleOf(read, reads) * (row.human ?? 0);
  });
  const path = rows.findLast((row) => row !== undefined)?.path ?? '';
  return { path, rows, counts, isListed: rows.map((row) => row !== undefined) };
}

/** Months differ in length, so they are scaled to this one. */
function scaleOf({ window }: WindowRead, reads: readonly WindowRead[]): number {
  const now = reads.at(-1)?.window ?? window;
  return now.days / window.days;
}

function withoutFinalSlash(path: string): string {
  if (path === '/') return path;
  return path.replace(/\/$/, '');
}

/** A moved page's row. In the week of the move, both may be listed. */
function joinRows(from: VisitorsRow | undefined, to: VisitorsRow | undefined) {
  return to === undefined ? from : addRows(from, to);
}

function addRows(first: VisitorsRow | undefined, second: VisitorsRow): VisitorsRow {
  if (first === undefined) return second;
  const larger = first.total < second.total ? second : first;
  return {
    path: larger.path,
    human: addCounts(first.human, second.human),
    ai: addCounts(first.ai, second.ai),
    total: first.total + second.total,
  };
}

function addCounts(first: number | undefined, second: number | undefined): number | undefined {
  if (first === undefined || second === undefined) return undefined;
  return first + second;
}
