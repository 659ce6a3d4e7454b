import type { VisitorsTotals } from '../../service/schemas.ts';
import { lacksTotal, type WindowRead } from '../read/window-read.ts';
import { difference, type Ratio, ratioOf, sum } from './ratio.ts';

/*
 * The arithmetic of the report. Nothing is rounded here: tell/numbers.ts rounds what it writes.
 */

const unchanged = ratioOf(1, 1);

/** A total of the whole site; `undefined` where the service did not count it: then nothing is said of it. */
export function totalOf(read: WindowRead, kind: keyof VisitorsTotals): number | undefined {
  return lacksTotal(read, kind) ? undefined : read.totals[kind];
}

/** AI visitors as a share of the whole site's, where both are counted. */
export function aiShareOf(read: WindowRead): Ratio | undefined {
  const total = totalOf(read, 'total');
  return total === undefined ? undefined : aiShare({ ai: totalOf(read, 'ai'), total });
}

/** The kinds of which the service gave more visitors than it gave in all, which cannot be. */
export function contradictions(read: WindowRead): ('human' | 'ai')[] {
  const total = totalOf(read, 'total') ?? Number.POSITIVE_INFINITY;
  return (['human', 'ai'] as const).filter((kind) => (totalOf(read, kind) ?? 0) > total);
}

/** The site's visitors by kind, each visitor once: these do add up. */
export interface Mix {
  readonly humanOnly: number;
  readonly aiOnly: number;
  readonly both: number;
}

/** `undefined` where the service did not count all kinds, or its totals contradict each other. */
export function mixOf(read: WindowRead): Mix | undefined {
  const [human, ai, total] = [totalOf(read, 'human'), totalOf(read, 'ai'), totalOf(read, 'total')];
  if (human === undefined || ai === undefined || total === undefined) return undefined;
  if (contradictions(read).length > 0) return undefined;
  const shared = both({ human, ai, total });
  return { humanOnly: sum(human, -shared), aiOnly: sum(ai, -shared), both: shared };
}

/** Visitors that count both as human and as AI. The service's `total` counts them once. */
export function both({ human, ai, total }: Readonly<Record<keyof VisitorsTotals, number>>): number {
  return Math.max(0, sum(human, ai, -total));
}

/** AI visitors as a share of all; `undefined` where there are none, or where the two contradict each other. */
export function aiShare({ ai, total }: VisitorsTotals): Ratio | undefined {
  return ai === undefined || total === 0 || ai > total ? undefined : ratioOf(ai, total);
}

/** The change in proportion to the figure before; `undefined` where there was nothing before. */
export function relativeChange(now: number, before: number): Ratio | undefined {
  return before === 0 ? undefined : difference(ratioOf(now, before), unchanged);
}
