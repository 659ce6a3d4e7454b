export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The mean of at least one value. */
export const mean = (values: readonly number[]) => sum(values) / values.length;

/**
 * The two-sided tail of Student's t, to about 1e-15: the finite sums in Abramowitz and Stegun,
 * 26.7.3 and 26.7.4.
 */
export function tTail(distance: number, degrees: number): number {
  const angle = Math.atan(distance / Math.sqrt(degrees));
  const sine = Math.sin(angle);
  const cosine = Math.cos(angle);
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let terms = 0;
  for (let next = isOdd ? 3 : 2; next <= degrees; next += 2) {
    terms += term;
    term *= cosine ** 2 * ((next - 1) / next);
  }
  let inside = sine * terms;
  if (isOdd) inside = (2 / Math.PI) * (angle + inside);
  return Math.max(0, 1 - inside);
}

/** Each step halves the interval. */
const bisections = 30;

/** The inverse of `tTail`, by bisection. */
export function tLimit(tail: number, degrees: number): number {
  let low = 0;
  let high = 1;
  while (tTail(high, degrees) > tail) {
    low = high;
    high *= 2;
  }
  for (let step = 0; step < bisections; step += 1) {
    const middle = (low + high) / 2;
    if (tTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return high;
}
