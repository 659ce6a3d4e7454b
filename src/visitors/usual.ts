import { mean, sum, tLimit } from './statistics.ts';

/*
 * What is usual for a site's figures, learned from the weeks before: a straight line through their logarithms, or logits, with its
 * prediction interval. `__tests__/support/usual-weeks/` simulates how often it is wrong, and what it finds.
 *
 * Sources: Seber and Lee, Linear Regression Analysis (2003), 5.3 (prediction) and 10.2 (one outlier, found by its externally
 * studentized residual and Bonferroni's inequality).
 */

/** How a figure compares with what is usual. */
export type Side = 'usual' | 'more' | 'fewer';

/** What is usual for one figure, and on which side of it the figure is: `usual` from `low` to `high`, both included. */
export interface Usual {
  /** Of a count: whole visitors. Of a share: from 0 to 1. */
  readonly low: number;
  readonly high: number;
  readonly side: Side;
  /** How many weeks it was learned from; one that was dropped as odd does not count. */
  readonly weeks: number;
}

/** AI visitors and all visitors of one week. */
export interface ShareCounts {
  readonly ai: number;
  readonly total: number;
}

/** With fewer weeks nothing is usual. */
export const fewestWeeks = 4;

/** With fewer weeks there is no straight line, only a mean. */
const fewestForLine = 6;

/** How many unchanged weeks of all may be called unusual; and how many rows of such weeks may have a week dropped as odd. */
export const falseAlarms = 0.05;

/** One week: its place on the line, its logarithm or logit, and the variance that counting alone gives that. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly noise: number;
}

/** A line that was fitted to points. */
interface Line {
  readonly points: number;
  readonly degrees: number;
  /** Where a further point is expected, and the standard deviation of how far off it will be. */
  predict(x: number): { expected: number; deviation: number };
}

/**
 * What is usual for a count of visitors: 95 of 100 unchanged weeks are inside.
 *
 * @param weeks the weeks right before, oldest first; `undefined` for one that is not known or must not be used. Weeks without
 *   visitors are left out: no one had come yet, or they were not counted.
 * @returns `undefined` with fewer than four usable weeks.
 */
export function usualTotal(weeks: readonly (number | undefined)[], now: number): Usual | undefined {
  const points = weeks.flatMap((count = 0, x) => (count > 0 ? { x, ...logarithmOf(count) } : []));
  const range = rangeOf(points, weeks.length);
  if (range === undefined) return undefined;
  const low = Math.max(0, Math.ceil(Math.exp(range.low) - 0.5));
  const high = Math.max(low, Math.floor(Math.exp(range.high) - 0.5));
  return { low, high, side: sideOf(now, low, high), weeks: range.weeks };
}

/**
 * What is usual for the share of AI visitors: 95 of 100 unchanged weeks are inside.
 *
 * @param weeks as for `usualTotal`. Weeks without visitors, or with more AI visitors than visitors, are left out.
 * @returns `undefined` with fewer than four usable weeks, or if `now` is no share.
 */
export function usualShare(weeks: readonly (ShareCounts | undefined)[], now: ShareCounts): Usual | undefined {
  if (!isShare(now)) return undefined;
  const points = weeks.flatMap((week, x) => (week && isShare(week) ? { x, ...logitOf(week) } : []));
  const range = rangeOf(points, weeks.length);
  if (range === undefined) return undefined;
  const [low, high] = [shareOf(range.low), shareOf(range.high)];
  return { low, high, side: sideOf(logitOf(now).y, range.low, range.high), weeks: range.weeks };
}

/** On which side of a range a figure is. */
export function sideOf(figure: number, low: number, high: number): Side {
  if (figure > high) return 'more';
  return figure < low ? 'fewer' : 'usual';
}

function logarithmOf(count: number) {
  return { y: Math.log(count + 0.5), noise: 1 / (count + 0.5) };
}

function logitOf({ ai, total }: ShareCounts) {
  const [part, rest] = [ai + 0.5, total - ai + 0.5];
  return { y: Math.log(part / rest), noise: 1 / part + 1 / rest };
}

function shareOf(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function isShare({ ai, total }: ShareCounts): boolean {
  return total > 0 && ai <= total;
}

function rangeOf(points: readonly Point[], x: number) {
  if (points.length < fewestWeeks) return undefined;
  const isSloped = points.length >= fewestForLine;
  const line = lineThrough(withoutOdd(points, isSloped), isSloped);
  const { expected, deviation } = line.predict(x);
  const reach = tLimit(falseAlarms, line.degrees) * deviation;
  return { low: expected - reach, high: expected + reach, weeks: line.points };
}

/**
 * The points without the one furthest from the line through the others, if that is too far for the furthest of so many. One
 * holiday or outage would otherwise make any fall look usual.
 */
function withoutOdd(points: readonly Point[], isSloped: boolean): readonly Point[] {
  const [odd] = points
    .map((point) => {
      const others = points.filter((other) => other !== point);
      const line = lineThrough(others, isSloped);
      const { expected, deviation } = line.predict(point.x);
      const limit = tLimit(falseAlarms / points.length, line.degrees);
      return { others, excess: Math.abs(point.y - expected) / deviation / limit };
    })
    .toSorted((a, b) => b.excess - a.excess);
  return odd && odd.excess > 1 ? odd.others : points;
}

/** The straight line nearest to the points, or the level one; their scatter around it is never less than counting noise. */
function lineThrough(points: readonly Point[], isSloped: boolean): Line {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const width = sum(points.map(({ x }) => (x - meanX) ** 2));
  const slope = isSloped ? sum(points.map(({ x, y }) => (x - meanX) * y)) / width : 0;
  const expectedAt = (x: number) => meanY + slope * (x - meanX);
  const degrees = points.length - (isSloped ? 2 : 1);
  const scatter = sum(points.map(({ x, y }) => (y - expectedAt(x)) ** 2)) / degrees;
  const variance = Math.max(scatter, mean(points.map(({ noise }) => noise)));
  return {
    points: points.length,
    degrees,
    predict(x) {
      const uncertainty = 1 + 1 / points.length + (isSloped ? (x - meanX) ** 2 / width : 0);
      return { expected: expectedAt(x), deviation: Math.sqrt(variance * uncertainty) };
    },
  };
}
