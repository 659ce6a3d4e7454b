import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceInputs } from '../__tests__/support/usual.ts';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import type { RunOptions } from '../simulator/runner/run-options.ts';
import { type RunResult, runAction } from '../simulator/runner/runner.ts';

/** Measures once, in milliseconds. */
export type Measure = () => Promise<number>;

/** A measured value and its limit. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  readonly bar: string;
}

/** The resources that one run used. */
export interface Usage {
  /** User and system time. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
  /** How often the run saved a state or set an output. */
  readonly writes: number;
}

/** Makes a process use the simulator's clock. */
const clockPreload = new URL('../simulator/clock/preload.mjs', import.meta.url).href;

/** A script that is loaded into the action's process. When the process exits, the script writes the usage to a file. */
const preload = `
import { readFileSync, writeFileSync } from 'node:fs';
const { BENCH_USAGE, GITHUB_OUTPUT, GITHUB_STATE } = process.env;
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const writes = [GITHUB_OUTPUT, GITHUB_STATE].flatMap((file) => readFileSync(file, 'utf8').match(/^[\\w-]+<<ghadelimiter_/gm) ?? []);
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const usage = { cpuSeconds, megabytes: (maxRSS * 1024) / 1e6, writes: writes.length };
  writeFileSync(BENCH_USAGE, JSON.stringify(usage));
});
`;

/** Runs a benchmark with a simulator, and closes the simulator afterward. */
export async function withSimulator<T>(
  mode: 'real' | 'simulated',
  act: (simulator: Simulator) => Promise<T>,
): Promise<T> {
  const simulator = await startSimulator({ clock: { mode } });
  try {
    return await act(simulator);
  } finally {
    await simulator.close();
  }
}

/** Runs the bundle with these inputs and the usual ones, and returns the resources that the run used. */
export async function measureRun({
  simulator,
  inputs,
  ...options
}: RunOptions & { readonly simulator: Simulator }): Promise<{
  readonly run: RunResult;
  readonly usage: Usage;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const [preloadFile, usageFile] = [join(folder, 'preload.mjs'), join(folder, 'usage.json')];
    writeFileSync(preloadFile, preload);
    const preloads =
      simulator.clock.mode === 'simulated' ? [clockPreload, preloadFile] : [preloadFile];
    const nodeOptions = preloads.map((file) => `--import=${file}`).join(' ');
    const env = { NODE_OPTIONS: nodeOptions, BENCH_USAGE: usageFile };
    const all = { ...serviceInputs(simulator), ...inputs };
    const run = await runAction({ simulator, ...options, inputs: all, env });
    return { run, usage: JSON.parse(readFileSync(usageFile, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The medians of several runs' CPU time and memory, with their limits. */
export function findingsOf(
  what: string,
  usages: readonly Usage[],
  bars: { readonly cpu: string; readonly memory: string },
): Finding[] {
  const cpu = median(usages.map(({ cpuSeconds }) => cpuSeconds));
  const memory = median(usages.map(({ megabytes }) => megabytes));
  return [
    { what: `${what}: CPU`, value: `${cpu.toFixed(2)} s`, bar: bars.cpu },
    { what: `${what}: peak memory`, value: `${memory.toFixed(0)} MB`, bar: bars.memory },
  ];
}

/** Runs Node, and returns the milliseconds from `spawn` to the end of its output. */
export async function timeOf(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return performance.now() - startedAt;
}

/** Measures a Node process that does nothing. */
export const bareNode: Measure = () => timeOf(['-e', '0']);

/** Measures in turn, so that other load on the machine affects all measurements. Returns their medians. */
export async function interleave<Name extends string>(
  measures: Readonly<Record<Name, Measure>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  // The first round doesn't count, because it fills the file system's cache.
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

/** Formats a time, such as `231 ms, 2.41 × node -e 0 (96 ms)`. */
export function against(ms: number, bareMs: number): string {
  return `${ms.toFixed(0)} ms, ${(ms / bareMs).toFixed(2)} × node -e 0 (${bareMs.toFixed(0)} ms)`;
}

/** Prints a table of measured values and limits. */
export function print(title: string, findings: readonly Finding[]): void {
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(findings.map(({ what, value, bar }) => [what, { measured: value, bar }])),
  );
}
