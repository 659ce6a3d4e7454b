import type { VisitorsTotals } from '../../service/schemas.ts';
import {
  type Cut,
  hasVisitors,
  isSilent,
  lackOf,
  minWeeks,
  type WindowRead,
} from '../read/window-read.ts';
import { aiShare } from './numbers.ts';
import { slowChange, type UsualTotal, usualShare, usualTotal } from './usual.ts';

/* What is usual for a site's totals, or why that is unknown. */

/**
 * Since this day, the service counts reads of its Markdown pages as AI. Earlier counts aren't
 * comparable.
 */
const aiRecountedOn = '2026-07-31';

type Kind = keyof VisitorsTotals;

/** The usual ranges of the site's totals. Months differ in length, so they are compared per day. */
export function judgeTotals(now: WindowRead, earlier: readonly WindowRead[]) {
  /** Leaves out a window that had no visitors, or counted AI differently. */
  const isUsable = (past: WindowRead, kind: Kind) =>
    !isSilent(past) && (kind === 'human' || !isRecounted(past, now));
  const countsOf = (kind: Kind) =>
    earlier.map((past) => {
      const count = past.totals[kind];
      if (count === undefined || !isUsable(past, kind)) return undefined;
      return (count * now.window.days) / past.window.days;
    });
  const rangeOf = (kind: Kind): UsualTotal | undefined => {
    const count = now.totals[kind];
    if (count === undefined) return undefined;
    const range = usualTotal(countsOf(kind), count);
    if (range === undefined) return undefined;
    const trend = range.trend.map(({ low, high }, week) => {
      const scale = (earlier[week] ?? now).window.days / now.window.days;
      return { low: Math.round(low * scale), high: Math.round(high * scale) };
    });
    return { ...range, trend };
  };
  const { total } = now.totals;
  const share = aiShare(now.totals);
  const shares = earlier.map((past) => (isUsable(past, 'ai') ? aiShare(past.totals) : undefined));
  return {
    usual: {
      total: rangeOf('total'),
      human: rangeOf('human'),
      ai: rangeOf('ai'),
      share: share && usualShare(shares, share),
    },
    slow: total ? slowChange(countsOf('total'), total) : undefined,
  };
}

/** Whether the service counted AI differently in an earlier window. */
export function isRecounted(past: WindowRead, now: WindowRead): boolean {
  return past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;
}

/** Why the total has no usual range. `usable` windows had visitors; `unread` ones may have had. */
export type NoRange = Readonly<{
  cause: 'low-baseline' | 'unread' | 'recount' | 'few-weeks';
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
  const comparable = earlier.filter((past) => !isRecounted(past, now));
  const usable = comparable.filter(hasVisitors).length;
  if (earlier.length === 0 || usable >= minWeeks) return undefined;
  const unread = comparable.filter(isUnread);
  const [firstUnread] = unread;
  const known = { noun: now.window.noun, usable, unread: unread.length };
  if (earlier.length < minWeeks) return { ...known, cause: 'low-baseline' };
  if (firstUnread !== undefined && usable + unread.length >= minWeeks)
    return { ...known, cause: 'unread', cut: lackOf(firstUnread) };
  if (comparable.length < earlier.length) return { ...known, cause: 'recount' };
  if (firstUnread !== undefined) return { ...known, cause: 'few-weeks' };
  return { ...known, cause: 'few-weeks', lacking: minWeeks - usable };
}

export const isUnread = ({ totals }: WindowRead) => totals.total === undefined;
