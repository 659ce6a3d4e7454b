import type { VisitorsTotals } from '../../service/schemas.ts';

/**
 * A share or a change, as two counts. Never compare the quotient, because it is rounded. `whole` is
 * above 0.
 */
export type Fraction = Readonly<{ part: number; whole: number }>;

/** The change relative to `before`; `undefined` if `before` is 0, or if either count is unknown. */
export function changeFrom(
  before: number | undefined,
  now: number | undefined,
): Fraction | undefined {
  if (!before || now === undefined) return undefined;
  return { part: now - before, whole: before };
}

/**
 * The share of AI visitors; `undefined` if there are no visitors, or if the counts contradict each
 * other.
 */
export function aiShare({ ai, total }: VisitorsTotals): Fraction | undefined {
  if (!total || ai === undefined || ai > total) return undefined;
  return { part: ai, whole: total };
}

/**
 * Positive if the fraction is above that percentage, negative if below. Compares integers, so
 * 100 → 107 is exactly 7%.
 */
export function compareToPercent({ part, whole }: Fraction, percent: number): number {
  const [, decimals = ''] = `${percent}`.split('.');
  const scale = 10 ** decimals.length;
  return 100 * scale * part - Math.round(percent * scale) * whole;
}
