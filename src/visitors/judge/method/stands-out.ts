import { medianOf } from '../../../core/median.ts';
import {
  compareWeeks,
  hasEnoughPeople,
  measureDistance,
  measureRestlessness,
  standsOut,
  type Unrest,
  type WeekComparison,
} from './compare.ts';
import {
  type Counts,
  findLevels,
  type Leveled,
  type Lists,
  levelCounts,
  type Page,
  type Row,
  splitLastTwo,
} from './level.ts';
import { mean, sum } from './statistics.ts';

/*
 * "Pages and sections that stand out" in docs/visitors-method.md. A week is a period of any length.
 */

/** A section, with the people of its pages added up. */
export type Section = Row & Readonly<{ pages: readonly Page[] }>;

/** A row that was compared. */
export type ComparedRow<Of extends Row = Row> = Readonly<{ row: Of; comparison: WeekComparison }>;

/** The result of judging a week's rows. */
export type Judgment = Readonly<{
  /** What each week's counts were multiplied by. */
  levels: Counts;
  unrest: Unrest;
  /** The pages that were judged. */
  judgedPages: readonly Page[];
  pages: readonly ComparedRow<Page>[];
  sections: readonly ComparedRow<Section>[];
}>;

/** Judges the pages and sections of a week. There must be at least four weeks before the last two. */
export function judgeRows(lists: Lists, sections: readonly Section[]): Judgment {
  const levels = findLevels(lists);
  const hasBounds = (page: Page) => isMissingIn(page, lists).includes(true);
  const judged = compareRows(lists.pages, levels).filter(({ row }) => canMove(row, lists));
  const steady = judged.filter(({ row }) => !hasBounds(row));
  const typicalVariance = findTypicalVariance(steady);
  const distances = steady.map(({ comparison }) => measureDistance(comparison, typicalVariance));
  const unrest = { typicalVariance, restlessness: measureRestlessness(distances) };
  const pages = judged.filter(({ comparison }) => standsOut(comparison, unrest, judged.length));
  return {
    levels,
    unrest,
    judgedPages: judged.map(({ row }) => row),
    pages: pages.filter(({ row, comparison }) => isCertain(row, comparison, lists)),
    sections: judgeSections(sections, levels, unrest.restlessness),
  };
}

/** Steps 2 to 5 for sections, which have a typical variance of their own. */
function judgeSections(
  sections: readonly Section[],
  levels: Counts,
  restlessness: number,
): ComparedRow<Section>[] {
  const judged = compareRows(sections, levels);
  const unrest = { typicalVariance: findTypicalVariance(judged), restlessness };
  return judged.filter(
    ({ row, comparison }) =>
      standsOut(comparison, unrest, judged.length) && !isOnePage(row, levels),
  );
}

/** Compares the rows that have enough people. */
function compareRows<Of extends Row>(rows: readonly Of[], levels: Counts): ComparedRow<Of>[] {
  const compared = [];
  for (const row of rows) {
    const leveled = splitLastTwo(levelCounts(row.counts, levels));
    if (hasEnoughPeople(leveled)) compared.push({ row, comparison: compareWeeks(leveled) });
  }
  return compared;
}

function findTypicalVariance(compared: readonly ComparedRow[]): number {
  return medianOf(compared.map(({ comparison }) => comparison.ownVariance)) ?? 0;
}

/** Whether one page makes half of a section's change, so that it is the page that stands out. */
function isOnePage({ pages }: Section, levels: Counts): boolean {
  const changes = pages.map(({ counts }) => changeOf(splitLastTwo(levelCounts(counts, levels))));
  const change = sum(changes);
  return changes.some((ofPage) => ofPage * Math.sign(change) >= Math.abs(change) / 2);
}

function changeOf({ before, since }: Leveled): number {
  return mean(since) - (medianOf(before) ?? 0);
}

/* First rows: a page that a cut list lacks has at most as many people as the last row. */

function isMissingIn({ isListed }: Page, { maxMissing }: Lists): boolean[] {
  return isListed.map((isKnown, week) => !isKnown && (maxMissing[week] ?? 0) > 0);
}

/** Whether a page is known in the weeks before, or in the last two: it can only rise, or fall. */
function canMove(page: Page, lists: Lists): boolean {
  const missing = isMissingIn(page, lists);
  return !missing.slice(0, -2).includes(true) || !missing.slice(-2).includes(true);
}

/** Whether a page that a cut list lacks stands out whatever it had there. */
function isCertain(page: Page, { difference }: WeekComparison, lists: Lists): boolean {
  const missing = isMissingIn(page, lists);
  const bounds = difference > 0 ? missing.slice(-2) : missing.slice(0, -2);
  return !bounds.includes(true);
}
