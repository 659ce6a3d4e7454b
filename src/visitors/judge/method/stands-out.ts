import { medianOf } from '../../../core/median.ts';
import {
  compareWeeks,
  hasEnoughPeople,
  measureDistance,
  measureRestlessness,
  standsOut,
  type WeekComparison,
} from './compare.ts';
import {
  type Counts,
  findLevels,
  hasEnoughWeeks,
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

export type ComparedRow<Of extends Row = Row> = Readonly<{ row: Of; comparison: WeekComparison }>;

/** The result of judging a week's rows. */
export type Judgment = Readonly<ReturnType<typeof judgeRows>>;

/** Judges the pages and sections of a week. With too few weeks before the last two, none is judged. */
export function judgeRows(lists: Lists, sections: readonly Section[]) {
  const levels = findLevels(lists);
  const compared = compareRows(lists.pages, levels).map((page) => {
    return { ...page, lacks: findLacks(page.row, lists) };
  });
  const judged = compared.filter(({ lacks }) => !lacks.before || !lacks.since);
  const steady = judged.filter(({ lacks }) => !lacks.before && !lacks.since);
  const typicalVariance = findTypicalVariance(steady);
  const distances = steady.map(({ comparison }) => measureDistance(comparison, typicalVariance));
  const unrest = { typicalVariance, restlessness: measureRestlessness(distances) };
  return {
    /** What each week's counts were multiplied by. */
    levels,
    unrest,
    judgedPages: judged.map(({ row }) => row),
    pages: judged.filter(({ comparison, lacks }) => {
      const isUncertain = comparison.difference > 0 ? lacks.since : lacks.before;
      return !isUncertain && standsOut(comparison, unrest, judged.length);
    }),
    sections: judgeSections(sections, levels, unrest.restlessness),
  };
}

/**
 * If page lists are cut short: whether a cut list of the weeks before lacks a page, or one of the
 * last two. There, it has at most as many people as the last row. So it can only rise, or only fall.
 */
function findLacks({ rows }: Page, { maxMissing }: Lists) {
  const lacks = rows.map((row, week) => row === undefined && (maxMissing[week] ?? 0) > 0);
  return { before: lacks.slice(0, -2).includes(true), since: lacks.slice(-2).includes(true) };
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
  if (!hasEnoughWeeks(levels)) return [];
  const compared = [];
  for (const row of rows) {
    const leveled = splitLastTwo(levelCounts(row.counts, levels));
    if (hasEnoughPeople(leveled)) compared.push({ row, comparison: compareWeeks(leveled) });
  }
  return compared;
}

function findTypicalVariance(compared: readonly ComparedRow[]): number {
  if (compared.length === 0) return 0;
  return medianOf(compared.map(({ comparison }) => comparison.ownVariance));
}

/** Whether one page makes half of a section's change, so that it is the page that stands out. */
function isOnePage({ pages }: Section, levels: Counts): boolean {
  const changes = pages.map(({ counts }) => changeOf(splitLastTwo(levelCounts(counts, levels))));
  const change = sum(changes);
  return changes.some((ofPage) => ofPage * Math.sign(change) >= Math.abs(change) / 2);
}

function changeOf({ before, since }: Leveled): number {
  return mean(since) - medianOf(before);
}
