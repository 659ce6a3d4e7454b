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

/** The usual range of a count. */
export type UsualCount = Readonly<{
  low: number;
  high: number;
  side: Side;
  /** How many earlier weeks it is based on. */
  weeks: number;
  /** Those that the spread leaves out, because they are the furthest from the middle. */
  leftOut: readonly Window[];
}>;

/** How many people, or other visitors, an earlier week had. */
export type CountedWeek = Readonly<{ window: Window; count: number }>;

/** The middle of the weeks and their spread around it, as logarithms. */
type Swing = Readonly<{ middle: number; spread: number; leftOut: readonly Window[] }>;

const toLog = (count: number) => Math.log(count + 0.5);
const fromLog = (log: number) => Math.exp(log) - 0.5;

/** Rounding errors must not move an end that is a whole number. */
const roundingError = 1e-9;

/** The usual range of a count. `undefined` if there are too few earlier weeks. */
export function findUsual(earlier: readonly CountedWeek[], now: number): UsualCount | undefined {
  const newest = earlier.slice(-rule.maxWeeks);
  if (newest.length < minWeeks) return undefined;
  const swing = measureSwing(newest);
  const range = roundInward(swing.middle, findHalf(swing, newest.length));
  const side = judgeCount(now, range);
  return { ...range, side, weeks: newest.length, leftOut: swing.leftOut };
}

/** The spread is the root mean squared distance from the middle, without the furthest weeks. */
function measureSwing(weeks: readonly CountedWeek[]): Swing {
  const middle = medianOf(weeks.map(({ count }) => toLog(count))) ?? 0;
  const distances = weeks.map(({ window, count }) => {
    return { window, distance: Math.abs(toLog(count) - middle) };
  });
  distances.sort((a, b) => a.distance - b.distance);
  const odd = weeks.length >= rule.minWeeksForTwoOdd ? 2 : 1;
  const leftOut = distances.splice(-odd).map(({ window }) => window);
  const spread = Math.sqrt(mean(distances.map(({ distance }) => distance ** 2)));
  return { middle, spread, leftOut };
}

/** How far the range reaches to each side. */
function findHalf({ middle, spread }: Swing, weeks: number): number {
  const factor = rule.reachByWeeks.get(weeks) ?? 0;
  const noise = 1 / Math.sqrt(Math.max(1, fromLog(middle)));
  return Math.max(factor * spread, rule.minReach * noise);
}

function roundInward(middle: number, half: number) {
  const low = Math.ceil(fromLog(middle - half) - roundingError);
  const high = Math.floor(fromLog(middle + half) + roundingError);
  return { low: Math.max(0, low), high: Math.max(0, high) };
}

function judgeCount(count: number, { low, high }: Pick<UsualCount, 'low' | 'high'>): Side {
  if (count > high) return 'more';
  if (count < low) return 'fewer';
  if (high > rule.tooWide * Math.max(1, low)) return 'varies';
  return 'usual';
}
