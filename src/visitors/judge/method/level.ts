import { medianOf } from '../../../core/median.ts';
import type { VisitorsRow } from '../../../service/schemas.ts';
import type { Scrubbed } from '../../../text/scrub.ts';
import { minWeeks } from '../../read/window-read.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/*
 * Step 1 of "Pages and sections" in docs/visitors-method.md. A week is a period of any length, and
 * "this week" is the last one.
 */

/** A row's people by week, oldest first. */
export type Counts = readonly number[];

/** A page or a section. */
export type Row = Readonly<{ path: Scrubbed; counts: Counts }>;

/** A page, and its row in each week's list. */
export type Page = Row & Readonly<{ rows: readonly (VisitorsRow | undefined)[] }>;

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

/**
 * What each week's counts are multiplied by. This week's factor is always 1, and so are all if
 * there are too few weeks or pages.
 */
export function findLevels({ pages, maxMissing }: Lists): Counts {
  const isWhole = maxMissing.every((count) => count === 0);
  const steady = pages.filter(({ counts, rows }) => {
    if (!isWhole && rows.includes(undefined)) return false;
    const now = counts.at(-1) ?? 0;
    return now >= 1 && mean(counts.slice(0, -1)) >= rule.minLevelPeople;
  });
  const hasLevels = hasEnoughWeeks(maxMissing) && steady.length >= rule.minLevelPages;
  if (!hasLevels) return maxMissing.map(() => 1);
  return maxMissing.map((_, week) => {
    const ratios = steady.map(({ counts }) => {
      const then = counts[week] ?? 0;
      return (counts.at(-1) ?? 0) / Math.max(1, then);
    });
    return medianOf(ratios);
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

/** Whether there are enough weeks before the last two for rows to be judged. */
export function hasEnoughWeeks(weeks: readonly unknown[]): boolean {
  return weeks.length - 2 >= minWeeks;
}
