import type { VisitorsTotals } from '../../service/schemas.ts';
import { difference, type Ratio, ratioOf } from './ratio.ts';

/*
 * The arithmetic of the report. Nothing is rounded here: tell/numbers.ts rounds what it writes.
 */

const unchanged = ratioOf(1, 1);

/** Visitors that count both as human and as AI. The service's `total` counts them once. */
export function both({ human, ai, total }: VisitorsTotals): number {
  return Math.max(0, human + ai - total);
}

/** AI visitors as a share of all; `undefined` where there are none. */
export function aiShare({ ai, total }: VisitorsTotals): Ratio | undefined {
  return total === 0 ? undefined : ratioOf(ai, total);
}

/** The change in proportion to the figure before; `undefined` where there was nothing before. */
export function relativeChange(now: number, before: number): Ratio | undefined {
  return before === 0 ? undefined : difference(ratioOf(now, before), unchanged);
}
