/** The median; `undefined` without values. */
export function medianOf(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[sorted.length >> 1];
  return sorted.length % 2 === 1 || upper === undefined
    ? upper
    : ((sorted[sorted.length / 2 - 1] ?? 0) + upper) / 2;
}
