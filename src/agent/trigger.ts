import { createHash } from 'node:crypto';
import { chooseThread } from '../core/common-inputs.ts';
import type { SkipReason } from '../core/reasons.ts';
import { startsWithMarker } from '../core/sign.ts';
import type { Person } from '../github/changes.ts';
import type { GitHubEvent } from '../github/event.ts';
import type { Plan } from '../requests/run/plan.ts';
import type { RunContext } from '../runner/context.ts';
import { removeInvisible } from '../text/invisible.ts';
import { shortCode } from '../text/markdown.ts';
import { type About, aboutOf, whyNoChange } from './about.ts';
import { type Command, parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';

/** Where a request comes from. */
export interface Origin {
  /** Identifies the request. Every re-run has the same key. */
  readonly key: string;
  /** A digest of the inputs that choose the context, because two workflows may send different parts of one change. */
  readonly contextInputs: string | undefined;
  /** The issue or pull request that gets the status comment; `undefined` for none. */
  readonly thread: number | undefined;
  /** Whether a person wrote a command and expects an answer. */
  readonly isCommand: boolean;
  /** The pull request that the command is on, if a bot opened it. The job that created it should get the prompt. */
  readonly pullRequest: Plan['pullRequest'];
}

/** A trigger that the run responds to. */
export type TriggerToAnswer = Origin &
  (
    | {
        readonly kind: 'ask';
        readonly ask: Plan['ask'] & { readonly about: About | undefined; readonly removed: number };
      }
    | Exclude<Command, { kind: 'ask' }>
  );

/** What started the run. */
export type Trigger =
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly text: string }
  | TriggerToAnswer;

/** Reads the command from a comment, or the prompt or job from the inputs. */
export function readTrigger(config: AgentConfig, event: GitHubEvent, context: RunContext): Trigger {
  const isExplicit = [config.prompt, config.promptFile, config.jobId].some((input) => input !== undefined);
  if (event.kind === 'comment') {
    const { action, actor, source, body } = event;
    if (action !== 'created' && action !== 'submitted')
      return skip('not-created', `the comment was ${action}, not created.`);
    // A person who only approves, or only comments on a line, submits a review without text.
    if (source.kind === 'review' && body.trim() === '') return skip('no-command', 'the review has no text.');
    const command = isExplicit ? undefined : parseCommand(body, config.command);
    if (!isExplicit && command === undefined)
      return skip('no-command', `the comment does not begin with \`${config.command}\`.`);
    return whyIgnored(actor, body, config) ?? triggerOf(event, command, config, context);
  }
  if (!isExplicit && event.kind === 'other-comment')
    return skip(
      'wrong-event',
      `commands are read from comments and reviews on issues and pull requests, and a \`${event.name}\` event has neither.`,
    );
  const noChange = whyNoChange(event, config);
  if (noChange !== undefined) return skip('wrong-event', noChange);
  // Read the trigger first, because a bad input is an error even if the run would be skipped.
  const trigger = triggerOf(event, undefined, config, context);
  return whySkipped(event, config) ?? trigger;
}

/** @param command if `undefined`, the prompt or job comes from the inputs. */
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
    contextInputs: isCommand ? undefined : digestOf([config.context, config.paths]),
    thread: chooseThread(config.thread, 'thread' in event ? event.thread : undefined),
    isCommand,
    pullRequest: isCommand && config.continue === 'auto' ? pullRequestOfBot(event) : undefined,
  };
  if (isCommand && command.kind !== 'ask') return { ...origin, ...command };
  const { prompt, removed } = isCommand
    ? removeInvisible(command.prompt)
    : { prompt: config.prompt, removed: 0 };
  const usual = isCommand ? 'thread' : 'never';
  const chosen = config.continue === 'auto' ? usual : config.continue;
  const continues = command?.fresh ? 'never' : chosen;
  const wait = config.wait && command?.noWait !== true;
  const ask = { prompt, jobId: config.jobId, continues, about, wait, removed };
  return { ...origin, kind: 'ask', ask };
}

function pullRequestOfBot(event: GitHubEvent): Plan['pullRequest'] {
  if (event.kind !== 'comment' || !event.thread.isPullRequest) return undefined;
  const { opened, written } = event.thread;
  return written?.author.isBot === true ? opened : undefined;
}

/** Identifies a request in all runs of a comment or change. A pull request's `closed` event and its merge push are one change. */
function keyOf(event: GitHubEvent, about: About | undefined, { runId, stepId }: RunContext): string {
  if (event.kind === 'comment') return `${event.source.kind}:${event.source.id}`;
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  const change = about?.change;
  if (change?.kind === 'push') return `change:${change.push.after}`;
  if (change?.kind === 'release') return `change:${change.tag}`;
  if (change?.kind === 'pull-request' && event.kind === 'thread' && event.sha) return `change:${event.sha}`;
  return `run:${runId}:${stepId}`;
}

/** Adds the prompt and job from the inputs to a key. Matrix legs and workflows may send different prompts for one event. */
export function inputKey(base: string, { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>): string {
  return `${base}:${digestOf([prompt ?? null, jobId ?? null])}`;
}

function digestOf(inputs: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('base64url').slice(0, 12);
}

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

/** Why a comment is ignored, regardless of what it says. */
function whyIgnored(author: Person, body: string, config: AgentConfig): Trigger | undefined {
  if (startsWithMarker(body)) return skip('own-comment', 'the comment is one of this action’s own.');
  return whyUnlisted(author, config);
}

/** A bot must be listed even if it has the permission, because two bots could answer each other forever. */
function whyUnlisted({ login, isBot }: Person, { allowUsers }: AgentConfig): Trigger | undefined {
  if (!isBot || allowUsers.includes(login.toLowerCase())) return undefined;
  return skip('unlisted-bot', `${shortCode(login)} is a bot that \`allow-users\` does not list.`);
}

function skip(reason: SkipReason, why: string): Trigger {
  return { kind: 'skip', reason, text: `Skipped: ${why}` };
}
