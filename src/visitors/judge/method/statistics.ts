export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The mean of at least one value. */
export const mean = (values: readonly number[]) => sum(values) / values.length;

/** The sample variance of at least two values. */
export function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
}

/**
 * How likely Student's t is to reach a distance on one side: the finite sums in Abramowitz and
 * Stegun, 26.7.3 and 26.7.4. Its error is about 1e-16.
 */
export function upperTail(distance: number, degrees: number): number {
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
  return Math.max(0, (1 - inside) / 2);
}
