import { minWeeks } from '../../read/window-read.ts';
import {
  compareWeeks,
  hasEnoughPeople,
  replaceOdd,
  sideOf,
  standsOut,
  type Unrest,
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

/**
 * What became of pages that changed, with their people a week, before and since, at this week's
 * level. `levels` and `unrest` are this week's.
 */
export function judgeChanged<Of extends ChangedCounts>(
  pages: readonly Of[],
  levels: Counts,
  unrest: Unrest,
) {
  const compared = pages.map((page) => {
    const leveled = splitAtChange(page, levels);
    const early = nameEarly(leveled);
    const isCompared = early === 'same' && hasEnoughPeople(leveled);
    return { page, leveled, early, comparison: isCompared ? compareWeeks(leveled) : undefined };
  });
  const judged = compared.filter(({ comparison }) => comparison !== undefined).length;
  return compared.map((row) => {
    const { leveled, comparison } = row;
    const hasChanged = comparison !== undefined && standsOut(comparison, unrest, judged);
    return {
      page: row.page,
      became: hasChanged ? sideOf(comparison) : row.early,
      before: mean(replaceOdd(leveled.before)),
      since: mean(leveled.since),
    };
  });
}

/** The week of the change belongs to neither side. */
function splitAtChange(
  { counts, weeksBefore, weeksSince }: ChangedCounts,
  levels: Counts,
): Leveled {
  const leveled = levelCounts(counts, levels);
  return { before: leveled.slice(0, weeksBefore), since: leveled.slice(-weeksSince) };
}

/** What became of a page as far as it can be told without comparing. */
function nameEarly({ before, since }: Leveled): Became {
  if (before.every((count) => count === 0)) return 'new';
  if (since.every((count) => count === 0)) return 'gone';
  const isEarly = before.length < minWeeks || since.length < rule.minWeeksSince;
  return isEarly ? 'early' : 'same';
}
