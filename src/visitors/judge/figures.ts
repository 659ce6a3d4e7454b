import type { VisitorsTotals } from '../../service/schemas.ts';

/*
 * The arithmetic of the report. Nothing is rounded here: tell/numbers.ts rounds what it writes.
 */

/** Visitors that count both as human and as AI. The service's `total` counts them once. */
export function both({ human, ai, total }: VisitorsTotals): number {
  return Math.max(0, human + ai - total);
}

/** AI visitors in per cent of all; `undefined` where there are none. */
export function aiShare({ ai, total }: VisitorsTotals): number | undefined {
  return total === 0 ? undefined : (ai / total) * 100;
}

/** The change in per cent; `undefined` where there was nothing before. */
export function changePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : ((now - before) / before) * 100;
}
