import { previousWindow, type Window } from '../report/window.ts';
import { totalOf, type Windows } from '../report/window-read.ts';
import type { VisitorsTotals } from '../service/schemas.ts';

/** How many windows a trend has at most: more labels would not fit next to each other. */
const trendWindows = 8;

/** One window in the trend. */
export interface TrendPoint {
  readonly window: Window;
  readonly visitors: number;
}

/**
 * The report's window and those before it whose totals are known, oldest first.
 *
 * @param knownTotals the totals of an earlier window, if the history has them.
 */
export function trendOf(
  { now, before }: Windows,
  knownTotals: (window: Window) => VisitorsTotals | undefined,
): TrendPoint[] {
  let { window } = now;
  const points: TrendPoint[] = [{ window, visitors: totalOf(now, 'total') ?? 0 }];
  for (let back = 1; back < trendWindows; back += 1) {
    window = previousWindow(window);
    const isRead = back === 1 && before !== undefined;
    const visitors = isRead ? totalOf(before, 'total') : knownTotals(window)?.total;
    points.unshift({ window, visitors: visitors ?? 0 });
  }
  // A total of 0 was not counted; it does not mean that no one came.
  return points.filter(({ visitors }) => visitors > 0);
}
