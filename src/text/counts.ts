export const dash = '–';

/** `12,480`; a dash if unknown. */
export function formatCount(count: number | undefined): string {
  if (count === undefined) return dash;
  const rounded = Math.round(count * 10) / 10;
  return rounded.toLocaleString('en-US');
}

/** A number with its noun: `1 page`, `1,200 pages`. */
export function pluralize(count: number, noun: string): string {
  const ending = count === 1 ? '' : 's';
  return `${formatCount(count)} ${noun}${ending}`;
}

/** The first items of a list, followed by the number of other items: `and 12 more`. */
export function firstFew(items: readonly string[], maxItems: number): string[] {
  const others = items.length - maxItems;
  if (others <= 0) return [...items];
  return [...items.slice(0, maxItems), `and ${others.toLocaleString('en')} more`];
}

/** `a, b, and c`. */
export function joinWithAnd(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items);
}
