import type { SimulatorOptions } from '../../../simulator/core.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { type RunOptions, type RunResult, runPost } from '../../../simulator/runner/runner.ts';
import type { Played } from '../oracle/played.ts';

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

/** The post phase, which this action always has. */
export async function post(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  const result = await runPost(previous, overrides);
  if (result === undefined) throw new Error('The action has no post phase');
  return result;
}

/** What a phase of the bundle left behind. */
export function playedOf(result: RunResult): Played {
  const { outputs, state, summary, stdout, stderr, exitCode, identity } = result;
  return { runId: identity.runId, exitCode, outputs, state, summary, printed: `${stdout}\n${stderr}` };
}
