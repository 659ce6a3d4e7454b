import { badInput, type InputError } from '../core/errors.ts';
import type { ReviewComment, ReviewPlace } from '../github/changes.ts';
import type {
  CommentEvent,
  EventThread,
  GitHubEvent,
  PushEvent,
  ReleaseEvent,
} from '../github/event.ts';
import type { AgentConfig } from './inputs.ts';

/** Everything between `changes-since` (a name, or a number of days) and `head`. */
export type SinceRef = {
  readonly kind: 'since';
  readonly since: string | number;
  readonly head: string;
};

/**
 * Which change a request is about. The event of a push doesn't say which pull request was merged,
 * if any.
 */
export type ChangeRef =
  | { readonly kind: 'pull-request'; readonly number: number }
  | { readonly kind: 'push'; readonly push: PushEvent }
  | Pick<ReleaseEvent, 'kind' | 'tag' | 'isPrerelease'>
  | SinceRef;

/** What is sent with a prompt. */
export type About = Readonly<{
  /** `undefined` if no thread is sent, or if a push has to be read first to find it. */
  thread: Pick<EventThread, 'number' | 'isPullRequest' | 'written'> | undefined;
  sendsThread: boolean;
  change: ChangeRef | undefined;
  /** The comment or review that started the run. Nothing newer is sent. */
  request: CommentEvent | undefined;
  /** The names of checks. Those that failed are sent, if the command is on the agent's pull request. */
  checks: readonly string[];
  /** Whether a change that needs no docs is skipped. A command never is: a person wrote it. */
  maySkip: boolean;
}>;

/** The comments in the review or conversation that a request belongs to. */
export interface ReviewWords {
  readonly place: ReviewPlace | undefined;
  /** Oldest first. In a conversation, only the comments before the request. */
  readonly comments: readonly ReviewComment[];
  /**
   * How many comments aren't sent because they were edited after the request, so its author hasn't
   * seen the new text.
   */
  readonly editedCount?: number;
}

/** Why an event has no change to send, as a sentence for the log; `undefined` if it may have. */
export function whyNoChange(event: GitHubEvent, config: AgentConfig): string | undefined {
  if (!config.context.includes('changes') || config.changesSince) return undefined;
  if (event.kind === 'push') {
    if (event.isDeleted) return 'the push deleted a branch or a tag.';
    if (!event.ref.startsWith('refs/heads/')) return 'a tag was pushed, not a branch.';
  }
  if (event.kind === 'release' && !['published', 'released'].includes(event.action))
    return `the release was ${event.action}, not published.`;
  return undefined;
}

/**
 * What is sent with the prompt; `undefined` for nothing. An error is returned, because the person's
 * permission is checked first.
 */
export function chooseAbout(
  event: GitHubEvent,
  config: AgentConfig,
  head: string,
  isCommand: boolean,
): About | InputError | undefined {
  if (isCommand && event.kind === 'comment') return aboutCommand(event, config);
  if (config.prompt === undefined) return undefined;
  return aboutPrompt(event, config, head);
}

function aboutCommand(event: CommentEvent, config: AgentConfig) {
  const { context, checks } = config;
  const sendsThread = context.includes('auto') || context.includes('thread');
  const sendsChange = context.includes('auto') || context.includes('changes');
  // A command on a pull request is about that pull request, so `changes-since` doesn't apply. A
  // workflow that reads commands on issues, too, may name `changes`, but an issue has no changes.
  const change = sendsChange ? changeOf(event) : undefined;
  const thread = sendsThread ? event.thread : undefined;
  if (!thread && !change) return undefined;
  return { thread, sendsThread, change, request: event, checks, maySkip: false };
}

/** What is sent with a prompt from the inputs. */
function aboutPrompt(event: GitHubEvent, config: AgentConfig, head: string) {
  const { context, changesSince: since } = config;
  const sendsThread = context.includes('thread');
  const sendsChange = context.includes('changes');
  if (!sendsChange && event.kind !== 'comment') {
    const problem = 'works only with `context: changes`';
    if (config.paths.length > 0) return badInput('paths', problem);
    if (since) return badInput('changes-since', problem);
  }
  if (!sendsThread && !sendsChange) return undefined;

  let change: ChangeRef | undefined;
  if (sendsChange) {
    change = since ? { kind: 'since', since, head } : changeOf(event);
    if (!change) {
      const problem = `is missing: a \`${event.name}\` event doesn’t come with a change`;
      const hint = 'Set it to where the changes begin: a tag, branch, or commit, or `7 days`.';
      return badInput('changes-since', problem, hint);
    }
  }

  const thread = sendsThread ? threadOf(event, config) : undefined;
  if (event.kind === 'push' && !sendsChange && !thread) {
    const lack = `a \`${event.name}\` event doesn’t say which pull request it merged`;
    return badInput('context', `must include \`changes\`: ${lack}`, 'Add `changes`.');
  }
  // On a push, the merged pull request is found later.
  if (sendsThread && !thread && change?.kind !== 'push') {
    const lack = `a \`${event.name}\` event has no issue or pull request`;
    return badInput('context', `can’t include \`thread\`: ${lack}`, 'Remove `thread`.');
  }

  const request = event.kind === 'comment' ? event : undefined;
  return { thread, sendsThread, change, request, checks: [], maySkip: true };
}

function changeOf(event: GitHubEvent): ChangeRef | undefined {
  if (event.kind === 'push') return { kind: 'push', push: event };
  if (event.kind === 'release') return event;
  if (!('thread' in event) || !event.thread.isPullRequest) return undefined;
  return { kind: 'pull-request', number: event.thread.number };
}

function threadOf(event: GitHubEvent, config: AgentConfig) {
  if ('thread' in event) return event.thread;
  if (typeof config.thread !== 'number') return undefined;
  return { number: config.thread, isPullRequest: false, written: undefined };
}
