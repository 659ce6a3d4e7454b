import { messageOf } from './core/errors.ts';
import { type ModeResult, resultOfError } from './core/mode-result.ts';
import type { Runner } from './runner/runner.ts';

/** The name under which the runner saves that the result was published. */
export const publishedState = 'published';

/** Runs a phase. Publishes the result, unless the main phase has already published one. Returns the exit code. */
export async function run(runner: Runner, phase: () => Promise<ModeResult>, isPublished: boolean) {
  const result = await phase().catch(resultOfError);
  if (!isPublished) await publish(runner, result);
  return result.red ? 1 : 0;
}

async function publish(runner: Runner, { result, outputs, summary, message }: ModeResult): Promise<void> {
  const { outcome, reason } = result;
  for (const [name, value] of Object.entries({ outcome, reason, ...outputs })) runner.setOutput(name, value);
  runner.setOutput('result', JSON.stringify({ version: 1, ...result }));
  if (summary !== undefined) {
    // The work is done. If the summary can't be written, a warning is enough.
    await runner.writeSummary(summary).catch((error: unknown) => {
      runner.warning(`Couldn’t write the job summary: ${messageOf(error)}`);
    });
  }
  runner[message.level](message.text, message.title === undefined ? {} : { title: message.title });
  runner.saveState(publishedState, 'true');
}
