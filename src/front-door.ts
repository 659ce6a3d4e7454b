import { appendFileSync, readFileSync } from 'node:fs';
import { commandWord, restOfCommand } from './agent/command.ts';
import type { SkipReason } from './core/reasons.ts';

/* Runner minutes cost money, so runs for most comments end here, before `@actions/core` is loaded. In doubt, main.ts decides. */

/** Whether the run was started by a comment or review that isn't a command, and the inputs contain no request. */
export function isUnrelatedComment(env: NodeJS.ProcessEnv): boolean {
  const isEvent = /^(?:issue_comment|pull_request_review(?:_comment)?)$/.test(env.GITHUB_EVENT_NAME ?? '');
  const mayBeCommand = isEvent && ['', 'agent'].includes(inputOf(env, 'MODE'));
  const hasRequest = ['PROMPT', 'PROMPT-FILE', 'JOB-ID'].some((name) => inputOf(env, name) !== '');
  if (!mayBeCommand || hasRequest) return false;
  const body = commentBody(env.GITHUB_EVENT_PATH ?? '');
  return body !== undefined && restOfCommand(body, commandWord(inputOf(env, 'COMMAND'))) === undefined;
}

/** Writes the outputs of a skipped run to the runner's file, and returns the only line for the log. */
export function turnAway(env: NodeJS.ProcessEnv): string {
  const outcome = { outcome: 'skipped', reason: 'no-command' satisfies SkipReason };
  const outputs = { ...outcome, result: JSON.stringify({ version: 1, ...outcome }) };
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
  return `Skipped: the comment does not begin with \`${commandWord(inputOf(env, 'COMMAND'))}\`.\n`;
}

function inputOf(env: NodeJS.ProcessEnv, name: string): string {
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
