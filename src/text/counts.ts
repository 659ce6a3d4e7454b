/** Replaces an unknown figure. */
export const dash = '–';

/** Created on first use, because `Intl` takes 15 ms to load. */
let format: Intl.NumberFormat | undefined;

/** `12,480`; a dash if unknown. */
export function formatCount(count: number | undefined): string {
  format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
  return count === undefined ? dash : format.format(count);
}

/** A number with its noun: `1 page`, `1,200 pages`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first items of a list, followed by the number of other items: `and 12 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const more = items.length - most;
  return more <= 0 ? [...items] : [...items.slice(0, most), `and ${more.toLocaleString('en')} more`];
}
