/*
 * How figures are written, in texts and in outputs. All rounding is done here: percentages have one decimal, half away from
 * zero, and what would round to 0.0 or 100.0 without being exactly that is written as 0.1 or 99.9.
 */

/**
 * A share or a change, as two counts: the quotient is only rounded, never compared. `whole` is above 0.
 */
export interface Fraction {
  readonly part: number;
  readonly whole: number;
}

/** Stands for a figure that is not known. */
const unknown = '–';

const countFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const percentFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** How much `now` is above `before`, in proportion to it; `undefined` if there was nothing before. */
export function changeFrom(before: number, now: number): Fraction | undefined {
  return before === 0 ? undefined : { part: now - before, whole: before };
}

/** How much the first is above the second. */
export function difference(a: Fraction, b: Fraction): Fraction {
  return { part: a.part * b.whole - b.part * a.whole, whole: a.whole * b.whole };
}

/** Above 0 if the fraction is more than so many per cent, below 0 if it is less. Compares whole numbers: 100 → 107 is exactly 7%. */
export function compareToPercent({ part, whole }: Fraction, percent: number): number {
  const [, decimals = ''] = `${percent}`.split('.');
  const scale = 10 ** decimals.length;
  return 100 * scale * part - Math.round(percent * scale) * whole;
}

/** `12,480`; a dash for what is not known. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? unknown : countFormat.format(count);
}

/** `1 page`, `2 pages`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `31.2%`, `<0.1%`, `>99.9%`, without a sign; a dash for what is not known. */
export function formatPercent(fraction: Fraction | undefined): string {
  return fraction === undefined ? unknown : `${formatSize(fraction)}%`;
}

/** `+8.3%`, `−30.0%`, `<−99.9%`. */
export function formatChange(change: Fraction): string {
  const { size, bound } = round(change);
  // Of two falls the larger is the smaller number.
  const side = change.part < 0 ? { '': '', '<': '>', '>': '<' }[bound] : bound;
  return `${side}${signOf(change.part)}${percentFormat.format(size)}%`;
}

/** `+150`, `−113`, `0`. */
export function formatSigned(delta: number): string {
  return `${signOf(delta)}${formatCount(Math.abs(delta))}`;
}

/** `▲ 120 (+45.2%)`, `▼ 7`, `0`: how many visitors more or fewer, with the percentage if there is one. */
export function formatDifference(delta: number, change: Fraction | undefined): string {
  if (delta === 0) return '0';
  return `${arrowOf(delta)} ${formatCount(Math.abs(delta))}${change === undefined ? '' : ` (${formatChange(change)})`}`;
}

/** `▲ 0.8 points`, `▼ <0.1 points`: how much one share is above another; a dash if one of them is not known. */
export function formatPoints(now: Fraction | undefined, before: Fraction | undefined): string {
  if (now === undefined || before === undefined) return unknown;
  const points = difference(now, before);
  return `${points.part === 0 ? '' : `${arrowOf(points.part)} `}${formatSize(points)} points`;
}

/** `up 14.2`, `down <0.1`: a change that is not 0, in words; per cent or points, as the sentence says. */
export function formatDirection(change: Fraction): string {
  return `${change.part > 0 ? 'up' : 'down'} ${formatSize(change)}`;
}

/** A percentage as a number, for JSON. */
export function roundedPercent(fraction: Fraction): number {
  const { size } = round(fraction);
  return fraction.part < 0 ? -size : size;
}

/** In per cent; `bound` says on which side of the rounded size the exact one is, if it would read as 0 or as all. */
function round({ part, whole }: Fraction): { size: number; bound: '' | '<' | '>' } {
  const exact = Math.abs(part);
  const tenths = Math.round((1000 * exact) / whole);
  if (tenths === 0 && exact > 0) return { size: 0.1, bound: '<' };
  if (tenths === 1000 && exact < whole) return { size: 99.9, bound: '>' };
  return { size: tenths / 10, bound: '' };
}

function formatSize(fraction: Fraction): string {
  const { size, bound } = round(fraction);
  return `${bound}${percentFormat.format(size)}`;
}

function arrowOf(value: number): string {
  return value > 0 ? '▲' : '▼';
}

function signOf(value: number): string {
  if (value === 0) return '';
  return value > 0 ? '+' : '−';
}
