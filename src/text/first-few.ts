/** The first items of a list, followed by the number of other items: `and 12 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const more = items.length - most;
  return more <= 0 ? [...items] : [...items.slice(0, most), `and ${more.toLocaleString('en')} more`];
}
