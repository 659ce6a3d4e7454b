/* For suites that play many cases and print a table of what came of them. */

/** Plays the cases, so many at a time, and gives their results in order. */
export async function inParallel<T, R>(
  cases: readonly T[],
  atOnce: number,
  play: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of waiting) results[index] = await play(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Prints a table as it is, without the frame that jest puts around the console. */
export function printTable(title: string, rows: readonly (readonly (string | number)[])[]): void {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  const lines = texts.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line.trimEnd()}\n`).join('')}`);
}
