/** Runs the cases, at most `atOnce` at a time, and returns their results in order. */
export async function inParallel<T, R>(
  cases: readonly T[],
  atOnce: number,
  play: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await play(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
