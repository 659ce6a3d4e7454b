import { readFileSync } from 'node:fs';
import { commandWord, restOfCommand } from './agent/command.ts';
import { skipResult } from './core/mode-result.ts';
import { publish } from './publish.ts';
import { actionsRunner, getInput, guardRunner } from './runner/runner.ts';
import { createScrub } from './text/scrub.ts';

/** Whether the run reads commands: in agent mode, if the inputs contain no request. */
export function readsCommands(): boolean {
  if (!['', 'agent'].includes(getInput('mode'))) return false;
  return ['prompt', 'prompt-file', 'job-id'].every((name) => getInput(name) === '');
}

/**
 * Whether the run was started by a comment, review, or new issue that isn't a command, although it
 * reads commands. In doubt, main.ts decides.
 */
export function isUnrelatedComment(): boolean {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: path = '' } = process.env;
  if (!/^(?:issue_comment|issues|pull_request_review(?:_comment)?)$/.test(event)) return false;
  if (!readsCommands()) return false;
  const body = event === 'issues' ? readNewIssue(path) : readComment(path);
  if (body === undefined) return false;
  return restOfCommand(body, commandWord(getInput('command'))) === undefined;
}

/** Ends a run for a comment that isn't a command. Returns whether the step fails. */
async function skipComment(): Promise<boolean> {
  const what = process.env.GITHUB_EVENT_NAME === 'issues' ? 'issue' : 'comment';
  const text = `Skipped: the ${what} does not begin with \`${commandWord(getInput('command'))}\`.`;
  const runner = guardRunner(actionsRunner, createScrub([]));
  await publish(runner, skipResult({ reason: 'no-command', text }));
  return runner.lacksOutputs();
}

/**
 * Goes through the main phase or, with the state that main `saved`, the post phase. Most comments
 * are not commands, so `finish`, which loads main.ts, is called only if there is work. Returns
 * whether the step fails.
 */
export async function enter(
  saved: string | undefined,
  finish: () => Promise<boolean>,
): Promise<boolean> {
  if (saved === undefined && isUnrelatedComment()) return skipComment();
  return finish();
}

/** The text of the comment or review; `undefined` if the payload doesn't have the expected form. */
function readComment(path: string): string | undefined {
  try {
    const { comment, review } = readPayload(path);
    // A review without a text has no body.
    const body = review === undefined ? comment?.body : (review?.body ?? '');
    return typeof body === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a new issue; `undefined` for any other event, or a payload in another form. */
function readNewIssue(path: string): string | undefined {
  try {
    const { action, issue, changes } = readPayload(path);
    if (action !== 'opened' || changes?.old_issue != null || issue === undefined) return undefined;
    // An issue without a text has no body.
    const body = issue.body ?? '';
    return typeof body === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

function readPayload(path: string) {
  return JSON.parse(readFileSync(path, 'utf8')) ?? {};
}
