import { commandWord } from './agent/command.ts';
import { skipResult } from './core/mode-result.ts';
import { publish } from './publish.ts';
import { actionsRunner, getInput } from './runner/runner.ts';

/** Ends a run for a comment that isn't a command. */
export async function skipComment(): Promise<void> {
  const text = `Skipped: the comment does not begin with \`${commandWord(getInput('command'))}\`.`;
  await publish(actionsRunner, skipResult({ reason: 'no-command', text }));
}
