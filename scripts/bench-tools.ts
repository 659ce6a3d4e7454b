import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { serviceInputs } from '../__tests__/support/usual.ts';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import { ACTION_DIR } from '../simulator/runner/action.ts';
import type { RunOptions } from '../simulator/runner/run-options.ts';
import { type RunResult, runAction } from '../simulator/runner/runner.ts';

/** A measured value and its limit. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  readonly bar: string;
}

/** Something to measure, once a round. */
export interface Bench<Sample> {
  readonly title: string;
  readonly rounds: number;
  /** Measures the bundle in this folder. */
  readonly measure: (distDir: string) => Promise<Sample>;
  /** What the samples of all rounds say about a bundle. */
  readonly conclude: (samples: readonly Sample[], distDir: string) => readonly Finding[];
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

/**
 * A script that is loaded into the action's process. When the process exits, the script writes the
 * usage to a file.
 */
const preload = `
import { readFileSync, writeFileSync } from 'node:fs';
const { BENCH_USAGE, GITHUB_OUTPUT, GITHUB_STATE } = process.env;
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const files = [GITHUB_OUTPUT, GITHUB_STATE].map((file) => readFileSync(file, 'utf8'));
  const writes = files.join('').match(/^[\\w-]+<<ghadelimiter_/gm) ?? [];
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const usage = { cpuSeconds, megabytes: (maxRSS * 1024) / 1e6, writes: writes.length };
  writeFileSync(BENCH_USAGE, JSON.stringify(usage));
});
`;

/** Runs a benchmark for our bundle and, with `--beside <folder>`, for that of another checkout. */
export async function runBench<Sample>(bench: Bench<Sample>): Promise<void> {
  const { beside } = parseArgs({ options: { beside: { type: 'string' } } }).values;
  const ours: Measured<Sample> = { distDir: join(ACTION_DIR, 'dist'), samples: [] };
  const bundles = [ours];
  if (beside !== undefined) bundles.push({ distDir: resolve(beside, 'dist'), samples: [] });

  // In turns, so that other load on the machine affects both.
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const { distDir, samples } of bundles) samples.push(await bench.measure(distDir));
  }

  const [findings = [], theirs = []] = bundles.map(({ distDir, samples }) =>
    bench.conclude(samples, distDir),
  );
  console.log(`\n${bench.title}`);
  const rows = findings.map(({ what, value, bar }, index) => {
    const row = { measured: value, bar };
    return [what, beside === undefined ? row : { ...row, beside: theirs[index]?.value }] as const;
  });
  console.table(Object.fromEntries(rows));
}

interface Measured<Sample> {
  readonly distDir: string;
  readonly samples: Sample[];
}

/** Starts a simulator for one measurement, and closes it afterward. */
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

/** Runs a bundle with these inputs and the usual ones, and returns the resources that it used. */
export async function measureRun(
  options: RunOptions,
): Promise<{ readonly run: RunResult; readonly usage: Usage }> {
  const { simulator } = options;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const preloadFile = join(folder, 'preload.mjs');
    const usageFile = join(folder, 'usage.json');
    writeFileSync(preloadFile, preload);
    const preloads = [preloadFile];
    if (simulator.clock.mode === 'simulated') preloads.unshift(clockPreload);
    const nodeOptions = preloads.map((file) => `--import=${file}`).join(' ');
    const run = await runAction({
      ...options,
      inputs: { ...serviceInputs(simulator), ...options.inputs },
      env: { NODE_OPTIONS: nodeOptions, BENCH_USAGE: usageFile },
    });
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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
