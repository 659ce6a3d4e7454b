import { medianOf } from '../../../core/median.ts';
import type { Counts, Leveled } from './level.ts';
import { rule } from './rule.ts';
import { mean, upperTail, varianceOf } from './statistics.ts';

/*
 * Steps 2 to 5 of "Pages and sections" in docs/visitors-method.md, for one row. Counts are at this
 * week's level.
 */

/** What the last weeks and those before differ by, in y = ln(people + 30). */
export type WeekComparison = Readonly<ReturnType<typeof compareWeeks>>;

/** What a week's pages have in common: the median of their variances, and how restless they are. */
export type Unrest = Readonly<{ typicalVariance: number; restlessness: number }>;

const toY = (count: number) => Math.log(count + rule.offset);

/** Step 2: whether a row had enough people before, and has people now. */
export function hasEnoughPeople({ before, since }: Leveled): boolean {
  return (since.at(-1) ?? 0) >= 1 && mean(before) >= rule.minPeople;
}

/** Step 2: replaces the only count that is far above the others, if there is one. */
export function replaceOdd(before: Counts): Counts {
  const median = medianOf(before);
  const isOdd = (count: number) => count > rule.oddFactor * median + rule.oddMore;
  if (before.filter(isOdd).length !== 1) return before;
  return before.map((count) => (isOdd(count) ? median : count));
}

/** Step 3: compares the last weeks with those before. */
export function compareWeeks(leveled: Leveled) {
  const before = replaceOdd(leveled.before).map(toY);
  const base = mean(before);
  return {
    leveled,
    /** The mean y of the weeks before. */
    base,
    /** The people that it means. */
    usually: Math.max(1, Math.exp(base) - rule.offset),
    /** How much higher the mean y of the last weeks is. */
    difference: mean(leveled.since.map(toY)) - base,
    /** The row's own variance of y in the weeks before. */
    ownVariance: varianceOf(before),
  };
}

export function sideOf({ difference }: WeekComparison): 'more' | 'fewer' {
  return difference > 0 ? 'more' : 'fewer';
}

/** Step 3: t, how many standard errors the difference is. */
export function measureDistance(comparison: WeekComparison, typicalVariance: number): number {
  const { leveled, usually, difference, ownVariance } = comparison;
  const mixed = rule.ownWeight * ownVariance + (1 - rule.ownWeight) * typicalVariance;
  const countingNoise = usually / (usually + rule.offset) ** 2;
  const variance = Math.max(countingNoise, mixed);
  const error = variance * (1 / leveled.since.length + 1 / leveled.before.length);
  return Math.abs(difference) / Math.sqrt(error);
}

/** Step 4: how many times further the rows are than chance explains. */
export function measureRestlessness(distances: readonly number[]): number {
  if (distances.length < rule.minRestlessPages) return 1;
  const sorted = distances.toSorted((a, b) => a - b);
  const calm = Math.ceil((rule.calmPercent * distances.length) / 100);
  return Math.max(1, (sorted[calm - 1] ?? 0) / rule.calmDistance);
}

/** Step 5: whether a row stands out, if so many rows were judged. */
export function standsOut(comparison: WeekComparison, unrest: Unrest, judged: number): boolean {
  return isLasting(comparison) && isBeyondChance(comparison, unrest, judged);
}

function isBeyondChance(comparison: WeekComparison, unrest: Unrest, judged: number): boolean {
  const distance = measureDistance(comparison, unrest.typicalVariance) / unrest.restlessness;
  const degrees = comparison.leveled.before.length + 1;
  return judged * upperTail(distance, degrees) <= rule.chance;
}

/** Step 5: whether both of the last two weeks are clearly outside the range of those before. */
function isLasting({ leveled, base, usually, difference }: WeekComparison): boolean {
  const { before, since } = leveled;
  if (Math.abs(mean(since) - usually) < rule.minDifference) return false;
  const lastTwo = since.slice(-2);
  const isAbove = Math.min(...lastTwo) > Math.max(...before);
  const isBelow = Math.max(...lastTwo) < Math.min(...before);
  const isOutside = difference > 0 ? isAbove : isBelow;
  if (!isOutside) return false;
  const distances = lastTwo.map((count) => Math.abs(toY(count) - base));
  return Math.min(...distances) >= rule.minNearness * Math.max(...distances);
}
