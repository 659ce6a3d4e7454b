import { appendFileSync, readFileSync } from 'node:fs';
import { isCommand } from './agent/command.ts';
import type { SkipReason } from './core/reasons.ts';

/*
 * Most comments in a repository are not commands, and runner minutes cost money: such comments are turned away before
 * anything heavy is loaded, including `@actions/core`. Anything uncertain is left to main.ts.
 */

/** Whether the run was started by a comment that is no command, and nothing else was asked. */
export function isSmallTalk(env: NodeJS.ProcessEnv): boolean {
  const input = (name: string) => inputOf(env, name);
  const listens = env.GITHUB_EVENT_NAME === 'issue_comment' && ['', 'agent'].includes(input('MODE'));
  const asks = ['PROMPT', 'PROMPT-FILE', 'JOB-ID'].some((name) => input(name) !== '');
  if (!listens || asks) return false;
  const body = commentBody(env.GITHUB_EVENT_PATH ?? '');
  return body !== undefined && !isCommand(body, commandOf(env));
}

/** Writes the outputs of a skipped run in the runner's own file format; returns the one line of its log. */
export function turnAway(env: NodeJS.ProcessEnv): string {
  const outcome = { outcome: 'skipped', reason: 'no-command' satisfies SkipReason };
  const outputs = { ...outcome, result: JSON.stringify({ version: 1, ...outcome }) };
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT !== undefined && env.GITHUB_OUTPUT !== '')
    appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
  return `Skipped: the comment does not begin with \`${commandOf(env)}\`.\n`;
}

function commandOf(env: NodeJS.ProcessEnv): string {
  return inputOf(env, 'COMMAND') || '/docs';
}

function inputOf(env: NodeJS.ProcessEnv, name: string): string {
  return (env[`INPUT_${name}`] ?? '').trim();
}

/** The comment of the event's payload; `undefined` for a payload that is not as expected. */
function commentBody(path: string): string | undefined {
  try {
    const body: unknown = JSON.parse(readFileSync(path, 'utf8'))?.comment?.body;
    return typeof body === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
