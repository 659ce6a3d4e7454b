/** Of no values 0. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Of at least one value. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Of at least two values, drawn from many. */
export function variance(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
}

/** Of at least one value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return mean(sorted.slice(Math.floor(middle), Math.ceil(middle) + 1));
}

/**
 * Student's t distribution: the chance to be at least so far from 0, on either side. Exact to about 1e-15: what is less likely may
 * come out as 0. The finite sums of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
 *
 * @param degrees of freedom; a whole number from 1.
 */
export function tTail(distance: number, degrees: number): number {
  const angle = Math.atan(distance / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let [term, terms] = [isOdd ? cosine : 1, 0];
  for (let next = isOdd ? 3 : 2; next <= degrees; next += 2) {
    terms += term;
    term *= cosine ** 2 * ((next - 1) / next);
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * terms) : sine * terms;
  return Math.max(0, 1 - within);
}

/** How far from 0 Student's t is in so small a part of all draws, both sides together. By bisection, to about 1e-12. */
export function tLimit(tail: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (tTail(high, degrees) > tail) [low, high] = [high, 2 * high];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (tTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The largest tail that still counts if so large a part of all that count may be chance; 0 if none does. Benjamini and Hochberg,
 * Controlling the False Discovery Rate (1995).
 */
export function discoveryLimit(tails: readonly number[], falsePart: number): number {
  const sorted = tails.toSorted((a, b) => a - b);
  return sorted.findLast((tail, index) => tail <= (falsePart * (index + 1)) / sorted.length) ?? 0;
}
