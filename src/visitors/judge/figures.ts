import type { VisitorsTotals } from '../../service/schemas.ts';

/*
 * The arithmetic of the report. Figures are exact here; they are rounded only where they are written.
 */

/** Visitors that count as human and as AI. The service's `total` is distinct over both, hence not their sum. */
export function both({ human, ai, total }: VisitorsTotals): number {
  return Math.max(0, human + ai - total);
}

/** AI visitors in per cent of all; `undefined` where there are none. */
export function aiShare({ ai, total }: VisitorsTotals): number | undefined {
  return total === 0 ? undefined : (ai / total) * 100;
}

/** In per cent; `undefined` from nothing, since no percentage leads there. */
export function changePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : ((now - before) / before) * 100;
}
