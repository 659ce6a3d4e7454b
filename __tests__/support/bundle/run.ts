import type { SimulatorOptions } from '../../../simulator/core.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import * as runner from '../../../simulator/runner/runner.ts';
import type { Played } from '../oracle/played.ts';
import { withTrueResult } from '../oracle/result.ts';

/** Gives a simulator of its own to what is played on the bundle. */
export async function withSimulator<T>(
  options: SimulatorOptions,
  act: (simulator: Simulator) => Promise<T>,
): Promise<T> {
  const simulator = await startSimulator(options);
  try {
    return await act(simulator);
  } finally {
    await simulator.close();
  }
}

/** Runs the action's main phase; what holds of every `result` is checked at once. */
export async function runAction(options: RunOptions): Promise<RunResult> {
  return withTrueResult(await runner.runAction(options));
}

/** The same run again, as "Re-run jobs" does. */
export async function rerun(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  return withTrueResult(await runner.rerun(previous, overrides));
}

/** The post phase, which this action always has. */
export async function post(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  return withTrueResult(await runner.runPost(previous, overrides));
}

/** What a phase of the bundle left behind. */
export function playedOf(result: RunResult): Played {
  const { outputs, state, summary, stdout, stderr, exitCode, identity } = result;
  return { runId: identity.runId, exitCode, outputs, state, summary, printed: `${stdout}\n${stderr}` };
}
