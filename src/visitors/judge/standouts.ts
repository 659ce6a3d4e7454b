import type { PathFilter } from '../../core/globs.ts';
import type { Window } from '../read/window.ts';
import {
  type Cut,
  isRanked,
  isSilent,
  lackOf,
  minWeeks,
  type WindowRead,
} from '../read/window-read.ts';
import type { Counts } from './method/level.ts';
import { type ComparedRow, type Judgment, judgeRows, type Section } from './method/stands-out.ts';
import { mean, sum } from './method/statistics.ts';
import {
  gatherSections,
  hasEnoughWeeks,
  hasPeople,
  type Page,
  peopleIn,
  type SiteLists,
} from './page-lists.ts';
import { byPath } from './site-pages.ts';

/* The pages and sections that stand out, or why none are judged. */

/**
 * A page or section whose last two weeks are both outside the range of the weeks before. Its people
 * are at this week's level.
 */
export type Standout = Readonly<{
  path: string;
  /** Only of a section: how many of its pages were visited this week. */
  pages?: number;
  side: 'more' | 'fewer';
  /** The people last week and this week, rounded away from the range. */
  weeks: readonly [before: number, now: number];
  /** The fewest and the most people in the weeks before, rounded inward. */
  low: number;
  high: number;
  /** How many more people read it than before, a week. Negative if it is fewer. */
  difference: number;
  /** Of which numbers only the most is known, because a list was cut before the page. */
  isAtMost: Readonly<{ weeks: readonly [before: boolean, now: boolean]; range: boolean }>;
  /** The people as the service counted them, in each window, oldest first; this one is the last. */
  counted: readonly (number | undefined)[];
}>;

/** By what pages were judged. */
export type Judging = Readonly<{
  /** How many weeks before the last two they were compared with. */
  weeks: number;
  /** Whether all pages were compared, or only the most-read ones. */
  areWhole: boolean;
  /** How many of the chosen pages were judged. */
  pages: number;
  /** What the people of earlier weeks were multiplied by, oldest first. */
  levels: readonly Readonly<{ window: Window; level: number }>[];
}>;

/** Why no page was judged. `usable` windows have lists of pages with people; `unread` ones may. */
export type NotJudged = Readonly<
  | { cause: 'not-compared' | 'no-people' | 'no-people-before' | 'few-people' }
  | {
      cause: 'low-baseline' | 'unread' | 'few-weeks';
      usable: number;
      unread: number;
      cut?: Cut | undefined;
      /** How many more windows a young site needs. */
      lacking?: number;
    }
>;

/** The page to look at first, because it lost the most people. `gone`: no one reads it anymore. */
export type CheckFirst = Readonly<{
  path: string;
  side: 'fewer' | 'gone';
  /** How many people it lost. */
  people: number;
}>;

/** Without enough weeks, pages can't be judged, and levels are unknown. */
function judgeNone(lists: SiteLists): Judgment<Page> {
  return {
    levels: lists.maxMissing.map(() => 1),
    unrest: { typicalVariance: 0, restlessness: 1 },
    judgedPages: [],
    pages: [],
    sections: [],
  };
}

/** Judges the pages and sections of a site. */
export function judgeLists(
  lists: SiteLists,
  sectionOf: ReadonlyMap<string, string>,
): Judgment<Page> {
  if (!hasEnoughWeeks(lists.reads)) return judgeNone(lists);
  const sections = lists.areWhole ? gatherSections(lists.pages, sectionOf) : [];
  return judgeRows(lists, sections);
}

/** The chosen rows that stand out: sections first, and what fell first; by the people it lost. */
export function listStandouts(
  judgment: Judgment<Page>,
  lists: SiteLists,
  earlier: readonly WindowRead[],
  isChosen: PathFilter,
): Standout[] {
  const windows = [...earlier, ...lists.reads.slice(-1)];
  const areChosen = ({ row }: ComparedRow<Section<Page>>) =>
    row.pages.every(({ path }) => isChosen(path));
  const sections = judgment.sections.filter(areChosen).map((section) => {
    const { pages } = section.row;
    const visited = pages.filter(({ rows }) => (rows.at(-1)?.total ?? 0) > 0).length;
    return { ...describeRow(section, pages, lists, windows), pages: visited };
  });
  const pages = judgment.pages
    .filter(({ row }) => isChosen(row.path))
    .map((page) => describeRow(page, [page.row], lists, windows));
  return [...sections.toSorted(byLoss), ...pages.toSorted(byLoss)];
}

/** What fell comes first, and what lost or gained the most people. */
function byLoss(a: Standout, b: Standout): number {
  if (a.side !== b.side) return a.side === 'fewer' ? -1 : 1;
  return Math.abs(b.difference) - Math.abs(a.difference) || byPath(a, b);
}

function describeRow(
  { row, comparison }: ComparedRow,
  pages: readonly Page[],
  lists: SiteLists,
  windows: readonly WindowRead[],
): Standout {
  const { leveled, usually } = comparison;
  const side = comparison.difference > 0 ? 'more' : 'fewer';
  const missing = lists.reads.map((_, week) =>
    pages.some((page) => peopleIn(page, lists, week) === undefined),
  );
  const [missesBefore = false, missesNow = false] = missing.slice(-2);
  return {
    path: row.path,
    side,
    weeks: roundWeeks(leveled.since, side),
    ...roundRange(leveled.before),
    difference: mean(leveled.since) - usually,
    isAtMost: { weeks: [missesBefore, missesNow], range: missing.slice(0, -2).includes(true) },
    counted: windows.map((window) => countIn(window, pages, lists)),
  };
}

/** The people that the service counted in a window; `undefined` if they are unknown. */
function countIn(window: WindowRead, pages: readonly Page[], lists: SiteLists): number | undefined {
  const week = lists.reads.indexOf(window);
  if (week < 0) return undefined;
  const counts = pages.map((page) => peopleIn(page, lists, week));
  return counts.includes(undefined) ? undefined : sum(counts.map((count) => count ?? 0));
}

/** Rounding errors must not move a whole number. */
const roundingError = 1e-9;

function roundWeeks(since: Counts, side: Standout['side']): Standout['weeks'] {
  const [before = 0, now = 0] = since.map((count) => {
    if (side === 'more') return Math.ceil(count - roundingError);
    return Math.floor(count + roundingError);
  });
  return [before, now];
}

function roundRange(before: Counts) {
  const low = Math.ceil(Math.min(...before) - roundingError);
  const high = Math.floor(Math.max(...before) + roundingError);
  return { low, high: Math.max(low, high) };
}

/** Describes by what pages were judged; `undefined` if the weeks are too few. */
export function describeJudging(
  judgment: Judgment<Page>,
  lists: SiteLists,
  isChosen: PathFilter,
): Judging | undefined {
  if (!hasEnoughWeeks(lists.reads)) return undefined;
  const earlier = lists.reads.slice(0, -1);
  return {
    weeks: earlier.length - 1,
    areWhole: lists.areWhole,
    pages: judgment.judgedPages.filter(({ path }) => isChosen(path)).length,
    levels: earlier.map(({ window }, week) => ({ window, level: judgment.levels[week] ?? 1 })),
  };
}

/** Why no page was judged; `undefined` if one was. */
export function explainNotJudged(
  now: WindowRead,
  earlier: readonly WindowRead[],
  judging: Judging | undefined,
): NotJudged | undefined {
  const before = earlier.at(-1);
  if (before === undefined) return { cause: 'not-compared' };
  if (hasNoPeople(now)) return { cause: 'no-people' };
  if (judging !== undefined) return judging.pages > 0 ? undefined : { cause: 'few-people' };
  const usable = earlier.filter(isComparable).length;
  const unread = earlier.filter((past) => !isComparable(past) && !hasNoPeople(past));
  const known = { usable, unread: unread.length };
  // The week before isn't one of those that show what is usual.
  const needed = minWeeks + 1;
  if (earlier.length < needed) return { ...known, cause: 'low-baseline' };
  if (!isComparable(now)) return { ...known, cause: 'unread', cut: lackOf(now) };
  if (usable + unread.length < needed) {
    const lacking = needed - usable;
    return { ...known, cause: 'few-weeks', ...(unread.length === 0 && { lacking }) };
  }
  if (hasNoPeople(before)) return { cause: 'no-people-before' };
  const [missing] = isComparable(before) ? unread : [before];
  return { ...known, cause: 'unread', cut: missing && lackOf(missing) };
}

const isComparable = (read: WindowRead) => hasPeople(read) && isRanked(read);

const hasNoPeople = (read: WindowRead) => isSilent(read) || read.totals.human === 0;

/** Chooses the page that lost the most people, of those that fell or that no one reads anymore. */
export function chooseCheckFirst(
  standouts: readonly Standout[],
  gone: readonly Readonly<{ path: string; people: number }>[],
): CheckFirst | undefined {
  const fallen = standouts.filter(({ pages, side }) => pages === undefined && side === 'fewer');
  const losses: CheckFirst[] = [
    ...fallen.map(({ path, difference }) => ({
      path,
      side: 'fewer' as const,
      people: -difference,
    })),
    ...gone.map(({ path, people }) => ({ path, side: 'gone' as const, people })),
  ];
  losses.sort((a, b) => b.people - a.people || byPath(a, b));
  const [first] = losses;
  return first && { ...first, people: Math.round(first.people) };
}
