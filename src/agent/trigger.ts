import { createHash } from 'node:crypto';
import { InputError } from '../core/errors.ts';
import { chooseThread } from '../core/inputs/common.ts';
import type { SkipReason } from '../core/reasons.ts';
import type { Person } from '../github/changes.ts';
import type { GitHubEvent } from '../github/event.ts';
import type { Ask, OpenedPullRequest } from '../requests/next.ts';
import { looksLikeOurs } from '../requests/sign.ts';
import type { RunContext } from '../runner/context.ts';
import { removeInvisible } from '../text/invisible.ts';
import { shortCode } from '../text/markdown.ts';
import { type About, aboutOf, whyNoChange } from './about.ts';
import { missingPrompt } from './check.ts';
import { type Command, parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';

/** The request in a trigger. */
interface TriggerAsk extends Ask {
  /** What is sent with the prompt about its subject. */
  readonly about: About | undefined;
  /** How many invisible code points were removed from the prompt. */
  readonly removed: number;
}

interface Origin {
  /** Identifies what happened; the same in every re-run. */
  readonly key: string;
  /** Where the status comment goes; `undefined` for nowhere. */
  readonly thread: number | undefined;
  /** Whether it is a command, so its author expects an answer. */
  readonly isCommand: boolean;
  /** The bot's pull request that a command is on, if we should look for the job that made it. */
  readonly pullRequest: OpenedPullRequest | undefined;
}

/** A trigger that is meant for us. */
export type TriggerToAnswer = Origin &
  ({ readonly kind: 'ask'; readonly ask: TriggerAsk } | Exclude<Command, { kind: 'ask' }>);

/** Why this run was started, and what for. */
export type Trigger =
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly text: string }
  | TriggerToAnswer;

/**
 * Reads the trigger from the inputs and the event: a comment's command, or the prompt or job of the inputs.
 *
 * @throws InputError if there is no prompt.
 */
export function readTrigger(config: AgentConfig, event: GitHubEvent, context: RunContext): Trigger {
  const { prompt, promptProblem, jobId } = config;
  const isExplicit = prompt !== undefined || promptProblem !== undefined || jobId !== undefined;
  if (event.kind === 'comment') {
    const { action, actor, comment } = event;
    if (action !== 'created' && action !== 'submitted')
      return skip('not-created', `the comment was ${action}, not created.`);
    // Approving, or commenting on a line, submits a review without text: no one asked for anything in it.
    if (comment.kind === 'review' && comment.body.trim() === '')
      return skip('no-command', 'the review has no text.');
    const command = isExplicit ? undefined : parseCommand(comment.body, config.command);
    if (!isExplicit && command === undefined)
      return skip('no-command', `the comment does not begin with \`${config.command}\`.`);
    return whyIgnored(actor, comment.body, config) ?? triggerOf(event, command, config, context);
  }
  if (!isExplicit && event.kind === 'other-comment')
    return skip(
      'wrong-event',
      `commands are read from comments and reviews on issues and pull requests, and a \`${event.name}\` event has neither.`,
    );
  if (!isExplicit) throw new InputError([missingPrompt]);
  const noChange = whyNoChange(event, config);
  if (noChange !== undefined) return skip('wrong-event', noChange);
  // First, because a bad input is an error even if the event would be skipped.
  const trigger = triggerOf(event, undefined, config, context);
  return whySkipped(event, config) ?? trigger;
}

/** @param command without one, the prompt or the job comes from the inputs, unchanged. */
function triggerOf(
  event: GitHubEvent,
  command: Command | undefined,
  config: AgentConfig,
  context: RunContext,
): Trigger {
  const isCommand = command !== undefined;
  const about = aboutOf(event, config, context, isCommand);
  const key = keyOf(event, about, context);
  const origin: Origin = {
    key: isCommand ? key : inputKey(key, config),
    thread: chooseThread(config.thread, 'thread' in event ? event.thread : undefined),
    isCommand,
    pullRequest: isCommand && config.continue === 'auto' ? pullRequestOfBot(event) : undefined,
  };
  if (isCommand && command.kind !== 'ask') return { ...origin, ...command };
  const { prompt, removed } = isCommand
    ? removeInvisible(command.prompt)
    : { prompt: config.prompt, removed: 0 };
  const continues = command?.fresh ? 'nowhere' : continuedBy(config, isCommand ? 'thread' : 'nowhere');
  const wait = config.wait && command?.noWait !== true;
  const ask = { prompt, jobId: config.jobId, continues, about, wait, removed };
  return { ...origin, kind: 'ask', ask };
}

function pullRequestOfBot(event: GitHubEvent): OpenedPullRequest | undefined {
  if (event.kind !== 'comment' || !event.thread.isPullRequest) return undefined;
  const { opened, written } = event.thread;
  return written?.author.isBot === true ? opened : undefined;
}

/**
 * Identifies what happened, across all runs that it starts: a comment, or a change (the `closed` event of a pull request and the
 * push that merged it are the same one). Anything else belongs to a single run.
 */
function keyOf(event: GitHubEvent, about: About | undefined, { runId, stepId }: RunContext): string {
  if (event.kind === 'comment') return `${event.comment.kind}:${event.comment.id}`;
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  const change = about?.change;
  if (change?.kind === 'push') return `change:${change.push.after}`;
  if (change?.kind === 'release') return `change:${change.tag}`;
  if (change?.kind === 'pull-request' && event.kind === 'thread' && event.sha) return `change:${event.sha}`;
  return `run:${runId}:${stepId}`;
}

/**
 * The key of a trigger whose prompt or job is from the inputs: everything else is the same for all legs of a matrix, and for two
 * workflows that each have a prompt for the same comment.
 */
export function inputKey(base: string, { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>): string {
  const asked = JSON.stringify([prompt ?? null, jobId ?? null]);
  return `${base}:${createHash('sha256').update(asked).digest('base64url').slice(0, 12)}`;
}

/** Why an event without a command starts nothing. */
function whySkipped(event: GitHubEvent, config: AgentConfig): Trigger | undefined {
  if (event.kind === 'other-comment') {
    const { name, action, actor, body } = event;
    if (action !== 'created') return skip('not-created', `the \`${name}\` was ${action}, not created.`);
    return whyIgnored(actor, body, config);
  }
  if (event.kind === 'thread' && event.isRejected)
    return skip('not-merged', 'the pull request was closed without being merged.');
  return event.isTrusted || event.actor === undefined ? undefined : whyUnlisted(event.actor, config);
}

/** Why we ignore a comment, regardless of what it says. */
function whyIgnored(author: Person, body: string, config: AgentConfig): Trigger | undefined {
  if (looksLikeOurs(body)) return skip('own-comment', 'the comment is one of this action’s own.');
  return whyUnlisted(author, config);
}

/** Bots could answer each other forever, so they need to be listed, regardless of their permission. */
function whyUnlisted({ login, isBot }: Person, { allowUsers }: AgentConfig): Trigger | undefined {
  if (!isBot || allowUsers.includes(login.toLowerCase())) return undefined;
  return skip('unlisted-bot', `${shortCode(login)} is a bot that \`allow-users\` does not list.`);
}

function skip(reason: SkipReason, why: string): Trigger {
  return { kind: 'skip', reason, text: `Skipped: ${why}` };
}

function continuedBy({ continue: choice }: AgentConfig, usual: 'nowhere' | 'thread') {
  if (choice === 'auto') return usual;
  return choice === 'never' ? 'nowhere' : choice;
}
