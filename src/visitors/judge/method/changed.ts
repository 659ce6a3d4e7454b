import { minWeeks } from '../../read/window-read.ts';
import {
  compareWeeks,
  hasEnoughPeople,
  replaceOdd,
  standsOut,
  type Unrest,
  type WeekComparison,
} from './compare.ts';
import { type Counts, type Leveled, levelCounts } from './level.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/* "Pages that changed" in docs/visitors-method.md. */

/** A page's people by week, and how many weeks there are before its change and since. */
export type ChangedCounts = Readonly<{ counts: Counts; weeksBefore: number; weeksSince: number }>;

/** What became of a page; `early` if too few weeks are known. */
export const becameOrder = ['more', 'fewer', 'new', 'gone', 'same', 'early'] as const;

export type Became = (typeof becameOrder)[number];

/** What became of pages that changed, in the same order. `levels` and `unrest` are this week's. */
export function judgeChanged(
  pages: readonly ChangedCounts[],
  levels: Counts,
  unrest: Unrest,
): Became[] {
  const compared = pages.map((page) => compareChanged(page, levels));
  const judged = compared.filter((comparison) => comparison !== undefined).length;
  return pages.map((page, index) => {
    const { before, since } = splitAtChange(page, page.counts);
    if (before.every((count) => count === 0)) return 'new';
    if (since.every((count) => count === 0)) return 'gone';
    if (!hasEnoughWeeks({ before, since })) return 'early';
    const comparison = compared[index];
    if (comparison === undefined || !standsOut(comparison, unrest, judged)) return 'same';
    return comparison.difference > 0 ? 'more' : 'fewer';
  });
}

/** A page's people a week, before its change and since, at this week's level. */
export function averagePeople(page: ChangedCounts, levels: Counts) {
  const { before, since } = splitAtChange(page, levelCounts(page.counts, levels));
  return { before: mean(replaceOdd(before)), since: mean(since) };
}

function compareChanged(page: ChangedCounts, levels: Counts): WeekComparison | undefined {
  const leveled = splitAtChange(page, levelCounts(page.counts, levels));
  const isKnown = leveled.before.some((count) => count > 0) && leveled.since.some((c) => c > 0);
  if (!isKnown || !hasEnoughWeeks(leveled) || !hasEnoughPeople(leveled)) return undefined;
  return compareWeeks(leveled);
}

/** The week of the change belongs to neither side. */
function splitAtChange({ weeksBefore, weeksSince }: ChangedCounts, counts: Counts): Leveled {
  return { before: counts.slice(0, weeksBefore), since: counts.slice(-weeksSince) };
}

function hasEnoughWeeks({ before, since }: Leveled): boolean {
  return before.length >= minWeeks && since.length >= rule.minWeeksSince;
}
