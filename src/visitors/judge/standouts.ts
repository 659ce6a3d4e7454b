import type { PathFilter } from '../../core/globs.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import { minWeeks, type WindowRead } from '../read/window-read.ts';
import { sideOf } from './method/compare.ts';
import { type Counts, hasEnoughWeeks, type Page } from './method/level.ts';
import { type ComparedRow, type Judgment, judgeRows } from './method/stands-out.ts';
import { mean } from './method/statistics.ts';
import type { GonePage, PagePeople, Scope } from './page-facts.ts';
import {
  areWhole,
  countVisited,
  gatherSections,
  hasReaders,
  isComparable,
  peopleOn,
  type SiteLists,
} from './page-lists.ts';
import { explainTooFew, hasNoPeople, type TooFew } from './people.ts';
import { byPath } from './site-pages.ts';

/* The pages and sections that stand out, or why none are judged. */

/**
 * A page or section whose last two weeks are both outside the range of the weeks before. Its people
 * are at this week's level. Only of a section: how many of its `pages` were visited this week.
 */
export type Standout = Readonly<ReturnType<typeof describeRow> & { pages?: number }>;

/** By what pages were judged. */
export type Judging = Readonly<NonNullable<ReturnType<typeof describeJudging>>>;

/** Why no page was judged. */
export type NotJudged =
  | TooFew
  | Readonly<{ cause: 'not-compared' | 'no-people' | 'no-people-before' | 'few-people' }>;

/** Whether pages aren't judged because of lists that weren't read, or not in full. */
export function lacksLists(why: NotJudged | undefined): why is TooFew {
  return why?.cause === 'unread' || why?.cause === 'unranked';
}

/**
 * The page to look at first, because it lost the most people. `gone`: no one reads it anymore. If no
 * page fell, it is a section, with its number of `pages`. `human`: how many it lost. `isLeast`: it may
 * have lost more, because a list was cut before it.
 */
export type CheckFirst =
  | (PagePeople & Readonly<{ side: 'fewer'; pages?: number; isLeast?: true }>)
  | (GonePage & Readonly<{ side: 'gone' }>);

/** The lists by which pages are compared, and how they were judged. */
export type SiteComparison = Readonly<{ lists: SiteLists; judgment: Judgment }>;

export function findStandouts(
  { now, earlier }: Pick<SiteWindows, 'now' | 'earlier'>,
  lists: SiteLists,
  { isChosen, sectionOf }: Scope,
) {
  const sections = areWhole(lists) ? gatherSections(lists.pages, sectionOf) : [];
  const judgment = judgeRows(lists, sections);
  const judging = describeJudging(judgment, lists, isChosen);
  const compared: SiteComparison = { lists, judgment };
  return {
    /** By what pages were judged; `undefined` if the weeks are too few. */
    judging,
    /** Why no page was judged; `undefined` if one was. */
    whyNotJudged: explainNotJudged(now, earlier, judging),
    standingOut: listStandouts(compared, isChosen),
    /** What the pages that changed are compared by. */
    compared,
  };
}

/** Sections first, then what fell, and then by the people that a row lost or gained. */
function listStandouts({ lists, judgment }: SiteComparison, isChosen: PathFilter): Standout[] {
  const sections = judgment.sections
    .filter(({ row }) => row.pages.every(({ path }) => isChosen(path)))
    .map((section) => {
      const { pages } = section.row;
      return { ...describeRow(section, pages, lists), pages: countVisited(pages) };
    });
  const pages = judgment.pages
    .filter(({ row }) => isChosen(row.path))
    .map((page) => describeRow(page, [page.row], lists));
  return [...sections.sort(byLoss), ...pages.sort(byLoss)];
}

function byLoss(a: Standout, b: Standout): number {
  if (a.side !== b.side) return a.side === 'fewer' ? -1 : 1;
  return Math.abs(b.difference) - Math.abs(a.difference) || byPath(a, b);
}

function describeRow({ row, comparison }: ComparedRow, pages: readonly Page[], lists: SiteLists) {
  const { leveled, usually } = comparison;
  const side = sideOf(comparison);
  return {
    path: row.path,
    side,
    /** The people last week and this week, rounded away from the range. */
    weeks: roundWeeks(leveled.since, side),
    /** The fewest and the most people in the weeks before, rounded inward. */
    ...roundRange(leveled.before),
    /** How many more people read it than before, a week. Negative if it is fewer. */
    difference: mean(leveled.since) - usually,
    /**
     * The people as the service counted them, in each of the weeks, oldest first; `undefined` where
     * a list was cut before the page, so that it had at most as many people as shown.
     */
    counted: lists.reads.map((_, week) => peopleOn(pages, lists, week)),
  };
}

/** Rounding errors must not move a whole number. */
const roundingError = 1e-9;

function roundWeeks(since: Counts, side: 'more' | 'fewer') {
  const [before = 0, now = 0] = since.map((count) => {
    if (side === 'more') return Math.ceil(count - roundingError);
    return Math.floor(count + roundingError);
  });
  return [before, now] as const;
}

function roundRange(before: Counts) {
  const low = Math.max(0, Math.ceil(Math.min(...before) - roundingError));
  const high = Math.floor(Math.max(...before) + roundingError);
  return { low, high: Math.max(low, high) };
}

function describeJudging(
  { judgedPages, levels }: Judgment,
  lists: SiteLists,
  isChosen: PathFilter,
) {
  if (!hasEnoughWeeks(levels)) return undefined;
  return {
    /** Whether all pages were compared, or only the most-read ones. */
    areWhole: areWhole(lists),
    pages: judgedPages.filter(({ path }) => isChosen(path)).length,
    /** The weeks, oldest first, this one included, and what their people were multiplied by. */
    weeks: lists.reads.map(({ window }, week) => ({ window, level: levels[week] ?? 1 })),
  };
}

function explainNotJudged(
  now: WindowRead,
  earlier: readonly WindowRead[],
  judging: Judging | undefined,
): NotJudged | undefined {
  const before = earlier.at(-1);
  if (before === undefined) return { cause: 'not-compared' };
  if (hasNoPeople(now)) return { cause: 'no-people' };
  if (judging !== undefined) return judging.pages > 0 ? undefined : { cause: 'few-people' };
  // The week before isn't one of those that show what is usual.
  const tooFew = explainFewLists(now, earlier, minWeeks + 1);
  if (tooFew !== undefined) return tooFew;
  if (hasNoPeople(before)) return { cause: 'no-people-before' };
  // There are enough weeks, but one of the last two wasn’t read.
  return explainFewLists(now, [before, now], 2);
}

/** Why fewer lists than needed show what people read most; `undefined` if there are enough. */
function explainFewLists(
  now: WindowRead,
  reads: readonly WindowRead[],
  needed: number,
): TooFew | undefined {
  const why = explainTooFew(now, reads, needed, isComparable);
  if (why?.cause !== 'unread' || reads.filter(hasReaders).length < needed) return why;
  return { ...why, cause: 'unranked' };
}

/**
 * Chooses the page that lost the most people, of those that fell or that no one reads anymore, or
 * else the section.
 */
export function chooseCheckFirst(
  standouts: readonly Standout[],
  gone: readonly GonePage[],
): CheckFirst | undefined {
  const losses: CheckFirst[] = gone.map((page) => ({ ...page, side: 'gone' }));
  const sections: CheckFirst[] = [];
  for (const { path, pages, side, difference, counted } of standouts) {
    if (side !== 'fewer') continue;
    const isLeast = counted.includes(undefined) && { isLeast: true as const };
    const loss = { path, side, human: -difference, ...isLeast };
    if (pages === undefined) losses.push(loss);
    else sections.push({ ...loss, pages });
  }
  const [first] = (losses.length > 0 ? losses : sections).sort(
    (a, b) => b.human - a.human || byPath(a, b),
  );
  return first && { ...first, human: Math.round(first.human) };
}
