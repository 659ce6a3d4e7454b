import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { type RunOptions, type RunResult, runPost } from '../../simulator/runner/runner.ts';
import type { Scenario, Staged } from './faults-scenarios.ts';
import type { Played } from './faults-truth.ts';

/** One case: a world of its own, and the run to be played in it. */
export interface Stage {
  readonly simulator: Simulator;
  readonly staged: Staged;
  readonly options: RunOptions;
}

/** Plays a case on the bundle in a world of its own. */
export async function onStage<T>(scenario: Scenario, act: (stage: Stage) => Promise<T>): Promise<T> {
  const simulator = await startSimulator();
  try {
    const staged = scenario.stage(simulator);
    return await act({
      simulator,
      staged,
      options: { simulator, event: staged.event, inputs: staged.inputs },
    });
  } finally {
    await simulator.close();
  }
}

/** The post phase, which this action always has. */
export async function post(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  const result = await runPost(previous, overrides);
  if (result === undefined) throw new Error('The action has no post phase');
  return result;
}

export function playedOf(result: RunResult): Played {
  const { outputs, state, summary, stdout, stderr, exitCode, identity } = result;
  return { runId: identity.runId, exitCode, outputs, state, summary, printed: `${stdout}\n${stderr}` };
}

/** Runs the cases, so many at a time, and gives their results in order. */
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
