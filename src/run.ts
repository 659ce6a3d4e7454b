import { messageOf } from './core/errors.ts';
import { resultOfError } from './core/failure.ts';
import { type ModeResult, type Skipped, skipped } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import type { Config } from './modes.ts';
import type { Runner } from './runner/runner.ts';

/** The runner's state that says that the end was told. */
export const toldState = 'told';

/** What `main.ts` hands to a run: how to read the inputs, how to build the edges they ask for, and what to do with them. */
export interface RunOptions {
  readonly runner: Runner;
  readonly mode: (config: Config, deps: Deps) => Promise<ModeResult>;
  /** Why the run is none of ours, before its inputs are looked at; `undefined` for one that is. */
  readonly whySkipped: () => Skipped | undefined;
  /** Whether the phase before has told its end already: then only what it could not do is done. */
  readonly isTold: boolean;
  readonly readConfig: () => Promise<Config>;
  readonly connect: (config: Config) => Promise<Deps>;
}

/** One run: inputs → mode → result → outputs. Gives the exit code. */
export async function run(options: RunOptions): Promise<0 | 1> {
  const { runner, mode, whySkipped, isTold, readConfig, connect } = options;
  const result = await attempt().catch(resultOfError);
  if (!isTold) await publish(runner, result);
  return result.red ? 1 : 0;

  async function attempt(): Promise<ModeResult> {
    const why = whySkipped();
    if (why !== undefined) return skipped(why);
    const config = await readConfig();
    return mode(config, await connect(config));
  }
}

/** Writes the result to everywhere the runner shows it, the outputs first. */
async function publish(runner: Runner, { result, outputs, summary, message }: ModeResult): Promise<void> {
  const { outcome, reason } = result;
  for (const [name, value] of Object.entries({ outcome, reason, ...outputs })) runner.setOutput(name, value);
  runner.setOutput('result', JSON.stringify({ version: 1, ...result }));
  if (summary !== undefined) {
    // The work is done: a summary that cannot be written is worth a warning, not a red step.
    await runner.writeSummary(summary).catch((error: unknown) => {
      runner.warning(`The job summary could not be written: ${messageOf(error)}`);
    });
  }
  runner[message.level](message.text, message.title === undefined ? {} : { title: message.title });
  runner.saveState(toldState, 'true');
}
