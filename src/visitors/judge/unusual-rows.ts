import { medianOf } from '../../core/median.ts';
import { mean, tLimit, tTail } from './statistics.ts';

/*
 * Which pages and sections stand out: the steps of docs/visitors-method.md ("Pages and sections"), on numbers alone. Here, a
 * week is a period of any length, and a row is a page or a section. `__tests__/support/usual-weeks/` measures the rule.
 */

/** A row's visitors by week, oldest first; this week is the last one. */
export type Counts = readonly number[];

/** The numbers of docs/visitors-method.md. The shares are of names that may be there by chance. */
export const rule = {
  minVisitors: 20,
  minDifference: 10,
  youngWeeks: 3,
  pagesForLevel: 10,
  visitorsForLevel: 50,
  oddFactor: 3,
  oddMore: 20,
  spreadWeeks: 8,
  minSpread: 0.01,
  medianOfVariances: 0.9,
  outside: 0.05,
  outsideUnleveled: 0.008,
  kept: 0.5,
  minTested: 14,
  shares: { pages: 0.15, sections: 0.05, firstRows: 0.1 },
} as const;

/** The mean of a row's last one or two weeks, and the mean and sample variance of those before. */
type Means = ReturnType<typeof meansOf>;

/** A row's last one or two weeks, compared with those before. */
export interface RowComparison extends Pick<Means, 'value' | 'base'> {
  readonly weeks: 1 | 2;
  readonly difference: number;
  /** The usual range, not rounded. */
  readonly low: number;
  readonly high: number;
  /** How far the value is from the baseline. At the edge of the range, it is 1. */
  readonly distance: number;
  /** 1 inside the range. */
  readonly tail: number;
  /** Whether the change is large enough and, for two weeks, goes on. */
  readonly isLasting: boolean;
}

/** A row that was measured: all comparisons, the one to show, and the one with the smallest tail of those that count. */
type Measured = Readonly<{
  counts: Counts;
  isJudged: boolean;
  compared: readonly RowComparison[];
  shown: RowComparison | undefined;
  deciding: RowComparison | undefined;
}>;

/** A row that stands out, with the comparison to show. */
export type Named = Readonly<{ index: number; counts: Counts; shown: RowComparison }>;

interface StandOutOptions {
  /** The pages of each section, by index. */
  readonly sections: readonly (readonly number[])[];
  /** Whether the last earlier week is the one right before this one, so that both can be compared together. */
  readonly isNext: boolean;
  /** Of the pages named, how many may be there by chance. */
  readonly share: number;
}

/** The pages and sections that stand out, and the levels that their counts were multiplied by. */
export function standOut(pages: readonly Counts[], { sections, isNext, share }: StandOutOptions) {
  const levels = levelsOf(pages);
  const measured = measure(pages, levels, isNext);
  const sums = sections.map((members) => sumOf(members.map((page) => pages[page] ?? [])));
  const sectionsMeasured = measure(sums, levels, isNext).map((section, index) => {
    const { weeks = 1, difference = 0 } = section.deciding ?? {};
    const ofPages =
      sections[index]?.map((page) => measured[page]?.compared[weeks - 1]?.difference ?? 0) ?? [];
    const largest = Math.max(...ofPages.map((some) => some * Math.sign(difference)));
    // If one page is the reason, it is the page that stands out.
    return largest >= Math.abs(difference) / 2 ? { ...section, deciding: undefined } : section;
  });
  return {
    levels,
    pages: choose(measured, share),
    sections: choose(sectionsMeasured, rule.shares.sections),
  };
}

/** What each earlier week’s counts are multiplied by; `undefined` if there are too few large pages. */
function levelsOf(pages: readonly Counts[]): number[] | undefined {
  const weeks = (pages[0]?.length ?? 1) - 1;
  const isLarge = (counts: Counts) =>
    (counts[weeks] ?? 0) >= 1 && mean(counts.slice(0, weeks)) >= rule.visitorsForLevel;
  const large = pages.filter(isLarge);
  if (large.length < rule.pagesForLevel) return undefined;
  const ratios = (week: number) =>
    large.map((counts) => (counts[weeks] ?? 0) / Math.max(1, counts[week] ?? 0));
  return Array.from({ length: weeks }, (_, week) => medianOf(ratios(week)) ?? 1);
}

/** Adds up rows week by week. */
export function sumOf(rows: readonly Counts[]): number[] {
  const sums = Array<number>(rows[0]?.length ?? 0).fill(0);
  for (const counts of rows) {
    for (const [week, count] of counts.entries()) sums[week] = (sums[week] ?? 0) + count;
  }
  return sums;
}

/** Multiplies a row by the levels. This week has none. */
export function leveled(counts: Counts, levels: readonly number[] | undefined): Counts {
  return levels ? counts.map((count, week) => count * (levels[week] ?? 1)) : counts;
}

/** Compares the rows of a list, with levels and, to be sure, without. */
function measure(
  rows: readonly Counts[],
  levels: readonly number[] | undefined,
  isNext: boolean,
): Measured[] {
  const atLevel = rows.map((counts) => leveled(counts, levels));
  const isJudged = rows.map((counts, index) => {
    const now = counts.at(-1) ?? 0;
    const usual = mean(atLevel[index]?.slice(0, -1) ?? []);
    const isOld = counts.slice(0, -1 - rule.youngWeeks).some((count) => count > 0);
    return isOld && Math.max(now, usual) >= rule.minVisitors;
  });
  const minSpread = levels ? 0 : rule.minSpread;
  const comparisons = ([1, 2] as const).slice(0, isNext ? 2 : 1).map((weeks) => ({
    leveled: compare(atLevel, weeks, isJudged, minSpread),
    raw: levels && compare(rows, weeks, isJudged, minSpread),
  }));
  return rows.map((counts, index) => {
    const compared = comparisons.flatMap((both) => both.leveled[index] ?? []);
    const isClear = isJudged[index] && (counts.at(-1) ?? 0) >= 1;
    const counting = compared.filter(({ difference, tail, isLasting }, at) => {
      if (!isClear || !isLasting || tail > rule.outside) return false;
      const raw = comparisons[at]?.raw?.[index];
      if (raw === undefined) return true;
      return raw.isLasting && raw.tail <= rule.outsideUnleveled && raw.difference * difference > 0;
    });
    const [shown] = counting;
    const deciding = counting.reduce(
      (best, other) => (best && best.tail <= other.tail ? best : other),
      shown,
    );
    return { counts, isJudged: isJudged[index] ?? false, compared, shown, deciding };
  });
}

function compare(rows: readonly Counts[], weeks: 1 | 2, isJudged: readonly boolean[], minSpread: number) {
  const before = (rows[0]?.length ?? 0) - weeks;
  const degrees = rule.spreadWeeks + before - 1;
  const limit = tLimit(rule.outside, degrees);
  const means = rows.map((counts) => meansOf(counts, weeks));
  const excess = means
    .filter((_, index) => isJudged[index])
    .map(({ own, noise }) => (own - noise) / noise ** 2);
  const spread = Math.max(minSpread, (medianOf(excess) ?? 0) / rule.medianOfVariances);
  return means.map(({ value, base, noise, own, now, last }): RowComparison => {
    const shared = rule.spreadWeeks * (noise + spread * base ** 2);
    const variance = Math.max(noise, (shared + (before - 1) * own) / degrees);
    const difference = value - base;
    const errorOf = (visitors: number) => variance * (1 / before + Math.max(1, visitors / noise) / weeks);
    const deviations = Math.abs(difference) / Math.sqrt(errorOf(value));
    const side = Math.sign(difference);
    const isKept = side * (last - base) > 0 && side * (now - base) >= rule.kept * side * (last - base);
    // Above the baseline, the error grows with the visitors, so the upper end solves d² = limit² · error(base + d).
    const half = (limit ** 2 * variance) / (2 * weeks * noise);
    const errorAbove = variance * (1 / before + base / noise / weeks);
    return {
      weeks,
      value,
      base,
      difference,
      low: base - limit * Math.sqrt(errorOf(0)),
      high: base + half + Math.sqrt(half ** 2 + limit ** 2 * errorAbove),
      distance: deviations / limit,
      tail: deviations < limit ? 1 : tTail(deviations, degrees),
      isLasting: Math.abs(difference) >= rule.minDifference && (weeks === 1 || isKept),
    };
  });
}

/** Counts are at this week’s level. */
export function meansOf(counts: Counts, weeks: number) {
  const before = withoutOdd(counts.slice(0, -weeks));
  const base = mean(before);
  const squares = before.reduce((total, count) => total + (count - base) ** 2, 0);
  const [last = 0, now = 0] = counts.slice(-2);
  const value = weeks === 1 ? now : (now + last) / 2;
  return { value, base, noise: Math.max(1, base), own: squares / (before.length - 1), now, last };
}

/** If exactly one week is odd, it counts as the median. Otherwise, it would hide a fall for as long as it is in the baseline. */
function withoutOdd(counts: Counts): Counts {
  const limitOf = (middle: number) => rule.oddFactor * middle + rule.oddMore;
  // The median isn’t below the minimum, and rarely needed.
  if (Math.max(...counts) <= limitOf(Math.min(...counts))) return counts;
  const median = medianOf(counts) ?? 0;
  const odd = counts.filter((count) => count > limitOf(median));
  return odd.length === 1 ? counts.map((count) => (count === odd[0] ? median : count)) : counts;
}

/** The procedure of Benjamini and Hochberg, as if at least `minTested` rows were judged. */
function choose(measured: readonly Measured[], share: number): Named[] {
  const judged = measured.filter(({ isJudged }) => isJudged).length;
  const ranked = measured
    .flatMap(({ counts, deciding, shown }, index) =>
      deciding && shown ? { index, counts, shown, tail: deciding.tail } : [],
    )
    .toSorted((a, b) => a.tail - b.tail);
  const unit = share / Math.max(rule.minTested, judged);
  const last = ranked.findLastIndex(({ tail }, rank) => tail <= unit * (rank + 1));
  return ranked.slice(0, last + 1);
}
