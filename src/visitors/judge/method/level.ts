import { medianOf } from '../../../core/median.ts';
import type { VisitorsRow } from '../../../service/schemas.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/*
 * Step 1 of "Pages and sections" in docs/visitors-method.md. A week is a period of any length, and
 * "this week" is the last one.
 */

/** A row's people by week, oldest first. */
export type Counts = readonly number[];

/** A page or a section. */
export type Row = Readonly<{ path: string; counts: Counts }>;

/** A page's row in each week's list. */
export type PageRows = readonly (VisitorsRow | undefined)[];

/** A page, and in which weeks it was listed. */
export type Page = Row & Readonly<{ isListed: readonly boolean[]; rows: PageRows }>;

/** The pages of several weeks' lists. */
export type Lists = Readonly<{
  pages: readonly Page[];
  /**
   * The most people that a page may have without being in a week's list: 0 if the list is whole. If
   * it is cut, a missing page's count is this one.
   */
  maxMissing: Counts;
}>;

/** A row's people at this week's level: the weeks before, and the last ones, compared with them. */
export type Leveled = Readonly<{ before: Counts; since: Counts }>;

/** What each week's counts are multiplied by. This week's factor is always 1. */
export function findLevels({ pages, maxMissing }: Lists): Counts {
  const isWhole = maxMissing.every((count) => count === 0);
  const steady = pages.filter(({ counts, isListed }) => {
    if (!isWhole && isListed.includes(false)) return false;
    const now = counts.at(-1) ?? 0;
    return now >= 1 && mean(counts.slice(0, -1)) >= rule.minLevelPeople;
  });
  if (steady.length < rule.minLevelPages) return maxMissing.map(() => 1);
  return maxMissing.map((_, week) => {
    const ratios = steady.map(({ counts }) => {
      const then = counts[week] ?? 0;
      return (counts.at(-1) ?? 0) / Math.max(1, then);
    });
    return medianOf(ratios) ?? 1;
  });
}

/** Brings a row to this week's level. */
export function levelCounts(counts: Counts, levels: Counts): Counts {
  return counts.map((count, week) => count * (levels[week] ?? 1));
}

/** The last two weeks, and those before them. */
export function splitLastTwo(counts: Counts): Leveled {
  return { before: counts.slice(0, -2), since: counts.slice(-2) };
}
