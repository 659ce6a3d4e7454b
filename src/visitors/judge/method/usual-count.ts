import { medianOf } from '../../../core/median.ts';
import type { Window } from '../../read/window.ts';
import { minWeeks } from '../../read/window-read.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/* "How many people" in docs/visitors-method.md. A week is a period of any length. */

/**
 * Where a count is, compared with its usual range; `varies` if it is inside a range that is too
 * wide to call it usual.
 */
export type Side = 'more' | 'fewer' | 'usual' | 'varies';

export type UsualCount = Readonly<NonNullable<ReturnType<typeof findUsual>>>;

/** How many people, or other visitors, an earlier week had. */
export type CountedWeek = Readonly<{ window: Window; count: number }>;

const toLog = (count: number) => Math.log(count + 0.5);
const fromLog = (log: number) => Math.exp(log) - 0.5;

/** Rounding errors must not move an end that is a whole number. */
const roundingError = 1e-9;

/** The usual range of a count. `undefined` if there are too few earlier weeks. */
export function findUsual(earlier: readonly CountedWeek[], now: number) {
  const newest = earlier.slice(-rule.maxWeeks);
  if (newest.length < minWeeks) return undefined;
  const { middle, ...swing } = measureSwing(newest);
  const reach = (rule.reachByWeeks.get(newest.length) ?? 0) * swing.spread;
  const noise = 1 / Math.sqrt(Math.max(1, fromLog(middle)));
  const half = Math.max(reach, rule.minReach * noise);
  const low = Math.max(0, Math.ceil(fromLog(middle - half) - roundingError));
  const high = Math.max(0, Math.floor(fromLog(middle + half) + roundingError));
  return {
    low,
    high,
    side: findSide(now, low, high),
    /** How many earlier weeks it is based on. */
    weeks: newest.length,
    /** Those that the spread leaves out, because they are the furthest from the middle. */
    leftOut: swing.leftOut,
  };
}

/**
 * The middle of the weeks and their spread around it, as logarithms: the root mean squared distance
 * from it, without the furthest weeks.
 */
function measureSwing(weeks: readonly CountedWeek[]) {
  const middle = medianOf(weeks.map(({ count }) => toLog(count)));
  const distances = weeks.map(({ window, count }) => {
    return { window, distance: Math.abs(toLog(count) - middle) };
  });
  distances.sort((a, b) => a.distance - b.distance);
  const odd = weeks.length >= rule.minWeeksForTwoOdd ? 2 : 1;
  const leftOut = distances.splice(-odd).map(({ window }) => window);
  const spread = Math.sqrt(mean(distances.map(({ distance }) => distance ** 2)));
  return { middle, spread, leftOut };
}

function findSide(count: number, low: number, high: number): Side {
  if (count > high) return 'more';
  if (count < low) return 'fewer';
  if (high > rule.tooWide * Math.max(1, low)) return 'varies';
  return 'usual';
}
