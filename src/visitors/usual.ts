import type { Side } from '../report/numbers.ts';
import { mean, sum, tLimit } from './statistics.ts';

/*
 * What is usual for one of the site's figures: a straight line through the logarithms of earlier weeks (logits for a share),
 * with its prediction interval. Seber and Lee, Linear Regression Analysis, 5.3 (prediction) and 10.2 (one outlier).
 * `__tests__/support/usual-weeks/` simulates how often it is wrong and what it finds.
 */

/** What is usual for a figure: if nothing changes, 95 of 100 weeks are between `low` and `high`, inclusive. */
export interface Usual {
  /** Whole visitors for a count; 0 to 1 for a share. */
  readonly low: number;
  readonly high: number;
  readonly side: Side;
  /** How many weeks it was learned from. */
  readonly weeks: number;
}

/** One week's AI visitors and all visitors. */
export interface ShareCounts {
  readonly ai: number;
  readonly total: number;
}

/** With fewer weeks, there is no usual range. */
export const fewestWeeks = 4;

/** With fewer weeks, there is no line, only a mean. */
const fewestForLine = 6;

/** The share of normal series that have a week dropped as an outlier. */
const falselyOdd = 0.05;

/**
 * The share of weeks on the line that are outside the range. Dropping a week makes the range narrower, so in total it is 5 of
 * 100 weeks in which nothing changed.
 */
const outside = 0.04;

/** A week: its place on the line, its logarithm or logit, and the variance of that from counting noise alone. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly noise: number;
}

/**
 * What is usual for a number of visitors, if there is data for enough weeks.
 *
 * @param weeks the weeks right before, oldest first; `undefined` if one is unknown or must not be used.
 */
export function usualTotal(weeks: readonly (number | undefined)[], now: number): Usual | undefined {
  const points = weeks.flatMap((count, x) => (count === undefined ? [] : { x, ...logarithmOf(count) }));
  const range = rangeAt(weeks.length, points);
  if (range === undefined) return undefined;
  const low = Math.max(0, Math.ceil(Math.exp(range.low) - 0.5));
  const high = Math.max(low, Math.floor(Math.exp(range.high) - 0.5));
  return { low, high, side: sideOf(now, low, high), weeks: range.weeks };
}

/** What is usual for the share of AI visitors. A week with contradictory counts isn't used, and has no range. */
export function usualShare(weeks: readonly (ShareCounts | undefined)[], now: ShareCounts): Usual | undefined {
  const points = weeks.flatMap((week, x) => (week && isShare(week) ? { x, ...logitOf(week) } : []));
  const range = isShare(now) ? rangeAt(weeks.length, points) : undefined;
  if (range === undefined) return undefined;
  const [low, high] = [shareOf(range.low), shareOf(range.high)];
  return { low, high, side: sideOf(logitOf(now).y, range.low, range.high), weeks: range.weeks };
}

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

function rangeAt(x: number, points: readonly Point[]) {
  if (points.length < fewestWeeks) return undefined;
  const isSloped = points.length >= fewestForLine;
  const used = withoutOdd(points, isSloped);
  const { expected, reach } = predict(x, used, isSloped, outside);
  return { low: expected - reach, high: expected + reach, weeks: used.length };
}

/**
 * Drops the point furthest from the line through the others, if it is too far off. Otherwise, one holiday or outage would hide
 * any fall.
 */
function withoutOdd(points: readonly Point[], isSloped: boolean): readonly Point[] {
  const [furthest] = points
    .map((point) => {
      const others = points.filter((other) => other !== point);
      const { expected, reach } = predict(point.x, others, isSloped, falselyOdd / points.length);
      return { others, distance: Math.abs(point.y - expected) / reach };
    })
    .toSorted((a, b) => b.distance - a.distance);
  return furthest && furthest.distance > 1 ? furthest.others : points;
}

/** The expected value of another point, and its margin: only this share of points falls outside it. */
function predict(x: number, points: readonly Point[], isSloped: boolean, tail: number) {
  const meanX = mean(points.map((point) => point.x));
  const meanY = mean(points.map((point) => point.y));
  const width = sum(points.map((point) => (point.x - meanX) ** 2));
  const slope = isSloped ? sum(points.map((point) => (point.x - meanX) * point.y)) / width : 0;
  const degrees = points.length - (isSloped ? 2 : 1);
  const residuals = points.map((point) => point.y - meanY - slope * (point.x - meanX));
  const scatter = sum(residuals.map((residual) => residual ** 2)) / degrees;
  const noise = mean(points.map((point) => point.noise));
  const uncertainty = 1 + 1 / points.length + (isSloped ? (x - meanX) ** 2 / width : 0);
  return {
    expected: meanY + slope * (x - meanX),
    reach: tLimit(tail, degrees) * Math.sqrt(Math.max(scatter, noise) * uncertainty),
  };
}
