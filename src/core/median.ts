/** The median; `undefined` without values. */
export function medianOf(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const middle = Math.floor(sorted.length / 2);
  const lower = sorted[middle - 1];
  const upper = sorted[middle];
  if (lower === undefined || upper === undefined || sorted.length % 2 === 1) return upper;
  return (lower + upper) / 2;
}
