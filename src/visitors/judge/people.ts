import type { VisitorsTotals } from '../../service/schemas.ts';
import { type Cut, isSilent, lackOf, minWeeks, type WindowRead } from '../read/window-read.ts';
import { sum } from './method/statistics.ts';
import { findUsual, type UsualCount } from './method/usual-count.ts';

/* How many people a site had, what is usual, or why that is unknown. */

/**
 * Since this day, the service counts reads of its Markdown pages as AI. Earlier counts aren't
 * comparable.
 */
const aiRecountedOn = '2026-07-31';

/** Two halves of these windows are compared. */
const maxRecent = 8;

type Kind = keyof VisitorsTotals;

/** The usual range of one of the site's totals; `undefined` if it is unknown. */
export function judgeTotal(
  kind: Kind,
  now: WindowRead,
  earlier: readonly WindowRead[],
): UsualCount | undefined {
  const count = now.totals[kind];
  if (count === undefined) return undefined;
  const counts = earlier.map((past) => countIn(kind, past, now));
  return findUsual(
    counts.filter((past) => past !== undefined),
    count,
  );
}

/** An earlier window's count, per day as long as this one; `undefined` if it isn't comparable. */
function countIn(kind: Kind, past: WindowRead, now: WindowRead): number | undefined {
  const count = past.totals[kind];
  if (count === undefined || isSilent(past)) return undefined;
  if (kind === 'human' ? count === 0 : isRecounted(past, now)) return undefined;
  return (count * now.window.days) / past.window.days;
}

/** Whether the service counted AI differently in an earlier window. */
export function isRecounted(past: WindowRead, now: WindowRead): boolean {
  return past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;
}

/**
 * The people of a typical week of the last four and of the four before, if all are known and differ
 * by more than half the usual range.
 */
export function compareFourWeeks(now: WindowRead, earlier: readonly WindowRead[]) {
  const range = judgeTotal('human', now, earlier);
  const recent = [...earlier, now].slice(-maxRecent);
  const counts = recent.map((read) => countIn('human', read, now)).filter((c) => c !== undefined);
  if (range === undefined || counts.length < maxRecent) return undefined;
  const half = maxRecent / 2;
  const before = sum(counts.slice(0, half)) / half;
  const last = sum(counts.slice(half)) / half;
  if (Math.abs(last - before) <= (range.high - range.low) / 2) return undefined;
  return { last: Math.round(last), before: Math.round(before) };
}

/** Why the people have no usual range. `usable` windows had people; `unread` ones may have had. */
export type NoRange = Readonly<{
  cause: 'low-baseline' | 'unread' | 'few-weeks';
  /** What a window is called. */
  noun: string;
  usable: number;
  unread: number;
  cut?: Cut | undefined;
  /** How many more windows a young site needs. */
  lacking?: number;
}>;

/** Why there is no usual range; `undefined` if there is one, or if nothing is compared. */
export function explainNoRange(
  now: WindowRead,
  earlier: readonly WindowRead[],
): NoRange | undefined {
  const usable = earlier.filter((past) => countIn('human', past, now) !== undefined).length;
  if (earlier.length === 0 || usable >= minWeeks) return undefined;
  const unread = earlier.filter(isUnread);
  const [firstUnread] = unread;
  const known = { noun: now.window.noun, usable, unread: unread.length };
  if (earlier.length < minWeeks) return { ...known, cause: 'low-baseline' };
  if (firstUnread === undefined)
    return { ...known, cause: 'few-weeks', lacking: minWeeks - usable };
  if (usable + unread.length < minWeeks) return { ...known, cause: 'few-weeks' };
  return { ...known, cause: 'unread', cut: lackOf(firstUnread) };
}

/** Whether it is unknown how many people a window had. */
export const isUnread = ({ totals }: WindowRead) => totals.human === undefined;
