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
  /** `undefined` where no command is listened to: there is no reacting to it. */
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
  /** Who did what started the run, where that was no comment: they need the same permission, and are not answered. */
  readonly actor: Author | undefined;
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
  const { prompt, promptProblem, jobId } = config;
  const explicit = prompt !== undefined || promptProblem !== undefined || jobId !== undefined;
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
    const origin = { thread: chooseThread(config.thread, event.thread), source, actor: undefined };
    return command === undefined
      ? { ...origin, key: inputKey(key, config), kind: 'ask', ask: inputAsk(config) }
      : commandTrigger({ ...origin, key }, command, config);
  }
  if (!explicit) {
    if (event.kind === 'other-comment') {
      return skip('wrong-event', `Commands are read from issue_comment events, not from ${event.name}.`);
    }
    throw new InputError([missingPrompt]);
  }
  const origin = {
    key: inputKey(keyOf(event, context), config),
    source: undefined,
    actor: undefined,
  };
  const ask = { kind: 'ask', ask: inputAsk(config) } as const;
  switch (event.kind) {
    case 'other-comment': {
      if (event.action !== 'created' && event.action !== 'submitted')
        return skip('not-created', `What was written was ${event.action}, not created.`);
      const ignored = whyIgnored(event.author, event.body, config);
      if (ignored !== undefined) return ignored;
      const source = { commentId: undefined, author: event.author };
      return { ...origin, ...ask, source, thread: chooseThread(config.thread, event.thread) };
    }
    case 'thread':
      if (event.isRejected) return skip('not-merged', 'The pull request was closed without being merged.');
      if (isUnlistedBot(event.actor, config)) return skipUnlistedBot(event.actor);
      return { ...origin, ...ask, actor: event.actor, thread: chooseThread(config.thread, event.thread) };
    case 'other':
      return { ...origin, ...ask, thread: chooseThread(config.thread, undefined) };
  }
}

/** Names what was written where no command is listened to, over all runs it starts; anything else is one run's own. */
function keyOf(event: GitHubEvent, { runId, stepId }: RunContext): string {
  const isNamed = event.kind === 'other-comment' && event.id !== undefined;
  return isNamed ? `${event.name}:${event.id}` : `run:${runId}:${stepId}`;
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
function whyIgnored(author: Author, body: string, config: AgentConfig): Trigger | undefined {
  if (looksLikeOurs(body)) return skip('own-comment', 'The comment is one of this action’s own.');
  return isUnlistedBot(author, config) ? skipUnlistedBot(author) : undefined;
}

/** Bots answer each other without end: whatever permission one has, it asks only where it is listed. */
function isUnlistedBot({ login, isBot }: Author, { allowUsers }: AgentConfig): boolean {
  return isBot && !allowUsers.includes(login.toLowerCase());
}

function skipUnlistedBot({ login }: Author): Trigger {
  return skip('unlisted-bot', `${login} is a bot that \`allow-users\` does not list.`);
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
