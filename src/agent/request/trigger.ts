import { createHash } from 'node:crypto';
import { missingPrompt } from '../../config/missing.ts';
import type { AgentConfig } from '../../config/parse.ts';
import { chooseThread } from '../../config/thread.ts';
import type { Author, GitHubEvent, ThreadRef } from '../../github/event.ts';
import { InputError } from '../../lib/errors.ts';
import { removeInvisible } from '../../lib/invisible.ts';
import { looksLikeOurs } from '../../lib/marker.ts';
import type { RunContext } from '../../runner/context.ts';
import { type Command, parseCommand } from './command.ts';

/** What the agent is asked, whoever asks. */
export interface Ask {
  /** `undefined`: only attach to `jobId`. */
  readonly prompt: string | undefined;
  /** The job a message goes to, or that is attached to, by the `job-id` input. */
  readonly jobId: string | undefined;
  /** Whether a job the thread remembers is continued. */
  readonly continues: boolean;
  readonly wait: boolean;
  /** How many invisible code points were removed from the prompt. */
  readonly removed: number;
}

/** The comment that started the run. */
export interface Source {
  /** `undefined` where it is not one of an issue or pull request: there is no reacting to it. */
  readonly commentId: number | undefined;
  readonly author: Author;
}

interface Origin {
  /** Names what happened once, over re-runs. */
  readonly key: string;
  /** Where the status comment goes; `undefined` for nowhere. */
  readonly thread: ThreadRef | undefined;
  /** `undefined` for a run without a comment. */
  readonly source: Source | undefined;
}

/** Why this run was started, and what for. */
export type Trigger =
  | { readonly kind: 'skip'; readonly reason: string; readonly text: string }
  | (Origin & { readonly kind: 'ask'; readonly ask: Ask })
  | (Origin & { readonly kind: 'help'; readonly because: string | undefined })
  | (Origin & { readonly kind: 'status' });

/** A trigger that is for us. */
export type TriggerToAnswer = Exclude<Trigger, { kind: 'skip' }>;

const skip = (reason: string, text: string): Trigger => ({ kind: 'skip', reason, text });

/**
 * Reads the trigger from the inputs and the event: a comment's command, or the prompt or job of the inputs.
 *
 * @throws InputError where nothing says what to ask.
 */
export function readTrigger(config: AgentConfig, event: GitHubEvent, context: RunContext): Trigger {
  const explicit = config.prompt !== undefined || config.jobId !== undefined;
  if (event.kind === 'comment') {
    if (event.action !== 'created')
      return skip('not-created', `The comment was ${event.action}, not created.`);
    const { id, body, author } = event.comment;
    const ignored = whyIgnored(author, body, config);
    const command = explicit ? undefined : parseCommand(body, config.command);
    if (command?.kind === 'none') return skip('no-command', `The comment is no ${config.command} command.`);
    if (ignored !== undefined) return ignored;
    const source = { commentId: id, author };
    const key = `comment:${id}`;
    const thread = chooseThread(config.thread, event.thread);
    return command === undefined
      ? { key: inputKey(key, config), thread, source, kind: 'ask', ask: inputAsk(config) }
      : commandTrigger({ key, thread, source }, command, config);
  }
  if (!explicit) {
    if (event.kind === 'other-comment') {
      return skip('wrong-event', `Commands are read from issue_comment events, not from ${event.name}.`);
    }
    throw new InputError([missingPrompt]);
  }
  // A prompt on any comment passes the same gate: strangers write those as well.
  const author = event.kind === 'other-comment' ? event.author : undefined;
  const ignored = event.kind === 'other-comment' ? whyIgnored(author, event.body, config) : undefined;
  if (ignored !== undefined) return ignored;
  return {
    kind: 'ask',
    key: inputKey(`run:${context.runId}:${context.stepId}`, config),
    thread: chooseThread(config.thread, event.kind === 'thread' ? event.thread : undefined),
    source: author === undefined ? undefined : { commentId: undefined, author },
    ask: inputAsk(config),
  };
}

/**
 * A key for what the inputs ask: the legs of a matrix, and two workflows with a prompt each on the same comment, share all
 * else that names a trigger.
 */
export function inputKey(base: string, { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>): string {
  const asked = JSON.stringify([prompt ?? null, jobId ?? null]);
  return `${base}:${createHash('sha256').update(asked).digest('base64url').slice(0, 12)}`;
}

/** Why somebody's words are not for us, whatever they say. */
function whyIgnored(
  author: Author | undefined,
  body: string,
  { allowUsers }: AgentConfig,
): Trigger | undefined {
  if (looksLikeOurs(body)) return skip('own-comment', 'The comment is one of this action’s own.');
  if (author?.isBot && !allowUsers.includes(author.login.toLowerCase())) {
    return skip('unlisted-bot', `${author.login} is a bot that \`allow-users\` does not list.`);
  }
  return undefined;
}

function commandTrigger(
  origin: Origin,
  command: Exclude<Command, { kind: 'none' }>,
  config: AgentConfig,
): Trigger {
  if (command.kind !== 'ask') return { ...origin, ...command };
  const { prompt, removed } = removeInvisible(command.prompt);
  if (prompt.trim() === '') return { ...origin, kind: 'help', because: 'The prompt is empty.' };
  const wait = config.wait && !command.noWait;
  return {
    ...origin,
    kind: 'ask',
    ask: { prompt, jobId: undefined, continues: !command.fresh, wait, removed },
  };
}

/** The inputs' own words, as given. */
function inputAsk({ prompt, jobId, wait }: AgentConfig): Ask {
  return { prompt, jobId, continues: false, wait, removed: 0 };
}
