import { readFileSync } from 'node:fs';
import { commandWord, restOfCommand } from './agent/command.ts';

/** Whether the run was started by a comment or review that isn't a command, and the inputs contain no request. In doubt, main.ts decides. */
export function isUnrelatedComment(env: NodeJS.ProcessEnv): boolean {
  const isEvent = /^(?:issue_comment|pull_request_review(?:_comment)?)$/.test(
    env.GITHUB_EVENT_NAME ?? '',
  );
  const mayBeCommand = isEvent && ['', 'agent'].includes(inputOf(env, 'MODE'));
  const hasRequest = ['PROMPT', 'PROMPT-FILE', 'JOB-ID'].some((name) => inputOf(env, name) !== '');
  if (!mayBeCommand || hasRequest) return false;
  const body = commentBody(env.GITHUB_EVENT_PATH ?? '');
  return (
    body !== undefined && restOfCommand(body, commandWord(inputOf(env, 'COMMAND'))) === undefined
  );
}

export function inputOf(env: NodeJS.ProcessEnv, name: string): string {
  return (env[`INPUT_${name}`] ?? '').trim();
}

/** The text of the comment or review; `undefined` if the payload doesn't have the expected form. */
function commentBody(path: string): string | undefined {
  try {
    const { comment, review } = JSON.parse(readFileSync(path, 'utf8')) ?? {};
    const body: unknown = review === undefined ? comment?.body : (review?.body ?? '');
    return typeof body === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
