import { InputError } from '../core/errors.ts';
import type { ReviewComment } from '../github/changes.ts';
import type { GitHubEvent, PushEvent, ReviewRef } from '../github/event.ts';
import type { EventThread } from '../github/payload.ts';
import type { RunContext } from '../runner/context.ts';
import type { AgentConfig, ChangesSince } from './inputs.ts';

/** Which change a request is about. */
export type ChangeRef =
  | { readonly kind: 'pull-request'; readonly number: number }
  /** Commits pushed to a branch. The event doesn't say which pull request they merged, if any. */
  | { readonly kind: 'push'; readonly push: PushEvent }
  | { readonly kind: 'release'; readonly tag: string }
  /** Everything between `changes-since` and `head`. */
  | { readonly kind: 'since'; readonly since: ChangesSince; readonly head: string };

/** What is sent with a prompt about its subject. */
export interface About {
  /** The issue or pull request to send; `undefined` for none, or if a push has yet to name it. */
  readonly thread: Pick<EventThread, 'number' | 'written'> | undefined;
  /** Whether a thread's text is sent. */
  readonly sendsThread: boolean;
  readonly change: ChangeRef | undefined;
  /** The review that is the request, or contains it. */
  readonly review: ReviewRef | undefined;
  /** Whether the inputs name it: if it can't be read, nothing is sent. */
  readonly isNamed: boolean;
  /** Whether a change that doesn't need docs is skipped. Never for a command, which a person wrote for this change. */
  readonly maySkip: boolean;
}

/** The review or conversation that a request belongs to. */
export interface ReviewWords extends Pick<ReviewRef, 'place'> {
  /** Oldest first; in a conversation, only those before the request. */
  readonly comments: readonly ReviewComment[];
}

/** Why an event has no change to send, for the log. */
export function whyNoChange(event: GitHubEvent, { context, changesSince }: AgentConfig): string | undefined {
  if (context.kind !== 'named' || !context.changes || changesSince !== undefined) return undefined;
  if (event.kind === 'push' && event.isDeleted) return 'the push deleted a branch or a tag.';
  if (event.kind === 'push' && !event.ref.startsWith('refs/heads/')) return 'a tag was pushed, not a branch.';
  if (event.kind === 'release' && event.action !== 'published')
    return `the release was ${event.action}, not published.`;
  return undefined;
}

/**
 * What a request is about, according to the inputs and the event; `undefined` if the prompt is sent alone.
 *
 * @throws InputError if the event lacks what the inputs name.
 */
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
  const named =
    config.thread.kind === 'number' ? { number: config.thread.number, written: undefined } : undefined;
  const thread = sends.thread ? (inEvent ?? named) : undefined;
  if (sends.thread && thread === undefined && change?.kind !== 'push')
    throw badInput(
      'context',
      `a \`${run.eventName}\` event has no issue or pull request, so there is no \`thread\` to send; leave it out`,
    );
  const isNamed = config.context.kind === 'named';
  const review = event.kind === 'comment' ? event.review : undefined;
  return { thread, sendsThread: sends.thread, change, review, isNamed, maySkip: !isCommand };
}

function partsOf({ context }: AgentConfig, isCommand: boolean, thread: EventThread | undefined) {
  // An issue has no changes; a workflow that serves commands on issues and pull requests names both.
  const mayChange = !isCommand || thread?.isPullRequest === true;
  if (context.kind === 'named') return { thread: context.thread, changes: context.changes && mayChange };
  const isSent = context.kind === 'auto' && isCommand;
  return { thread: isSent, changes: isSent && mayChange };
}

function expectNoChangeInputs({ paths, changesSince }: AgentConfig): void {
  if (paths.length > 0)
    throw badInput('paths', 'filters the changed files, so it also needs `context: changes`');
  if (changesSince !== undefined)
    throw badInput('changes-since', 'says where the changes begin, so it also needs `context: changes`');
}

function changeOf(
  event: GitHubEvent,
  { changesSince: since }: AgentConfig,
  { eventName, sha }: RunContext,
  isCommand: boolean,
): ChangeRef {
  // A command is about its own pull request, whatever the inputs say for other events.
  if (since !== undefined && !isCommand) return { kind: 'since', since, head: sha };
  if (event.kind === 'push') return { kind: 'push', push: event };
  if (event.kind === 'release') return { kind: 'release', tag: event.tag };
  if ('thread' in event && event.thread?.isPullRequest === true)
    return { kind: 'pull-request', number: event.thread.number };
  throw badInput(
    'changes-since',
    `missing. A \`${eventName}\` event doesn’t come with a change, so set where \`context: changes\` begins: a tag, branch, or commit, or \`7 days\`.`,
  );
}

function badInput(input: string, takes: string): InputError {
  return new InputError([{ input, takes }]);
}
