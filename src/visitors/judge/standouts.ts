import type { PathFilter } from '../../core/globs.ts';
import type { Scrubbed } from '../../text/scrub.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import type { Window } from '../read/window.ts';
import { minWeeks, type WindowRead } from '../read/window-read.ts';
import type { Counts, Page } from './method/level.ts';
import { type ComparedRow, type Judgment, judgeRows, type Section } from './method/stands-out.ts';
import { mean } from './method/statistics.ts';
import type { PagePeople, Scope } from './page-facts.ts';
import {
  addPeople,
  gatherSections,
  hasEnoughWeeks,
  hasReaders,
  isComparable,
  type SiteLists,
} from './page-lists.ts';
import { explainTooFew, hasNoPeople, type TooFew } from './people.ts';
import { byPath } from './site-pages.ts';

/* The pages and sections that stand out, or why none are judged. */

/**
 * A page or section whose last two weeks are both outside the range of the weeks before. Its people
 * are at this week's level.
 */
export type Standout = Readonly<{
  path: Scrubbed;
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
  /**
   * The people as the service counted them, in each of the weeks, oldest first; `undefined` where a
   * list was cut before the page, so that it had at most as many people as shown.
   */
  counted: readonly (number | undefined)[];
}>;

/** By what pages were judged. */
export type Judging = Readonly<{
  /** Whether all pages were compared, or only the most-read ones. */
  areWhole: boolean;
  /** How many of the chosen pages were judged. */
  pages: number;
  /** The weeks, oldest first, this one included, and what their people were multiplied by. */
  weeks: readonly Readonly<{ window: Window; level: number }>[];
}>;

/** Why no page was judged. */
export type NotJudged =
  | TooFew
  | Readonly<{ cause: 'not-compared' | 'no-people' | 'no-people-before' | 'few-people' }>;

/** The page to look at first, because it lost the most people. `gone`: no one reads it anymore. */
export type CheckFirst = Readonly<{
  path: Scrubbed;
  side: 'fewer' | 'gone';
  /** How many people it lost. */
  people: number;
}>;

/** What stands out, and by what it was judged. */
export type StandoutFindings = Readonly<{
  /** By what pages were judged; `undefined` if the weeks are too few. */
  judging: Judging | undefined;
  /** Why no page was judged; `undefined` if one was. */
  whyNotJudged: NotJudged | undefined;
  /** Sections first, then what fell, and then by the people that a row lost or gained. */
  standingOut: readonly Standout[];
  /** What the pages that changed are compared by. */
  compared: SiteComparison;
}>;

/** The lists by which pages are compared, and how they were judged. */
export type SiteComparison = Readonly<{ lists: SiteLists; judgment: Judgment }>;

/** Judges the pages and sections of a site. */
export function findStandouts(
  { now, earlier }: Pick<SiteWindows, 'now' | 'earlier'>,
  lists: SiteLists,
  { isChosen, sectionOf }: Scope,
): StandoutFindings {
  const judgment = hasEnoughWeeks(lists.reads) ? judgeLists(lists, sectionOf) : judgeNone(lists);
  const judging = describeJudging(judgment, lists, isChosen);
  return {
    judging,
    whyNotJudged: explainNotJudged(now, earlier, judging),
    standingOut: listStandouts(judgment, lists, isChosen),
    compared: { lists, judgment },
  };
}

function judgeLists(lists: SiteLists, sectionOf: Scope['sectionOf']): Judgment {
  const sections = lists.areWhole ? gatherSections(lists.pages, sectionOf) : [];
  return judgeRows(lists, sections);
}

/** Without enough weeks, nothing is judged, and levels are unknown. */
function judgeNone(lists: SiteLists): Judgment {
  return {
    levels: lists.maxMissing.map(() => 1),
    unrest: { typicalVariance: 0, restlessness: 1 },
    judgedPages: [],
    pages: [],
    sections: [],
  };
}

function listStandouts(judgment: Judgment, lists: SiteLists, isChosen: PathFilter): Standout[] {
  const areChosen = ({ row }: ComparedRow<Section>) =>
    row.pages.every(({ path }) => isChosen(path));
  const sections = judgment.sections.filter(areChosen).map((section) => {
    const { pages } = section.row;
    const visited = pages.filter(({ rows }) => (rows.at(-1)?.total ?? 0) > 0).length;
    return { ...describeRow(section, pages, lists), pages: visited };
  });
  const pages = judgment.pages
    .filter(({ row }) => isChosen(row.path))
    .map((page) => describeRow(page, [page.row], lists));
  return [...sections.toSorted(byLoss), ...pages.toSorted(byLoss)];
}

function byLoss(a: Standout, b: Standout): number {
  if (a.side !== b.side) return a.side === 'fewer' ? -1 : 1;
  return Math.abs(b.difference) - Math.abs(a.difference) || byPath(a, b);
}

function describeRow(
  { row, comparison }: ComparedRow,
  pages: readonly Page[],
  lists: SiteLists,
): Standout {
  const { leveled, usually } = comparison;
  const side = comparison.difference > 0 ? 'more' : 'fewer';
  return {
    path: row.path,
    side,
    weeks: roundWeeks(leveled.since, side),
    ...roundRange(leveled.before),
    difference: mean(leveled.since) - usually,
    counted: lists.reads.map((_, week) => addPeople(pages, lists, week)),
  };
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
  const low = Math.max(0, Math.ceil(Math.min(...before) - roundingError));
  const high = Math.floor(Math.max(...before) + roundingError);
  return { low, high: Math.max(low, high) };
}

function describeJudging(
  { judgedPages, levels }: Judgment,
  { reads, areWhole }: SiteLists,
  isChosen: PathFilter,
): Judging | undefined {
  if (!hasEnoughWeeks(reads)) return undefined;
  const pages = judgedPages.filter(({ path }) => isChosen(path)).length;
  const weeks = reads.map(({ window }, week) => ({ window, level: levels[week] ?? 1 }));
  return { areWhole, pages, weeks };
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

/** Chooses the page that lost the most people, of those that fell or that no one reads anymore. */
export function chooseCheckFirst(
  standouts: readonly Standout[],
  gone: readonly PagePeople[],
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
