import { medianOf } from '../../core/median.ts';
import { minWeeks } from '../read/window-read.ts';
import type { Fraction, Side } from './numbers.ts';
import { mean, sum, tLimit } from './statistics.ts';

/*
 * The usual range of a site's total or AI share: a straight line through the logarithms (for a
 * share, the logits) of earlier weeks, with its prediction interval. Seber and Lee, Linear
 * Regression Analysis, 5.3 (prediction) and 10.2 (outliers). `__tests__/support/usual-weeks/`
 * measures false alarms and missed changes. Here, a week is a window of any length.
 */

/**
 * A usual range. If nothing changes, 95 of 100 weeks are from `low` to `high`: visitors, or a share
 * from 0 to 1.
 */
export interface Usual {
  readonly low: number;
  readonly high: number;
  readonly side: Side;
  /**
   * How many weeks it is based on, and those that were left out as odd: their places in the list of
   * weeks.
   */
  readonly periods: number;
  readonly leftOut: readonly number[];
}

/** The usual range of a count, and the same line's range in each week, this one included. */
export type UsualTotal = Usual & { readonly trend: readonly Pick<Usual, 'low' | 'high'>[] };

/** With fewer weeks, the mean is used instead of a line. */
const minForLine = 6;

/**
 * How often weeks are outside by chance, and left out as odd. Leaving out narrows the range, so 4%
 * becomes the promised 5%.
 */
const [outside, falselyOdd] = [0.04, 0.05];

type Fit = Readonly<{ isSloped: boolean; noise: number }>;

/**
 * A week: its position, its logarithm or logit, and one over the variance of `y` that counting
 * noise explains.
 */
type Point = Readonly<{ x: number; y: number; weight: number }>;

/**
 * The usual range of a count, if there are enough `weeks`. They are oldest first; `undefined` is
 * one that must not be used.
 */
export function usualTotal(
  weeks: readonly (number | undefined)[],
  now: number,
): UsualTotal | undefined {
  const range = rangeOf(weeks, logarithmOf);
  if (range === undefined) return undefined;
  const { at, ...basis } = range;
  const trend = Array.from({ length: weeks.length + 1 }, (_, week) => {
    const { low, high } = at(week);
    const least = Math.max(0, Math.ceil(Math.exp(low) - 0.5));
    return { low: least, high: Math.max(least, Math.floor(Math.exp(high) - 0.5)) };
  });
  const ends = trend.at(-1) ?? { low: 0, high: 0 };
  return { ...basis, ...ends, side: sideOf(now, ends), trend };
}

/**
 * The visitors of a typical week of the last four and of the four before, if they differ by more
 * than half the usual range.
 */
export function slowChange(weeks: readonly (number | undefined)[], now: number) {
  const range = rangeOf(weeks, logarithmOf);
  const last8 = [...weeks, now].slice(-8);
  const logs = last8.flatMap((count) => (count === undefined ? [] : logarithmOf(count).y));
  if (range === undefined || logs.length < 8) return undefined;
  const [before = 0, last = 0] = [logs.slice(0, 4), logs.slice(4)].map(medianOf);
  const { low, high } = range.at(weeks.length);
  if (Math.abs(last - before) <= (high - low) / 2) return undefined;
  return { last: Math.round(Math.exp(last) - 0.5), before: Math.round(Math.exp(before) - 0.5) };
}

/** The usual range of a share, if there are enough `weeks`, as for `usualTotal`. */
export function usualShare(
  weeks: readonly (Fraction | undefined)[],
  now: Fraction,
): Usual | undefined {
  const range = rangeOf(weeks, logitOf);
  if (range === undefined) return undefined;
  const { at, ...basis } = range;
  const { low, high } = at(weeks.length);
  const ends = { low: shareOf(low, now.whole), high: shareOf(high, now.whole) };
  return { ...basis, ...ends, side: sideOf(now.part / now.whole, ends) };
}

function sideOf(figure: number, { low, high }: Pick<Usual, 'low' | 'high'>): Side {
  if (figure > high) return 'more';
  if (figure < low) return 'fewer';
  return 'usual';
}

const logarithmOf = (count: number) => ({ y: Math.log(count + 0.5), weight: count });

function logitOf({ part, whole }: Fraction) {
  const others = whole - part;
  return { y: Math.log((part + 0.5) / (others + 0.5)), weight: (part * others) / whole };
}

/**
 * The inverse of `logitOf`, halves included: with few visitors, 0% would otherwise be below a range
 * that it is in.
 */
function shareOf(logit: number, whole: number): number {
  const share = ((whole + 1) / (1 + Math.exp(-logit)) - 0.5) / whole;
  return Math.min(1, Math.max(0, share));
}

function rangeOf<T>(weeks: readonly (T | undefined)[], pointOf: (figure: T) => Omit<Point, 'x'>) {
  const points = weeks.flatMap((figure, x) =>
    figure === undefined ? [] : { x, ...pointOf(figure) },
  );
  if (points.length < minWeeks) return undefined;
  const noise = 1 / Math.max(1, mean(points.map(({ weight }) => weight)));
  const fit: Fit = { noise, isSloped: points.length >= minForLine };
  const used = withoutOdd(points, fit);
  const leftOut = points.filter((point) => !used.includes(point)).map(({ x }) => x);
  const at = (x: number) => {
    const { expected, reach } = predict(x, used, fit, outside);
    return { low: expected - reach, high: expected + reach };
  };
  return { at, periods: used.length, leftOut };
}

/**
 * Leaves out the week, or two neighbors on one side, furthest from the line through the others: two
 * could hide each other.
 */
function withoutOdd(points: readonly Point[], fit: Fit): readonly Point[] {
  const pairs = points.flatMap((point) => {
    const next = points.find(({ x }) => x === point.x + 1);
    return next === undefined || points.length - 2 < minWeeks ? [] : [[point, next]];
  });
  const tail = falselyOdd / (2 * points.length - 1);
  const [furthest] = [...points.map((point) => [point]), ...pairs]
    .map((odd) => {
      const others = points.filter((point) => !odd.includes(point));
      const distances = odd.map(({ x, y }) => {
        const { expected, reach } = predict(x, others, fit, tail);
        return (y - expected) / reach;
      });
      // The smaller distance of two on the same side; negative if they are on different sides.
      return { others, distance: Math.max(Math.min(...distances), -Math.max(...distances)) };
    })
    .toSorted((a, b) => b.distance - a.distance);
  if (furthest && furthest.distance > 1) return furthest.others;
  return points;
}

/**
 * Predicts the value at `x`, and how far off all but a share `tail` of values are. `noise` is the
 * least variance.
 */
function predict(x: number, points: readonly Point[], { isSloped, noise }: Fit, tail: number) {
  const meanX = mean(points.map((point) => point.x));
  const meanY = mean(points.map((point) => point.y));
  const width = sum(points.map((point) => (point.x - meanX) ** 2));
  const slope = isSloped ? sum(points.map((point) => (point.x - meanX) * point.y)) / width : 0;
  const degrees = points.length - (isSloped ? 2 : 1);
  const residuals = points.map((point) => point.y - meanY - slope * (point.x - meanX));
  const scatter = Math.max(noise, sum(residuals.map((residual) => residual ** 2)) / degrees);
  const uncertainty = 1 + 1 / points.length + (isSloped ? (x - meanX) ** 2 / width : 0);
  const reach = tLimit(tail, degrees) * Math.sqrt(scatter * uncertainty);
  return { expected: meanY + slope * (x - meanX), reach };
}
