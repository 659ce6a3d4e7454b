export const dash = '–';

/** `12,480`; a dash if unknown. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? dash : (Math.round(count * 10) / 10).toLocaleString('en-US');
}

/** A number with its noun: `1 page`, `1,200 pages`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first items of a list, followed by the number of other items: `and 12 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const more = items.length - most;
  return more <= 0
    ? [...items]
    : [...items.slice(0, most), `and ${more.toLocaleString('en')} more`];
}
