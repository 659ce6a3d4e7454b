/*
 * How figures are written, in texts and in outputs. All rounding is done here.
 */

/** Stands for a figure that is not known. */
const unknown = '–';

const countFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const percentFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** `12,480`. */
export function formatCount(count: number): string {
  return countFormat.format(count);
}

/** `1 page`, `2 pages`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `31.2%`; a dash for what is not known. */
export function formatPercent(percent: number | undefined): string {
  return percent === undefined ? unknown : `${percentFormat.format(percent)}%`;
}

/** `+8.3%`, `−30.0%`. */
export function formatChange(percent: number): string {
  return signed(percent, formatPercent(Math.abs(percent)));
}

/** `+120 (+45.2%)`, `−7`, `0`: how many visitors more or fewer, with the percentage where there is one. */
export function formatDifference(delta: number, percent: number | undefined): string {
  const difference = signed(delta, formatCount(Math.abs(delta)));
  return percent === undefined ? difference : `${difference} (${formatChange(percent)})`;
}

/** `+0.8 points`: the difference of two shares in per cent; a dash where one of them is not known. */
export function formatPoints(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined) return unknown;
  return `${signed(now - before, percentFormat.format(Math.abs(now - before)))} points`;
}

/** A percentage for the outputs, to one decimal. */
export function roundedPercent(percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : rounded(percent, 1);
}

/** To so many decimals at most. */
export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** What rounds to nothing has no sign. */
function signed(value: number, magnitude: string): string {
  if (!/[1-9]/.test(magnitude)) return magnitude;
  return `${value > 0 ? '+' : '−'}${magnitude}`;
}
