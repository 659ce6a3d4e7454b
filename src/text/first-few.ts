/** The first items of a list, followed by the number of other items: `and 12 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const left = items.length - most;
  return left <= 0 ? [...items] : [...items.slice(0, most), `and ${left.toLocaleString('en')} more`];
}
