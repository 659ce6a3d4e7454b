/* Random numbers that depend only on a seed. */

// In jest's context, every access to a global is slow.
const { PI, abs, cos, exp, floor, imul, log, sqrt } = Math;

export type Random = () => number;

/** The mulberry32 generator. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let hash = imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A normal random number with mean 0 and variance 1 (Box and Muller). */
export function normal(random: Random): number {
  return sqrt(-2 * log(1 - random())) * cos(2 * PI * random());
}

/** A gamma-distributed factor with mean 1 and this variance (Marsaglia and Tsang). */
export function swingOf(variance: number, random: Random): number {
  if (variance === 0) return 1;
  const shape = 1 / variance;
  const [scale, correction] =
    shape < 1 ? [shape + 2 / 3, random() ** variance] : [shape - 1 / 3, 1];
  for (;;) {
    const drawn = normal(random);
    const cube = (1 + drawn / sqrt(9 * scale)) ** 3;
    if (cube <= 0) continue;
    const bound = drawn ** 2 / 2 + scale * (1 - cube + log(cube));
    if (log(1 - random()) < bound) return scale * cube * correction * variance;
  }
}

/** A Poisson random number with this mean (small means: Knuth; large ones: Hörmann's PTRS). */
export function countOf(expected: number, random: Random): number {
  if (expected < 10) return countOfFew(expected, random);
  const b = 0.931 + 2.53 * sqrt(expected);
  const a = 0.02483 * b - 0.059;
  for (;;) {
    const u = random() - 0.5;
    const v = 1 - random();
    const us = 0.5 - abs(u);
    const count = floor(((2 * a) / us + b) * u + expected + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return count;
    if (count < 0 || (us < 0.013 && v > us)) continue;
    const height = log((v * (1.1239 + 1.1328 / (b - 3.4))) / (a / us ** 2 + b));
    if (height <= count * log(expected) - expected - logFactorial(count)) return count;
  }
}

function countOfFew(expected: number, random: Random): number {
  const limit = exp(-expected);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** Stirling's series, which is accurate only for larger numbers. */
function logFactorial(count: number): number {
  if (count < 9) return logFactorial(count + 1) - log(count + 1);
  const x = count + 1;
  return (x - 0.5) * log(x) - x + log(2 * PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3);
}
