/** The best of many, and how many there were. */
export interface Ranking<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** Ranks without holding more than twice as many as are wanted, so that a large site's rows pass by one at a time. */
export function rank<T>(items: Iterable<T>, most: number, order: (a: T, b: T) => number): Ranking<T> {
  let count = 0;
  let first: T[] = [];
  const settle = () => {
    first = first.sort(order).slice(0, most);
  };
  for (const item of items) {
    count += 1;
    first.push(item);
    if (first.length >= 2 * most) settle();
  }
  settle();
  return { count, first };
}
