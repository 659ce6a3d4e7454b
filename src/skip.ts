import { commandWord } from './agent/command.ts';
import { skipped } from './core/mode-result.ts';
import { inputOf } from './front-door.ts';
import { run } from './run.ts';
import { actionsRunner } from './runner/runner.ts';

/** Ends a run for a comment that isn't a command. */
export async function skipComment(env: NodeJS.ProcessEnv): Promise<void> {
  const text = `Skipped: the comment does not begin with \`${commandWord(inputOf(env, 'COMMAND'))}\`.`;
  await run(actionsRunner, async () => skipped({ reason: 'no-command', text }), false);
}
