/* Random numbers that depend only on a seed. */

// In jest's context, every access to a global is slow.
const { PI, cos, exp, imul, log, max, round, sqrt } = Math;

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
  const [scale, correction] = shape < 1 ? [shape + 2 / 3, random() ** variance] : [shape - 1 / 3, 1];
  for (;;) {
    const drawn = normal(random);
    const cube = (1 + drawn / sqrt(9 * scale)) ** 3;
    if (cube <= 0) continue;
    const bound = drawn ** 2 / 2 + scale * (1 - cube + log(cube));
    if (log(1 - random()) < bound) return scale * cube * correction * variance;
  }
}

/** A Poisson random number with this mean (Knuth), or for a large mean, the normal number that it is close to. */
export function countOf(expected: number, random: Random): number {
  if (expected >= 30) return max(0, round(expected + sqrt(expected) * normal(random)));
  const limit = exp(-expected);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}
