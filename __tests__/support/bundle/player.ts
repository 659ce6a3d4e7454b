import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../../simulator/core.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type RunOptions,
  type RunResult,
  runAction,
  runPost,
} from '../../../simulator/runner/runner.ts';
import { filesIn } from '../files.ts';
import { withTrueResult } from '../oracle/result.ts';
import type { Played, Player, Run } from '../played.ts';

/** A phase that was run with the bundle, and everything that the runner recorded. */
type BundlePlayed = RunResult & Pick<Played, 'runId' | 'printed'>;

/** Runs the bundle, with a separate process for each phase. */
export interface BundlePlayer extends Player {
  readonly core: Simulator;
  readonly workspace: string;
  play(run: Run, options?: Partial<RunOptions>): Promise<BundlePlayed>;
  post(main: BundlePlayed, killAt?: Run['killAt']): Promise<BundlePlayed>;
}

/** Calls `act` with a new simulator and workspace, and removes them afterward. */
export async function onBundle<T>(
  act: (player: BundlePlayer) => Promise<T>,
  options: SimulatorOptions = {},
): Promise<T> {
  const core = await startSimulator(options);
  const workspace = mkdtempSync(join(tmpdir(), 'workspace-'));
  try {
    return await act({
      core,
      workspace,
      files: filesIn(workspace),
      play: async ({ cancelAt, ...run }, more) => {
        if (cancelAt !== undefined) throw new Error('A process is cancelled by a signal');
        return seen(await runAction({ simulator: core, workspace, ...run, ...more }));
      },
      post: async (main, killAt) => seen(await runPost(main, { killAt })),
    });
  } finally {
    await core.close();
    rmSync(workspace, { recursive: true });
  }
}

/** Converts the runner's result to the form that the oracle checks. */
function seen(result: RunResult): BundlePlayed {
  const { identity, stdout, stderr } = result;
  if (result.killedByBound) throw new Error(`It ran longer than it may:\n${stdout}`);
  return { ...withTrueResult(result), runId: identity.runId, printed: `${stdout}\n${stderr}` };
}
