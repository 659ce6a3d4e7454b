import type { VisitorsTotals } from '../../service/schemas.ts';
import { previousWindow, type Window } from '../read/period.ts';
import type { WindowPair } from '../read/window-read.ts';

/** How many windows a trend has at most: more labels would not fit beside each other. */
const trendWindows = 8;

/** One window in the trend. */
export interface TrendPoint {
  readonly window: Window;
  readonly totals: VisitorsTotals;
}

/**
 * The report's window and those before it whose totals are known, the oldest first.
 *
 * @param knownTotals the totals of an earlier window, if the history has them.
 */
export function trendOf(
  { now, before }: WindowPair,
  knownTotals: (window: Window) => VisitorsTotals | undefined,
): TrendPoint[] {
  const points: TrendPoint[] = [{ window: now.window, totals: now.totals }];
  let window = now.window;
  for (let back = 1; back < trendWindows; back += 1) {
    window = previousWindow(window);
    const totals = back === 1 && before !== undefined ? before.totals : knownTotals(window);
    if (totals !== undefined) points.unshift({ window, totals });
  }
  // A total of 0 is one that was not counted, not one of a window that nobody came in.
  return points.filter(({ totals }) => totals.total > 0);
}
