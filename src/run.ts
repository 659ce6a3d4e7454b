import { messageOf } from './core/errors.ts';
import { type ModeResult, resultOfError } from './core/mode-result.ts';
import type { Runner } from './runner/runner.ts';

/** The runner's state that says that the result was published. */
export const toldState = 'told';

/** Plays a run and publishes its result, unless the phase before has published it. Gives the exit code. */
export async function run(runner: Runner, play: () => Promise<ModeResult>, isTold: boolean): Promise<0 | 1> {
  const result = await play().catch(resultOfError);
  if (!isTold) await publish(runner, result);
  return result.red ? 1 : 0;
}

/** Writes the result everywhere the runner shows it, the outputs first. */
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
