/* Draws by chance, always the same for the same seed. */

/** Numbers in [0, 1). */
export type Random = () => number;

/** mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A standard normal draw (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A gamma draw with mean 1 and so large a variance (Marsaglia and Tsang, for shapes above 1 raised from shape + 1). */
export function gamma(variance: number, random: Random): number {
  if (variance === 0) return 1;
  const shape = 1 / variance;
  const [d, raised] = shape < 1 ? [shape + 2 / 3, random() ** (1 / shape)] : [shape - 1 / 3, 1];
  for (;;) {
    const z = normal(random);
    const cube = (1 + z / Math.sqrt(9 * d)) ** 3;
    if (cube > 0 && Math.log(1 - random()) < z ** 2 / 2 + d - d * cube + d * Math.log(cube)) {
      return d * cube * raised * variance;
    }
  }
}

/** A Poisson draw: by multiplication while few are expected, otherwise by Hörmann's transformed rejection (PTRS). */
export function poisson(mean: number, random: Random): number {
  if (mean < 10) {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = random(); product > limit; product *= random()) count += 1;
    return count;
  }
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  for (;;) {
    const u = random() - 0.5;
    const v = 1 - random();
    const us = 0.5 - Math.abs(u);
    const count = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return count;
    if (count < 0 || (us < 0.013 && v > us)) continue;
    const accept = Math.log((v * (1.1239 + 1.1328 / (b - 3.4))) / (a / (us * us) + b));
    if (accept <= count * Math.log(mean) - mean - logFactorial(count)) return count;
  }
}

function logFactorial(n: number): number {
  if (n < 10) return Math.log([1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880][n] ?? 1);
  const x = n + 1;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3);
}
