import type { Fraction } from '../report/numbers.ts';
import { totalOf, type WindowRead } from '../report/window-read.ts';
import type { VisitorsTotals } from '../service/schemas.ts';

/** AI visitors as a share of all; `undefined` if there are none, or if the two contradict each other. */
export function aiShare({ ai, total }: VisitorsTotals): Fraction | undefined {
  return ai === undefined || total === 0 || ai > total ? undefined : { part: ai, whole: total };
}

/** AI visitors as a share of the whole site's, if both are counted. */
export function siteAiShare(read: WindowRead): Fraction | undefined {
  const total = totalOf(read, 'total');
  return total === undefined ? undefined : aiShare({ ai: totalOf(read, 'ai'), total });
}

/** The kinds of which the service gave more visitors than in all, which cannot be. */
export function contradictions(read: WindowRead): ('human' | 'ai')[] {
  const total = totalOf(read, 'total') ?? Number.POSITIVE_INFINITY;
  return (['human', 'ai'] as const).filter((kind) => (totalOf(read, kind) ?? 0) > total);
}

/**
 * The site's visitors by kind, each visitor once: these do add up. `undefined` if the service did not count all kinds, or if its
 * totals contradict each other.
 */
export function mixOf(read: WindowRead) {
  const [human, ai, total] = [totalOf(read, 'human'), totalOf(read, 'ai'), totalOf(read, 'total')];
  if (human === undefined || ai === undefined || total === undefined) return undefined;
  if (contradictions(read).length > 0) return undefined;
  const both = Math.max(0, human + ai - total);
  return { humanOnly: human - both, aiOnly: ai - both, both };
}
