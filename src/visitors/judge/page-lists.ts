import type { VisitorsRow } from '../../service/schemas.ts';
import { ownWords, type Scrubbed } from '../../text/scrub.ts';
import { isRanked, type WindowRead } from '../read/window-read.ts';
import { hasEnoughWeeks, type Lists, type Page } from './method/level.ts';
import { findMoves, type Move } from './method/moved.ts';
import type { Section } from './method/stands-out.ts';
import { sum } from './method/statistics.ts';

/* Turns the lists of windows into pages with their people by week. */

/** The lists that pages are compared by, oldest first. The last one is this week's. */
export type SiteLists = Lists &
  Readonly<{
    /** They are whole, or else sorted by visitors. */
    reads: readonly WindowRead[];
    /** The pages that moved. Each is one of `pages`, at its new path. */
    moves: readonly Move[];
  }>;

/**
 * Gathers the whole lists, or if they are too few, all that are sorted by visitors. If the last two
 * weeks can't be compared, there is only this week's.
 */
export function gatherLists(now: WindowRead, earlier: readonly WindowRead[]): SiteLists {
  const before = earlier.at(-1);
  const ranked = [...earlier, now].filter(isComparable);
  const whole = ranked.filter(({ cut }) => cut === undefined);
  const usable = [whole, ranked].filter((reads) => {
    return before !== undefined && reads.includes(before) && reads.includes(now);
  });
  const lists = gatherPages(usable.find(hasEnoughWeeks) ?? usable[0] ?? [now]);
  return areWhole(lists) ? joinMoved(lists) : lists;
}

export function areWhole({ reads }: SiteLists): boolean {
  return reads.every(({ cut }) => cut === undefined);
}

/** Whether a list shows what people read most. */
export function isComparable(read: WindowRead): boolean {
  return isRanked(read) && hasReaders(read);
}

/** Whether a list shows pages that people read. */
export function hasReaders({ rows }: WindowRead): boolean {
  return rows.values().some(({ human = 0 }) => human > 0);
}

/**
 * The people that the service counted on pages in one of the lists, added up; `undefined` if one is
 * unknown because the list is cut before it, or because there is no such list.
 */
export function peopleOn(
  pages: readonly Page[],
  lists: SiteLists,
  week: number,
): number | undefined {
  const ifMissing = lists.maxMissing.at(week) === 0 ? 0 : undefined;
  let people = 0;
  for (const { rows } of pages) {
    const row = rows.at(week);
    const count = row === undefined ? ifMissing : row.human;
    if (count === undefined) return undefined;
    people += count;
  }
  return people;
}

/** Adds up the pages of each section. */
export function gatherSections(
  pages: readonly Page[],
  sectionOf: ReadonlyMap<string, Scrubbed>,
): Section[] {
  const groups = Map.groupBy(pages, ({ path }) => sectionOf.get(path) ?? ownWords('/'));
  return Array.from(groups, ([path, ofSection]) => {
    const weeks = ofSection[0]?.counts ?? [];
    const counts = weeks.map((_, week) => sum(ofSection.map((page) => page.counts[week] ?? 0)));
    return { path, pages: ofSection, counts };
  });
}

/** How many pages were visited this week. */
export function countVisited(pages: readonly Page[]): number {
  return pages.filter(({ rows }) => (rows.at(-1)?.total ?? 0) > 0).length;
}

/** Finds the pages that moved. Each has its earlier people, too. */
function joinMoved(lists: SiteLists): SiteLists {
  const moves = findMoves(lists.pages);
  const moved = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const joined = moves.map(({ from, to }) => ({
    path: to.path,
    rows: to.rows.map((row, week) => joinRows(from.rows[week], row)),
    counts: to.counts.map((count, week) => count + (from.counts[week] ?? 0)),
  }));
  const others = lists.pages.filter((page) => !moved.has(page));
  return { ...lists, moves, pages: [...others, ...joined] };
}

/** Gathers the pages of lists. Rows whose paths differ only in a final slash are one page. */
function gatherPages(reads: readonly WindowRead[]): SiteLists {
  const rowsByPage = new Map<string, (VisitorsRow | undefined)[]>();
  for (const [week, read] of reads.entries()) {
    for (const row of read.rows.values()) {
      const key = row.path.length > 1 && row.path.endsWith('/') ? row.path.slice(0, -1) : row.path;
      const rows = rowsByPage.get(key) ?? reads.map(() => undefined);
      rows[week] = joinRows(rows[week], row);
      rowsByPage.set(key, rows);
    }
  }
  // Months differ in length, so they are scaled to this one.
  const days = reads.at(-1)?.window.days ?? 0;
  const scales = reads.map(({ window }) => days / window.days);
  const maxMissing = reads.map((read, week) => (scales[week] ?? 1) * countMissing(read));
  const pages = Array.from(rowsByPage.values(), (rows) => {
    const path = rows.findLast((row) => row !== undefined)?.path ?? ownWords('');
    const counts = rows.map((row, week) => {
      if (row === undefined) return maxMissing[week] ?? 0;
      // Nothing that follows from an unknown count is larger or smaller than anything.
      return (scales[week] ?? 1) * (row.human ?? Number.NaN);
    });
    return { path, rows, counts };
  });
  return { reads, maxMissing, pages, moves: [] };
}

/** The most people that a page may have without being in a list. */
function countMissing({ cut, rows }: WindowRead): number {
  if (cut === undefined) return 0;
  return [...rows.values()].at(-1)?.total ?? 0;
}

/** Adds up two rows of a page in one list. The path of the more visited one is kept. */
function joinRows(
  first: VisitorsRow | undefined,
  second: VisitorsRow | undefined,
): VisitorsRow | undefined {
  if (first === undefined) return second;
  if (second === undefined) return first;
  const { path } = first.total < second.total ? second : first;
  const human = addCounts(first.human, second.human);
  const ai = addCounts(first.ai, second.ai);
  return { path, human, ai, total: first.total + second.total };
}

function addCounts(first: number | undefined, second: number | undefined): number | undefined {
  if (first === undefined || second === undefined) return undefined;
  return first + second;
}
