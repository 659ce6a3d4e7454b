import { messageOf } from './core/errors.ts';
import { type ModeResult, resultOfError } from './core/mode-result.ts';
import { version } from './core/version.ts';
import type { Runner } from './runner/runner.ts';

/** The name under which the runner saves that the result was published. */
export const publishedState = 'published';

/** The page with a row for each reason of a failure. */
const helpPage = `https://github.com/docs-agent/docs-agent/blob/v${version}/docs/troubleshooting.md`;

/** Runs a phase, publishes its result unless the main phase has published one, and returns the exit code. */
export async function run(runner: Runner, phase: () => Promise<ModeResult>, isPublished: boolean) {
  const result = await phase().catch(resultOfError);
  if (!isPublished) await publish(runner, result);
  return result.red ? 1 : 0;
}

async function publish(
  runner: Runner,
  { result, outputs, summary, message }: ModeResult,
): Promise<void> {
  const { outcome, reason } = result;
  for (const [name, value] of Object.entries({ outcome, reason, ...outputs }))
    runner.setOutput(name, value);
  runner.setOutput('result', JSON.stringify({ version: 1, ...result }));
  const help = outcome === 'failed' && reason !== 'cancelled' ? `${helpPage}#${reason}` : undefined;
  if (summary !== undefined) {
    const more = help === undefined ? '' : `\n[More about this](<${help}>)\n`;
    // The work is done. If the summary can't be written, a warning is enough.
    await runner.writeSummary(`${summary}${more}`).catch((error: unknown) => {
      runner.warning(`Couldn’t write the job summary: ${messageOf(error)}`);
    });
  }
  runner[message.level](message.text, message.title === undefined ? {} : { title: message.title });
  if (help !== undefined) runner.info(`More about this: ${help}`);
  runner.saveState(publishedState, 'true');
}
