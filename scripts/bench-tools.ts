import { spawn } from 'node:child_process';

/** One measurement: gives milliseconds. */
export type Measure = () => Promise<number>;

/** What a bench found, and what it is held against. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  readonly bar: string;
}

/** Runs Node until it is gone, from the call of spawn to the end of its output. */
export async function timeOf(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return performance.now() - startedAt;
}

/** What a process costs that does nothing. */
export const bareNode: Measure = () => timeOf(['-e', '0']);

/** The medians of several measurements taken in turn, so that whatever else the machine does meets them all alike. */
export async function interleave<Name extends string>(
  measures: Readonly<Record<Name, Measure>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  // The first round of all fills the file system's cache and counts for nothing.
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const ms = await measures[name]();
      if (round > 0) samples.get(name)?.push(ms);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `231 ms, 2.41 × node -e 0 (96 ms)` */
export function against(ms: number, bareMs: number): string {
  return `${ms.toFixed(0)} ms, ${(ms / bareMs).toFixed(2)} × node -e 0 (${bareMs.toFixed(0)} ms)`;
}

/** Prints findings as a table; what they are worth is for the reader to say. */
export function print(title: string, findings: readonly Finding[]): void {
  console.log(`\n${title}`);
  console.table(Object.fromEntries(findings.map(({ what, value, bar }) => [what, { measured: value, bar }])));
}
