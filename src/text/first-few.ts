/** The first items of a list, then how many more there are: `and 12 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const left = items.length - most;
  return left <= 0 ? [...items] : [...items.slice(0, most), `and ${left.toLocaleString('en')} more`];
}
