import { badInput } from '../core/errors.ts';
import type { ReviewComment } from '../github/changes.ts';
import type { GitHubEvent, PushEvent, ReviewRef } from '../github/event.ts';
import type { EventThread } from '../github/payload.ts';
import type { RunContext } from '../runner/context.ts';
import type { AgentConfig } from './inputs.ts';

/** Which change a request is about. */
export type ChangeRef =
  | { readonly kind: 'pull-request'; readonly number: number }
  /** A push to a branch. The event doesn't say which pull request the push merged, if any. */
  | { readonly kind: 'push'; readonly push: PushEvent }
  | { readonly kind: 'release'; readonly tag: string }
  /** Everything between `changes-since` (a name, or a number of days) and `head`. */
  | { readonly kind: 'since'; readonly since: string | number; readonly head: string };

/** What is sent with a prompt. */
export interface About {
  /** The issue or pull request to send, if any. On a push, the merged pull request is found later. */
  readonly thread: Pick<EventThread, 'number' | 'written'> | undefined;
  /** Whether the text of an issue or pull request is sent. */
  readonly sendsThread: boolean;
  readonly change: ChangeRef | undefined;
  /** The review that is the command, or that contains the comment with the command. */
  readonly review: ReviewRef | undefined;
  /** The checks to send if they failed on the pull request that the command is on, and a bot opened it. */
  readonly checks: readonly string[];
  /** Whether the input `context` names what to send. If that can't be read, nothing is sent to the agent. */
  readonly isNamed: boolean;
  /** Whether a change that needs no docs is skipped. A command is never skipped, because a person wrote it. */
  readonly maySkip: boolean;
}

/** The comments in the review or conversation that a request belongs to. */
export interface ReviewWords extends Pick<ReviewRef, 'place'> {
  /** Oldest first. In a conversation, only the comments before the request. */
  readonly comments: readonly ReviewComment[];
  /** How many comments aren't sent because they were edited after the request, so its author hasn't seen the new text. */
  readonly edited?: number;
}

/** Why an event has no change to send, as a sentence for the log; `undefined` if it may have one. */
export function whyNoChange(event: GitHubEvent, { context, changesSince }: AgentConfig): string | undefined {
  if (!context.includes('changes') || changesSince !== undefined) return undefined;
  if (event.kind === 'push' && event.isDeleted) return 'the push deleted a branch or a tag.';
  if (event.kind === 'push' && !event.ref.startsWith('refs/heads/')) return 'a tag was pushed, not a branch.';
  if (event.kind === 'release' && event.action !== 'published')
    return `the release was ${event.action}, not published.`;
  return undefined;
}

/** What is sent with the prompt; `undefined` for nothing. @throws InputError if the event lacks what `context` names. */
export function aboutOf(
  event: GitHubEvent,
  config: AgentConfig,
  run: RunContext,
  isCommand: boolean,
): About | undefined {
  if (!isCommand && config.prompt === undefined) return undefined;
  const inEvent = 'thread' in event ? event.thread : undefined;
  const sends = partsOf(config, isCommand, inEvent);
  if (!sends.changes && event.kind !== 'comment') expectNoChangeInputs(config);
  if (!sends.thread && !sends.changes) return undefined;
  const change = sends.changes ? changeOf(event, config, run, isCommand) : undefined;
  const named = typeof config.thread === 'number' ? { number: config.thread, written: undefined } : undefined;
  const thread = sends.thread ? (inEvent ?? named) : undefined;
  if (sends.thread && thread === undefined && change?.kind !== 'push')
    throw badInput(
      'context',
      `can’t include \`thread\`: a \`${run.eventName}\` event has no issue or pull request`,
      'Remove `thread`.',
    );
  const isNamed = !config.context.includes('auto');
  const review = event.kind === 'comment' ? event.review : undefined;
  const checks = isCommand ? config.checks : [];
  return { thread, sendsThread: sends.thread, change, review, checks, isNamed, maySkip: !isCommand };
}

function partsOf({ context }: AgentConfig, isCommand: boolean, thread: EventThread | undefined) {
  // A workflow that reads commands on issues and pull requests may name `changes`, but an issue has no changes.
  const mayChange = !isCommand || thread?.isPullRequest === true;
  const isAuto = isCommand && context.includes('auto');
  const changes = mayChange && (isAuto || context.includes('changes'));
  return { thread: isAuto || context.includes('thread'), changes };
}

function expectNoChangeInputs({ paths, changesSince }: AgentConfig): void {
  if (paths.length > 0) throw badInput('paths', 'works only with `context: changes`');
  if (changesSince !== undefined) throw badInput('changes-since', 'works only with `context: changes`');
}

function changeOf(
  event: GitHubEvent,
  { changesSince: since }: AgentConfig,
  { eventName, sha }: RunContext,
  isCommand: boolean,
): ChangeRef {
  // A command on a pull request is about that pull request, so `changes-since` doesn't apply.
  if (since !== undefined && !isCommand) return { kind: 'since', since, head: sha };
  if (event.kind === 'push') return { kind: 'push', push: event };
  if (event.kind === 'release') return { kind: 'release', tag: event.tag };
  if ('thread' in event && event.thread?.isPullRequest === true)
    return { kind: 'pull-request', number: event.thread.number };
  throw badInput(
    'changes-since',
    `is missing: a \`${eventName}\` event doesn’t come with a change`,
    'Set it to where the changes begin: a tag, branch, or commit, or `7 days`.',
  );
}
