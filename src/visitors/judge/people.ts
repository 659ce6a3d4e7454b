import { medianOf } from '../../core/median.ts';
import type { VisitorsTotals } from '../../service/schemas.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import { type Cut, isSilent, lackOf, minWeeks, type WindowRead } from '../read/window-read.ts';
import { mean } from './method/statistics.ts';
import { findUsual, type UsualCount } from './method/usual-count.ts';
import { changeFrom } from './numbers.ts';

/* How many people a site had, what is usual, or why that is unknown. */

/**
 * Since this day, the service counts reads of its Markdown pages as AI. Earlier counts aren't
 * comparable.
 */
const aiRecountedOn = '2026-07-31';

/** Two halves of these windows are compared. */
const maxRecent = 8;

type Kind = keyof VisitorsTotals;

/** Compares the people of this window with those of earlier ones. */
export function judgePeople({ now, before, earlier }: Omit<SiteWindows, 'project'>) {
  const usual = {
    human: judgeTotal('human', now, earlier),
    ai: judgeTotal('ai', now, earlier),
    total: judgeTotal('total', now, earlier),
  };
  return {
    /** The change from the window before; `undefined` if that had none. */
    change: changeFrom(before?.totals.human, now.totals.human),
    /** The usual ranges. Only that of people is a verdict; the others are for alerts. */
    usual,
    /** Why people have no usual range; `undefined` if they do, or if nothing is compared. */
    whyNoRange: before && explainTooFew(now, earlier, minWeeks, hasPeople),
    /** The people of a typical week of the last four and the four before, if they clearly differ. */
    fourWeeks: usual.human && compareFourWeeks(usual.human, now, earlier),
  };
}

/** The usual range of one of the site's totals; `undefined` if it is unknown. */
function judgeTotal(
  kind: Kind,
  now: WindowRead,
  earlier: readonly WindowRead[],
): UsualCount | undefined {
  const count = now.totals[kind];
  if (count === undefined) return undefined;
  const weeks = earlier.flatMap((past) => {
    const pastCount = countIn(kind, past, now);
    return pastCount === undefined ? [] : [{ window: past.window, count: pastCount }];
  });
  return findUsual(weeks, count);
}

/** An earlier window's count, per day as long as this one; `undefined` if it isn't comparable. */
function countIn(kind: Kind, past: WindowRead, now: WindowRead): number | undefined {
  const count = past.totals[kind];
  if (count === undefined || isSilent(past)) return undefined;
  if (kind === 'human' ? count === 0 : isRecounted(past, now)) return undefined;
  return (count * now.window.days) / past.window.days;
}

/** Whether the service counted AI differently in an earlier window. */
function isRecounted(past: WindowRead, now: WindowRead): boolean {
  return past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;
}

/**
 * Compares four weeks with the four before; `undefined` unless they differ by half the range. One
 * odd week moves the mean, but not the median, so both must differ.
 */
function compareFourWeeks(
  { low, high }: UsualCount,
  now: WindowRead,
  earlier: readonly WindowRead[],
) {
  const recent = [...earlier, now].slice(-maxRecent);
  const counts = recent.map((read) => countIn('human', read, now)).filter((c) => c !== undefined);
  if (counts.length < maxRecent) return undefined;
  const last = counts.slice(maxRecent / 2);
  const before = counts.slice(0, maxRecent / 2);
  const byMean = mean(last) - mean(before);
  const byMedian = medianOf(last) - medianOf(before);
  const isMore = Math.min(byMean, byMedian) > (high - low) / 2;
  const isFewer = Math.max(byMean, byMedian) < (low - high) / 2;
  if (!isMore && !isFewer) return undefined;
  return { last: Math.round(mean(last)), before: Math.round(mean(before)) };
}

/**
 * Why too few earlier windows show what is usual. `unread` ones may have had people. Of `unranked`
 * ones, some pages were read, but maybe not the most-read ones.
 */
export type TooFew = Readonly<{
  cause: 'low-baseline' | 'unread' | 'unranked' | 'few-weeks';
  /** What a window is called. */
  noun: string;
  usable: number;
  unread: number;
  cut?: Cut | undefined;
  /** How many more windows a young site needs. */
  lacking?: number;
}>;

/** Why fewer windows than needed are usable; `undefined` if there are enough. */
export function explainTooFew(
  now: WindowRead,
  earlier: readonly WindowRead[],
  needed: number,
  isUsable: (past: WindowRead) => boolean,
): TooFew | undefined {
  const usable = earlier.filter(isUsable).length;
  if (usable >= needed) return undefined;
  const unread = earlier.filter((past) => !isUsable(past) && !hasNoPeople(past));
  const known = { noun: now.window.noun, usable, unread: unread.length };
  const [firstUnread] = unread;
  if (earlier.length < needed) return { ...known, cause: 'low-baseline' };
  if (firstUnread === undefined) return { ...known, cause: 'few-weeks', lacking: needed - usable };
  if (usable + unread.length < needed) return { ...known, cause: 'few-weeks' };
  return { ...known, cause: 'unread', cut: lackOf(firstUnread) };
}

const hasPeople = ({ totals }: WindowRead) => Boolean(totals.human);

/** Whether it is known that a window had no people. */
export const hasNoPeople = (read: WindowRead) => isSilent(read) || read.totals.human === 0;
