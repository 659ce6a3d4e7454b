/** Numbers in [0, 1), always the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many visitors come by chance where so many come on average: a Poisson count, drawn anew with every call. */
export function visitorsOf(mean: number, random: () => number): () => number {
  const fewest = Math.max(0, Math.floor(mean - 12 * Math.sqrt(mean)));
  const most = Math.ceil(mean + 12 * Math.sqrt(mean));
  // How likely each count is, held against the first one; then how likely it is that at most so many come.
  const cumulated = [1];
  for (let count = fewest + 1, weight = 1, sum = 1; count <= most; count += 1) {
    weight *= mean / count;
    sum += weight;
    cumulated.push(sum);
  }
  const all = cumulated.at(-1) ?? 1;
  return () => {
    const drawn = random() * all;
    let [low, high] = [0, cumulated.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulated[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return fewest + low;
  };
}
