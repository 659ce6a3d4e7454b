import { dash, pluralize } from '../../../text/counts.ts';
import type { Fraction } from '../../judge/numbers.ts';

/*
 * All percentages are rounded here, half away from zero. docs/visitors-method.md ("Percentages")
 * says to how many decimals.
 */

/** `31%`, `<1%`, `>99%`, without a sign; a dash if unknown. */
export function formatPercent(fraction: Fraction | undefined, decimals: 0 | 1 = 0): string {
  if (fraction === undefined) return dash;
  const { size, bound } = round(fraction, decimals);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${bound}${size.toLocaleString('en-US', digits)}%`;
}

/** A fall of more than 99% is a change below −99%, so `>` becomes `<`. */
const oppositeBounds = { '': '', '<': '>', '>': '<' } as const;

/** `+8%`, `−30%`, `<−99%`; a dash if unknown. */
export function formatChange(change: Fraction | undefined): string {
  if (change === undefined) return dash;
  const { size, bound } = round(change, 0);
  const side = change.part < 0 ? oppositeBounds[bound] : bound;
  return `${side}${signOf(change.part)}${size.toLocaleString('en-US')}%`;
}

/** `+1 point`, `−2 points`: the difference between two shares; a dash if one is unknown. */
export function formatPoints(now: Fraction | undefined, before: Fraction | undefined): string {
  if (now === undefined || before === undefined) return dash;
  const points = Math.round(toPercent(now) - toPercent(before));
  return `${signOf(points)}${pluralize(Math.abs(points), 'point')}`;
}

export function toPercent(fraction: Fraction): number {
  const { size } = round(fraction, 1);
  return fraction.part < 0 ? -size : size;
}

/**
 * Rounds to a percentage. A value that would wrongly become 0 or 100 gets a `bound`: which side the
 * exact value is on.
 */
function round(
  { part, whole }: Fraction,
  decimals: 0 | 1,
): { size: number; bound: '' | '<' | '>' } {
  const exact = Math.abs(part);
  const steps = 10 ** decimals;
  const rounded = Math.round((100 * steps * exact) / whole);
  if (rounded === 0 && exact > 0) return { size: 1 / steps, bound: '<' };
  if (rounded === 100 * steps && exact < whole) return { size: 100 - 1 / steps, bound: '>' };
  return { size: rounded / steps, bound: '' };
}

function signOf(value: number): string {
  if (value === 0) return '';
  return value > 0 ? '+' : '−';
}
