import { difference, type Ratio } from '../judge/ratio.ts';

/*
 * How figures are written, in texts and in outputs. All rounding is done here: percentages have one decimal, half away from
 * zero, and what rounds to 0.0 or to 100.0 without being so stops at 0.1 and at 99.9.
 */

/** Stands for a figure that is not known. */
const unknown = '–';

const countFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const percentFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** `12,480`; a dash for what is not known. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? unknown : countFormat.format(count);
}

/** `1 page`, `2 pages`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `31.2%`, `<0.1%`, `>99.9%`, without a sign; a dash for what is not known. */
export function formatPercent(ratio: Ratio | undefined): string {
  return ratio === undefined ? unknown : `${formatSize(ratio)}%`;
}

/** `+8.3%`, `−30.0%`, `<−99.9%`. */
export function formatChange(change: Ratio): string {
  const { size, bound } = round(change);
  // Of two falls the larger is the smaller number.
  const side = change.part < 0n ? { '': '', '<': '>', '>': '<' }[bound] : bound;
  return `${side}${signOf(change.part)}${percentFormat.format(size)}%`;
}

/** `+150`, `−113`, `0`. */
export function formatSigned(delta: number): string {
  const size = formatCount(Math.abs(delta));
  return size === '0' ? size : `${signOf(delta)}${size}`;
}

/** `▲ 120 (+45.2%)`, `▼ 7`, `0`: how many visitors more or fewer, with the percentage where there is one. */
export function formatDifference(delta: number, change: Ratio | undefined): string {
  const size = formatCount(Math.abs(delta));
  if (size === '0') return size;
  return `${arrowOf(delta)} ${size}${change === undefined ? '' : ` (${formatChange(change)})`}`;
}

/** `▲ 0.8 points`, `▼ <0.1 points`: how much one share is above another; a dash where one of them is not known. */
export function formatPoints(now: Ratio | undefined, before: Ratio | undefined): string {
  if (now === undefined || before === undefined) return unknown;
  const points = difference(now, before);
  return `${points.part === 0n ? '' : `${arrowOf(points.part)} `}${formatSize(points)} points`;
}

/** `up 14.2`, `down <0.1`: a change that is not 0, in words; per cent or points, as the sentence says. */
export function formatDirection(change: Ratio): string {
  return `${change.part > 0n ? 'up' : 'down'} ${formatSize(change)}`;
}

/** `31.2`, `-8.0`, for an output; `''` for what is not known. */
export function percentOutput(ratio: Ratio | undefined): string {
  return ratio === undefined ? '' : roundedPercent(ratio).toFixed(1);
}

/** A percentage as a number, for JSON. */
export function roundedPercent(ratio: Ratio): number {
  const { size } = round(ratio);
  return ratio.part < 0n ? -size : size;
}

/** To so many decimals at most. */
export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** In per cent; `bound` says on which side of the rounded size the exact one is, where it would read as 0 or as all else. */
function round({ part, whole }: Ratio): { size: number; bound: '' | '<' | '>' } {
  const exact = part < 0n ? -part : part;
  const tenths = (2000n * exact + whole) / (2n * whole);
  if (tenths === 0n && exact > 0n) return { size: 0.1, bound: '<' };
  if (tenths === 1000n && exact < whole) return { size: 99.9, bound: '>' };
  return { size: Number(tenths) / 10, bound: '' };
}

function formatSize(ratio: Ratio): string {
  const { size, bound } = round(ratio);
  return `${bound}${percentFormat.format(size)}`;
}

function arrowOf(value: number | bigint): string {
  return value > 0 ? '▲' : '▼';
}

function signOf(value: number | bigint): string {
  if (value === 0 || value === 0n) return '';
  return value > 0 ? '+' : '−';
}
