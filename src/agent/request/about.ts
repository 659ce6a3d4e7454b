import { InputError, type InputProblem } from '../../core/errors.ts';
import type { EventThread, GitHubEvent, PushEvent } from '../../github/event.ts';
import type { RunContext } from '../../runner/context.ts';
import type { AgentConfig, ChangesSince } from '../inputs.ts';

/** Which change a request is about. */
export type Change =
  | { readonly kind: 'pull-request'; readonly number: number }
  /** Commits that came to a branch. The pull request that they may have merged is not in the event. */
  | { readonly kind: 'push'; readonly push: PushEvent }
  | { readonly kind: 'release'; readonly tag: string }
  /** What came to `head` since a point of the inputs' choice. */
  | { readonly kind: 'since'; readonly since: ChangesSince; readonly head: string };

/** What a request is about, as far as it is to travel with the prompt. */
export interface About {
  /** The issue or pull request whose words travel; `undefined` for none, or for that of a push. */
  readonly thread: Pick<EventThread, 'number' | 'written'> | undefined;
  /** Whether the words of a thread travel at all. */
  readonly tellsThread: boolean;
  readonly change: Change | undefined;
  /** Named by the inputs: where it cannot be read, nothing is asked of the agent. */
  readonly isNamed: boolean;
  /** Whether a change that the docs need not follow is not asked about. Never so for a command: somebody asked. */
  readonly maySkip: boolean;
}

/** Why an event has no change to ask about, for the log. */
export function whyNoChange(event: GitHubEvent, config: AgentConfig): string | undefined {
  if (!namesChanges(config) || config.changesSince !== undefined) return undefined;
  if (event.kind === 'push' && event.isDeleted) return 'the push deleted a branch or a tag.';
  if (event.kind === 'push' && !event.ref.startsWith('refs/heads/')) return 'a tag was pushed, no branch.';
  if (event.kind === 'release' && event.action !== 'published')
    return `the release was ${event.action}, not published.`;
  return undefined;
}

/**
 * What a request is about, by the inputs and the event; `undefined` where the prompt travels alone.
 *
 * @throws InputError where the event has not what the inputs name.
 */
export function aboutOf(
  event: GitHubEvent,
  config: AgentConfig,
  context: RunContext,
  isCommand: boolean,
): About | undefined {
  if (!isCommand && config.prompt === undefined) return undefined;
  const inEvent = 'thread' in event ? event.thread : undefined;
  const wants = partsOf(config, isCommand, inEvent);
  if (config.paths.length > 0 && !wants.changes && event.kind !== 'comment')
    throw new InputError([
      problem('paths', 'chooses among changed files, so it takes `context: changes` as well'),
    ]);
  if (config.changesSince !== undefined && !wants.changes && event.kind !== 'comment')
    throw new InputError([
      problem('changes-since', 'says where changes begin, so it takes `context: changes` as well'),
    ]);
  if (!wants.thread && !wants.changes) return undefined;
  const change = wants.changes ? changeOf(event, config, context, isCommand) : undefined;
  const chosen =
    config.thread.kind === 'number' ? { number: config.thread.number, written: undefined } : undefined;
  const thread = wants.thread ? (inEvent ?? chosen) : undefined;
  if (wants.thread && thread === undefined && change?.kind !== 'push')
    throw new InputError([
      problem(
        'context',
        `a \`${context.eventName}\` event has no issue and no pull request, so there is no \`thread\` to tell the agent of; leave it out`,
      ),
    ]);
  return {
    thread,
    tellsThread: wants.thread,
    change,
    isNamed: config.context.kind === 'named',
    maySkip: !isCommand,
  };
}

function namesChanges({ context }: AgentConfig): boolean {
  return context.kind === 'named' && context.changes;
}

function partsOf(
  { context }: AgentConfig,
  isCommand: boolean,
  thread: EventThread | undefined,
): { readonly thread: boolean; readonly changes: boolean } {
  switch (context.kind) {
    case 'none':
      return { thread: false, changes: false };
    case 'named':
      // An issue has no changes; whoever serves both kinds of thread names both.
      return isCommand ? { ...context, changes: context.changes && isPullRequest(thread) } : context;
    case 'auto':
      return { thread: isCommand, changes: isCommand && isPullRequest(thread) };
  }
}

function isPullRequest(thread: EventThread | undefined): boolean {
  return thread?.isPullRequest === true;
}

function changeOf(
  event: GitHubEvent,
  { changesSince: since }: AgentConfig,
  { eventName, sha }: RunContext,
  isCommand: boolean,
): Change {
  // A command is about the pull request that it stands in, whatever the inputs say for other events.
  if (since !== undefined && !isCommand) return { kind: 'since', since, head: sha };
  if (event.kind === 'push') return { kind: 'push', push: event };
  if (event.kind === 'release') return { kind: 'release', tag: event.tag };
  if ('thread' in event && event.thread !== undefined && isPullRequest(event.thread))
    return { kind: 'pull-request', number: event.thread.number };
  const takes = `missing. A \`${eventName}\` event carries no change, so \`context: changes\` has to know where they begin: a tag, branch or commit, or \`7 days\`.`;
  throw new InputError([problem('changes-since', takes)]);
}

function problem(input: string, takes: string): InputProblem {
  return { input, got: undefined, takes };
}
