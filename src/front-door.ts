import { readFileSync } from 'node:fs';
import { commandWord, restOfCommand } from './agent/command.ts';
import { skipResult } from './core/mode-result.ts';
import { publish } from './publish.ts';
import { actionsRunner, getInput, guardRunner } from './runner/runner.ts';
import { createScrub } from './text/scrub.ts';

/**
 * Whether the run was started by a comment or review that isn't a command, and the inputs contain
 * no request. In doubt, main.ts decides.
 */
export function isUnrelatedComment(): boolean {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: path = '' } = process.env;
  if (!/^(?:issue_comment|pull_request_review(?:_comment)?)$/.test(event)) return false;
  if (!['', 'agent'].includes(getInput('mode'))) return false;
  if (['prompt', 'prompt-file', 'job-id'].some((name) => getInput(name) !== '')) return false;
  const body = readComment(path);
  if (body === undefined) return false;
  return restOfCommand(body, commandWord(getInput('command'))) === undefined;
}

/** Ends a run for a comment that isn't a command. Returns whether the step fails. */
export async function skipComment(): Promise<boolean> {
  const text = `Skipped: the comment does not begin with \`${commandWord(getInput('command'))}\`.`;
  const runner = guardRunner(actionsRunner, createScrub([]));
  await publish(runner, skipResult({ reason: 'no-command', text }));
  return runner.lacksOutputs();
}

/** The text of the comment or review; `undefined` if the payload doesn't have the expected form. */
function readComment(path: string): string | undefined {
  try {
    const { comment, review } = JSON.parse(readFileSync(path, 'utf8')) ?? {};
    // A review without a text has no body.
    const body = review === undefined ? comment?.body : (review?.body ?? '');
    return typeof body === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
