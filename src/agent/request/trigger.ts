import { createHash } from 'node:crypto';
import { InputError } from '../../core/errors.ts';
import { chooseThread } from '../../core/inputs/common.ts';
import type { SkipReason } from '../../core/reasons.ts';
import type { Author, GitHubEvent, ThreadRef } from '../../github/event.ts';
import type { Ask } from '../../requests/next.ts';
import { looksLikeOurs } from '../../requests/sign.ts';
import type { RunContext } from '../../runner/context.ts';
import { removeInvisible } from '../../text/invisible.ts';
import { shortCode } from '../../text/markdown.ts';
import { missingPrompt } from '../check.ts';
import type { AgentConfig, ContinueChoice } from '../inputs.ts';
import { type About, aboutOf, type Change, whyNoChange } from './about.ts';
import { type Command, parseCommand } from './command.ts';

/** What a trigger asks of the agent. */
export interface TriggerAsk extends Ask {
  /** What it is about, as far as that goes along with the prompt. */
  readonly about: About | undefined;
  /** How many invisible code points were removed from the prompt. */
  readonly removed: number;
}

/** The comment that started the run. */
export interface Source {
  /** `undefined` where no command is listened to: there is no reacting to it. */
  readonly commentId: number | undefined;
  readonly author: Author;
  /** Whether they gave a command, and so expect an answer. */
  readonly isCommand: boolean;
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
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly text: string }
  | (Origin & { readonly kind: 'ask'; readonly ask: TriggerAsk })
  | (Origin & { readonly kind: 'help'; readonly because: string | undefined })
  | (Origin & { readonly kind: 'status' });

/** A trigger that is for us. */
export type TriggerToAnswer = Exclude<Trigger, { kind: 'skip' }>;

const skip = (reason: SkipReason, why: string): Trigger => ({
  kind: 'skip',
  reason,
  text: `Skipped: ${why}`,
});

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
      return skip('not-created', `the comment was ${event.action}, not created.`);
    const { id, body, author } = event.comment;
    const ignored = whyIgnored(author, body, config);
    const command = explicit ? undefined : parseCommand(body, config.command);
    if (command?.kind === 'none')
      return skip('no-command', `the comment does not begin with \`${config.command}\`.`);
    if (ignored !== undefined) return ignored;
    const source = { commentId: id, author, isCommand: command !== undefined };
    const key = `comment:${id}`;
    const origin = { thread: chooseThread(config.thread, event.thread), source, actor: undefined };
    const about = aboutOf(event, config, context, command !== undefined);
    return command === undefined
      ? { ...origin, key: inputKey(key, config), kind: 'ask', ask: inputAsk(config, about) }
      : commandTrigger({ ...origin, key }, command, about, config);
  }
  if (!explicit) {
    if (event.kind === 'other-comment') {
      return skip(
        'wrong-event',
        `commands are read from new comments (\`issue_comment\` events with a comment), and this is \`${event.name}\`.`,
      );
    }
    throw new InputError([missingPrompt]);
  }
  const noChange = whyNoChange(event, config);
  if (noChange !== undefined) return skip('wrong-event', noChange);
  const about = aboutOf(event, config, context, false);
  const origin = {
    key: inputKey(keyOf(event, about?.change, context), config),
    source: undefined,
    actor: undefined,
  };
  const ask = { kind: 'ask', ask: inputAsk(config, about) } as const;
  switch (event.kind) {
    case 'other-comment': {
      if (event.action !== 'created' && event.action !== 'submitted')
        return skip('not-created', `what was written was ${event.action}, not created.`);
      const ignored = whyIgnored(event.author, event.body, config);
      if (ignored !== undefined) return ignored;
      const source = { commentId: undefined, author: event.author, isCommand: false };
      return { ...origin, ...ask, source, thread: chooseThread(config.thread, event.thread) };
    }
    case 'thread':
      if (event.isRejected) return skip('not-merged', 'the pull request was closed without being merged.');
      if (isUnlistedBot(event.actor, config)) return skipUnlistedBot(event.actor);
      return { ...origin, ...ask, actor: event.actor, thread: chooseThread(config.thread, event.thread) };
    case 'push':
    case 'release':
    case 'other':
      return { ...origin, ...ask, thread: chooseThread(config.thread, undefined) };
  }
}

/**
 * Names what happened, over all runs that it starts: a change, wherever it shows (the `closed` event of a pull request and
 * the push of its merge are one), or what was written where no command is listened to. Anything else is one run's own.
 */
function keyOf(event: GitHubEvent, change: Change | undefined, { runId, stepId }: RunContext): string {
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  switch (change?.kind) {
    case 'pull-request':
      if (event.kind === 'thread' && event.sha !== undefined) return `change:${event.sha}`;
      break;
    case 'push':
      return `change:${change.push.after}`;
    case 'release':
      return `change:${change.tag}`;
  }
  return `run:${runId}:${stepId}`;
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
  if (looksLikeOurs(body)) return skip('own-comment', 'the comment is one of this action’s own.');
  return isUnlistedBot(author, config) ? skipUnlistedBot(author) : undefined;
}

/** Bots answer each other without end: whatever permission one has, it asks only where it is listed. */
function isUnlistedBot({ login, isBot }: Author, { allowUsers }: AgentConfig): boolean {
  return isBot && !allowUsers.includes(login.toLowerCase());
}

function skipUnlistedBot({ login }: Author): Trigger {
  return skip('unlisted-bot', `${shortCode(login)} is a bot that \`allow-users\` does not list.`);
}

function commandTrigger(
  origin: Origin,
  command: Exclude<Command, { kind: 'none' }>,
  about: About | undefined,
  config: AgentConfig,
): Trigger {
  if (command.kind !== 'ask') return { ...origin, ...command };
  const { prompt, removed } = removeInvisible(command.prompt);
  if (prompt.trim() === '') return { ...origin, kind: 'help', because: 'The prompt is empty.' };
  const wait = config.wait && !command.noWait;
  const continued = continuedBy(config.continue, 'thread');
  return {
    ...origin,
    kind: 'ask',
    ask: { prompt, jobId: undefined, continues: command.fresh ? 'nowhere' : continued, about, wait, removed },
  };
}

/** The inputs' own words, as given. */
function inputAsk({ prompt, jobId, wait, ...config }: AgentConfig, about: About | undefined): TriggerAsk {
  return { prompt, jobId, continues: continuedBy(config.continue, 'nowhere'), about, wait, removed: 0 };
}

function continuedBy(choice: ContinueChoice, usual: 'nowhere' | 'thread'): TriggerAsk['continues'] {
  switch (choice) {
    case 'auto':
      return usual;
    case 'never':
      return 'nowhere';
    default:
      return choice;
  }
}
