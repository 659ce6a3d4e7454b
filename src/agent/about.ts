import { badInput, type InputError } from '../core/errors.ts';
import type { ReviewComment } from '../github/changes.ts';
import type { GitHubEvent, PushEvent, ReviewRef } from '../github/event.ts';
import type { AgentConfig } from './inputs.ts';

/** Everything between `changes-since` (a name, or a number of days) and `head`. */
export type SinceRef = {
  readonly kind: 'since';
  readonly since: string | number;
  readonly head: string;
};

/** Which change a request is about. The event of a push doesn't say which pull request was merged, if any. */
export type ChangeRef =
  | { readonly kind: 'pull-request'; readonly number: number }
  | { readonly kind: 'push'; readonly push: PushEvent }
  | { readonly kind: 'release'; readonly tag: string }
  | SinceRef;

/** What is sent with a prompt. */
export type About = Readonly<Exclude<NonNullable<ReturnType<typeof aboutOf>>, InputError>>;

/** The comments in the review or conversation that a request belongs to. */
export interface ReviewWords extends Pick<ReviewRef, 'place'> {
  /** Oldest first. In a conversation, only the comments before the request. */
  readonly comments: readonly ReviewComment[];
  /** How many comments aren't sent because they were edited after the request, so its author hasn't seen the new text. */
  readonly edited?: number;
}

/** Why an event has no change to send, as a sentence for the log; `undefined` if it may have one. */
export function whyNoChange(
  event: GitHubEvent,
  { context, changesSince }: AgentConfig,
): string | undefined {
  if (!context.includes('changes') || changesSince !== undefined) return undefined;
  if (event.kind === 'push' && event.isDeleted) return 'the push deleted a branch or a tag.';
  if (event.kind === 'push' && !event.ref.startsWith('refs/heads/'))
    return 'a tag was pushed, not a branch.';
  const isUnpublished = event.kind === 'release' && event.action !== 'published';
  return isUnpublished ? `the release was ${event.action}, not published.` : undefined;
}

/** What is sent with the prompt. An error is returned, because the person's permission is checked first. */
export function aboutOf(event: GitHubEvent, config: AgentConfig, head: string, isCommand: boolean) {
  if (!isCommand && config.prompt === undefined) return undefined;
  const { context, paths, changesSince: since } = config;
  const inEvent = 'thread' in event ? event.thread : undefined;
  const isAuto = isCommand && context.includes('auto');
  const sendsThread = isAuto || context.includes('thread');
  // A workflow that reads commands on issues and pull requests may name `changes`, but an issue has no changes.
  const mayChange = !isCommand || inEvent?.isPullRequest === true;
  const sendsChange = mayChange && (isAuto || context.includes('changes'));
  const unused = paths.length > 0 ? 'paths' : since === undefined ? undefined : 'changes-since';
  if (!sendsChange && event.kind !== 'comment' && unused !== undefined)
    return badInput(unused, 'works only with `context: changes`');
  if (!sendsThread && !sendsChange) return undefined;
  // A command on a pull request is about that pull request, so `changes-since` doesn't apply.
  const range =
    since === undefined || isCommand ? undefined : ({ kind: 'since', since, head } as const);
  const change = sendsChange ? (range ?? changeOf(event)) : undefined;
  const noChange = `is missing: a \`${event.name}\` event doesn’t come with a change`;
  const begin = 'Set it to where the changes begin: a tag, branch, or commit, or `7 days`.';
  if (sendsChange && change === undefined) return badInput('changes-since', noChange, begin);
  const unread = { isPullRequest: false, written: undefined };
  const named =
    typeof config.thread === 'number' ? { number: config.thread, ...unread } : undefined;
  // On a push, the merged pull request is found later.
  const thread = sendsThread ? (inEvent ?? named) : undefined;
  const noThread = `can’t include \`thread\`: a \`${event.name}\` event has no issue or pull request`;
  if (sendsThread && thread === undefined && change?.kind !== 'push')
    return badInput('context', noThread, 'Remove `thread`.');
  const review = event.kind === 'comment' ? event.review : undefined;
  // If they failed on the pull request that the command is on, and a bot opened it, they are sent.
  const checks = isCommand ? config.checks : [];
  // A change that needs no docs is skipped, but a command never is, because a person wrote it.
  return { thread, sendsThread, change, review, checks, maySkip: !isCommand };
}

function changeOf(event: GitHubEvent): ChangeRef | undefined {
  if (event.kind === 'push') return { kind: 'push', push: event };
  if (event.kind === 'release') return { kind: 'release', tag: event.tag };
  const isOfPull = 'thread' in event && event.thread?.isPullRequest === true;
  return isOfPull ? { kind: 'pull-request', number: event.thread.number } : undefined;
}
