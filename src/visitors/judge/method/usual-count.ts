import { medianOf } from '../../../core/median.ts';
import { minWeeks } from '../../read/window-read.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/* "How many people" in docs/visitors-method.md. A week is a period of any length. */

/**
 * Where a count is, compared with its usual range; `varies` if it is inside a range that is too
 * wide to call it usual.
 */
export type Verdict = 'more' | 'fewer' | 'usual' | 'varies';

/** The usual range of a count. */
export type UsualCount = Readonly<{
  low: number;
  high: number;
  side: Verdict;
  /** How many earlier weeks it is based on. */
  weeks: number;
}>;

/** The ends of a usual range, as logarithms. */
type Reach = Readonly<{ middle: number; half: number }>;

const toLog = (count: number) => Math.log(count + 0.5);
const fromLog = (log: number) => Math.exp(log) - 0.5;

/** Rounding errors must not move an end that is a whole number. */
const roundingError = 1e-9;

/** The usual range of a count. `undefined` if there are too few earlier weeks. */
export function findUsual(earlier: readonly number[], now: number): UsualCount | undefined {
  const newest = earlier.slice(-rule.maxWeeks);
  if (newest.length < minWeeks) return undefined;
  const range = roundInward(findReach(newest));
  return { ...range, side: judgeCount(now, range), weeks: newest.length };
}

function findReach(weeks: readonly number[]): Reach {
  const logs = weeks.map(toLog);
  const middle = medianOf(logs) ?? 0;
  const factor = rule.reachByWeeks.get(logs.length) ?? 0;
  const noise = 1 / Math.sqrt(Math.max(1, fromLog(middle)));
  const half = Math.max(factor * measureSpread(logs, middle), rule.minReach * noise);
  return { middle, half };
}

/** The root mean squared distance from the middle, without the weeks furthest from it. */
function measureSpread(logs: readonly number[], middle: number): number {
  const odd = logs.length >= rule.minWeeksForTwoOdd ? 2 : 1;
  const distances = logs.map((log) => Math.abs(log - middle)).sort((a, b) => a - b);
  return Math.sqrt(mean(distances.slice(0, -odd).map((distance) => distance ** 2)));
}

function roundInward({ middle, half }: Reach) {
  const low = Math.ceil(fromLog(middle - half) - roundingError);
  const high = Math.floor(fromLog(middle + half) + roundingError);
  return { low: Math.max(0, low), high: Math.max(0, high) };
}

function judgeCount(count: number, { low, high }: Pick<UsualCount, 'low' | 'high'>): Verdict {
  if (count > high) return 'more';
  if (count < low) return 'fewer';
  if (high > rule.tooWide * Math.max(1, low)) return 'varies';
  return 'usual';
}
