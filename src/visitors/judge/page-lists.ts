import type { VisitorsRow } from '../../service/schemas.ts';
import { ownWords, type Scrubbed } from '../../text/scrub.ts';
import { isRanked, minWeeks, type WindowRead } from '../read/window-read.ts';
import type { Lists, Page, PageRows } from './method/level.ts';
import { findMoves, type Move } from './method/moved.ts';
import type { Section } from './method/stands-out.ts';
import { sum } from './method/statistics.ts';

/* Turns the lists of windows into pages with their people by week. */

/** The lists that pages are compared by, oldest first. The last one is this week's. */
export type SiteLists = Lists &
  Readonly<{
    reads: readonly WindowRead[];
    /** Whether all lists are whole. If not, they are sorted by visitors. */
    areWhole: boolean;
    /** The pages that moved. Each is one of `pages`, at its new path. */
    moves: readonly Move[];
  }>;

/**
 * Gathers the whole lists, or if they are too few, all that are sorted by visitors. If the last two
 * weeks can't be compared, there is only this week's.
 */
export function gatherLists(now: WindowRead, earlier: readonly WindowRead[]): SiteLists {
  const before = earlier.at(-1);
  const hasLastTwo = (reads: readonly WindowRead[]) =>
    before !== undefined && reads.includes(before) && reads.includes(now);
  const ranked = [...earlier, now].filter(isComparable);
  const whole = ranked.filter(({ cut }) => cut === undefined);
  if (!hasLastTwo(ranked)) return gatherPages([now]);
  if (hasLastTwo(whole) && hasEnoughWeeks(whole)) return gatherWhole(whole);
  if (hasEnoughWeeks(ranked) || !hasLastTwo(whole)) return gatherPages(ranked);
  return gatherWhole(whole);
}

/** Whether there are enough weeks before the last two for pages to be judged. */
export function hasEnoughWeeks(reads: readonly WindowRead[]): boolean {
  return reads.length - 2 >= minWeeks;
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
 * The people that the service counted on a page in one of the lists; `undefined` if the list is cut
 * before it, or if there is no such list.
 */
export function peopleIn(page: Page, lists: SiteLists, week: number): number | undefined {
  const row = page.rows.at(week);
  if (row !== undefined) return row.human;
  return lists.maxMissing.at(week) === 0 ? 0 : undefined;
}

/** The people of several pages in one of the lists, added up; `undefined` if one is unknown. */
export function addPeople(
  pages: readonly Page[],
  lists: SiteLists,
  week: number,
): number | undefined {
  const counts = pages.map((page) => peopleIn(page, lists, week));
  if (counts.includes(undefined)) return undefined;
  return sum(counts.map((count) => count ?? 0));
}

/** Adds up the pages of each section. */
export function gatherSections(
  pages: readonly Page[],
  sectionOf: ReadonlyMap<string, Scrubbed>,
): Section[] {
  const groups = Map.groupBy(pages, ({ path }) => sectionOf.get(path) ?? ownWords('/'));
  return Array.from(groups, ([path, ofSection]) => {
    const weeks = [...(ofSection[0]?.counts.keys() ?? [])];
    const counts = weeks.map((week) => sum(ofSection.map(({ counts }) => counts[week] ?? 0)));
    return { path, pages: ofSection, counts };
  });
}

/** Gathers whole lists. A page that moved has its earlier rows, too. */
function gatherWhole(reads: readonly WindowRead[]): SiteLists {
  const lists = gatherPages(reads);
  const moves = findMoves(lists.pages);
  const moved = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const joined = moves.map(({ from, to }) => {
    const rows = to.rows.map((row, week) => joinRows(from.rows[week], row));
    return toPage(rows, lists);
  });
  const others = lists.pages.filter((page) => !moved.has(page));
  return { ...lists, moves, pages: [...others, ...joined] };
}

/** Gathers the pages of lists. Rows whose paths differ only in a final slash are one page. */
function gatherPages(reads: readonly WindowRead[]): SiteLists {
  const rowsByPage = new Map<string, (VisitorsRow | undefined)[]>();
  for (const [week, read] of reads.entries()) {
    for (const row of read.rows.values()) {
      const key = row.path === '/' ? row.path : row.path.replace(/\/$/, '');
      const rows = rowsByPage.get(key) ?? reads.map(() => undefined);
      rows[week] = joinRows(rows[week], row);
      rowsByPage.set(key, rows);
    }
  }
  const areWhole = reads.every(({ cut }) => cut === undefined);
  const lists = { reads, areWhole, maxMissing: reads.map((read) => findMaxMissing(read, reads)) };
  const pages = [...rowsByPage.values()].map((rows) => toPage(rows, lists));
  return { ...lists, pages, moves: [] };
}

function findMaxMissing(read: WindowRead, reads: readonly WindowRead[]): number {
  if (read.cut === undefined) return 0;
  const last = [...read.rows.values()].at(-1)?.total ?? 0;
  return scaleOf(read, reads) * last;
}

/** A page with its people by week: `NaN` if the service left out how many there were. */
function toPage(
  rows: PageRows,
  { reads, maxMissing }: Pick<SiteLists, 'reads' | 'maxMissing'>,
): Page {
  const counts = reads.map((read, week) => {
    const row = rows[week];
    if (row === undefined) return maxMissing[week] ?? 0;
    // Nothing that follows from an unknown count is larger or smaller than anything.
    return scaleOf(read, reads) * (row.human ?? Number.NaN);
  });
  const path = rows.findLast((row) => row !== undefined)?.path ?? ownWords('');
  return { path, rows, counts, isListed: rows.map((row) => row !== undefined) };
}

/** Months differ in length, so they are scaled to this one. */
function scaleOf({ window }: WindowRead, reads: readonly WindowRead[]): number {
  const now = reads.at(-1)?.window ?? window;
  return now.days / window.days;
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
