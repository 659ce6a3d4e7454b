import type { ModeResult } from './core/mode-result.ts';
import { version } from './core/version.ts';
import type { Runner } from './runner/runner.ts';

/** The name under which the runner saves that the result was published. */
export const publishedState = 'published';

/** The page with a row for each reason of a failure. */
const helpPage = `https://github.com/docs-agent/docs-agent/blob/v${version}/docs/troubleshooting.md`;

/** Shows how a phase ended: in the outputs, the job summary, and the last lines of the log. */
export async function publish(runner: Runner, ended: ModeResult): Promise<void> {
  const { outcome, reason } = ended.result;
  const outputs = { outcome, reason, ...ended.outputs };
  for (const [name, value] of Object.entries(outputs)) runner.setOutput(name, value);
  runner.setOutput('result', JSON.stringify({ version: 1, ...ended.result }));

  const needsHelp = outcome === 'failed' && reason !== 'cancelled';
  const help = `${helpPage}#${reason}`;
  if (ended.summary !== undefined) {
    const more = needsHelp ? `\n[More about this](<${help}>)\n` : '';
    await runner.writeSummary(ended.summary + more);
  }

  const { level, text } = ended.message;
  // An annotation takes its title from the message.
  runner[level](text, ended.message);
  if (needsHelp) runner.info(`More about this: ${help}`);
  runner.saveState(publishedState, 'true');
}
