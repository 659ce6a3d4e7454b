import { createHash, randomUUID } from 'node:crypto';
import { chooseThread } from '../core/common-inputs.ts';
import { InputError } from '../core/errors.ts';
import { ownerOf } from '../core/sign.ts';
import type { Deps } from '../deps.ts';
import type { GitHubEvent } from '../github/event.ts';
import type { Card } from '../requests/card/card.ts';
import { newCard } from '../requests/card/transitions.ts';
import type { Plan } from '../requests/run/plan.ts';
import type { RunContext } from '../runner/context.ts';
import { removeInvisible } from '../text/invisible.ts';
import { type About, type ChangeRef, chooseAbout } from './about.ts';
import { createContextReader } from './context/reader.ts';
import type { AgentConfig } from './inputs.ts';
import type { Trigger } from './trigger.ts';

export type Begun = ReturnType<typeof begin>;

/**
 * Creates the card of a request, and the plan of the run that works on it. Bad inputs are reported
 * later: see `admit`.
 */
export function begin(trigger: Trigger, config: AgentConfig, deps: Deps) {
  const { event, context } = deps;
  const isCommand = trigger.kind !== 'inputs';
  const { about, inputError } = readAbout(trigger, config, deps);
  const thread = chooseThread(config.thread, 'thread' in event ? event.thread : undefined);
  const { prompt, removed, ask } = wordsOf(trigger, config);
  const isReply = ask === 'reply';
  const continues = continuesOf(trigger, config);
  const isSeries = !isReply && continues === 'repository';
  const isComment = event.kind === 'comment' || event.kind === 'other-comment';
  const card = newCard({
    ...identityOf(isCommand, keyOf(event, about?.change, context), config),
    nonce: randomUUID(),
    run: context.runId,
    runUrl: context.runUrl,
    attempt: context.runAttempt,
    // Without a key, a status comment can't be signed.
    thread: config.apiKey === '' ? undefined : thread,
    source: event.kind === 'comment' ? event.source : undefined,
    isCommand,
    command: config.command,
    requester: isComment ? event.actor.login : undefined,
    prompt,
    removed,
    ask,
    reviewer: isReply ? undefined : reviewerOf(event, config),
    series: isSeries ? context.workflow : undefined,
  });
  // The agent should know why its last pull request was closed.
  const mayBeRejected =
    continues === 'repository' && prompt !== undefined && !config.context.includes('none');
  const hasContext = about !== undefined || (mayBeRejected && inputError === undefined);
  const wait = config.wait && !(trigger.kind === 'ask' && trigger.noWait);
  const plan: Plan = {
    ...planOf(config, deps),
    ask: { prompt, jobId: config.jobId, continues, wait },
    pullRequest: isCommand && config.continue === 'auto' ? pullRequestOfBot(event) : undefined,
    context: hasContext ? createContextReader(prompt ?? '', about, config, deps) : undefined,
  };
  return { trigger, card, plan, thread, inputError };
}

/** The prompt, and what it asks for. A command can't contain what its readers don't see. */
function wordsOf(trigger: Trigger, config: AgentConfig): Pick<Card, 'prompt' | 'removed' | 'ask'> {
  if (trigger.kind === 'ask') return { ...removeInvisible(trigger.prompt), ask: 'create' };
  const { prompt } = config;
  if (trigger.kind !== 'inputs') return { prompt, removed: 0, ask: 'reply' };
  return { prompt, removed: 0, ask: prompt === undefined ? 'attach' : 'create' };
}

/** Identifies the request. Two workflows may send different parts of one change. */
function identityOf(isCommand: boolean, key: string, config: AgentConfig) {
  if (isCommand) return { key };
  return {
    key: inputKey(key, config),
    contextInputs: digestOf([config.context, config.paths]),
  };
}

/** What is sent with the prompt, or what is wrong with the inputs. */
function readAbout(
  trigger: Trigger,
  config: AgentConfig,
  { event, context }: Deps,
): { about?: About; inputError?: InputError } {
  if (config.inputError !== undefined) return { inputError: config.inputError };
  const isCommand = trigger.kind !== 'inputs';
  if (isCommand && trigger.kind !== 'ask') return {};
  const about = chooseAbout(event, config, context.sha, isCommand);
  if (about instanceof InputError) return { inputError: about };
  return about === undefined ? {} : { about };
}

/** Where to find a job for the prompt. */
function continuesOf(trigger: Trigger, config: AgentConfig): Plan['ask']['continues'] {
  if (trigger.kind === 'ask' && trigger.fresh) return 'never';
  if (config.continue !== 'auto') return config.continue;
  return trigger.kind === 'inputs' ? 'never' : 'thread';
}

/**
 * Identifies a request in all runs of a comment or change. A pull request's `closed` event and its
 * merge push are one change.
 */
function keyOf(event: GitHubEvent, change: ChangeRef | undefined, context: RunContext): string {
  if (event.kind === 'comment') return `${event.source.kind}:${event.source.id}`;
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  if (change?.kind === 'push') return `change:${change.push.after}`;
  if (change?.kind === 'release') return `change:${change.tag}`;
  if (change?.kind === 'pull-request' && event.kind === 'thread' && event.sha)
    return `change:${event.sha}`;
  return `run:${context.runId}:${context.stepId}`;
}

/**
 * Adds the prompt and job from the inputs to a key. Matrix legs and workflows may send different
 * prompts for one event.
 */
export function inputKey(
  base: string,
  { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>,
): string {
  return `${base}:${digestOf([prompt ?? null, jobId ?? null])}`;
}

function digestOf(inputs: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('base64url').slice(0, 12);
}

/**
 * The person who should review the agent's pull request: the author of the change, or else the
 * person who made the request.
 */
function reviewerOf(event: GitHubEvent, { requestReview }: AgentConfig): string | undefined {
  if (requestReview === 'none' || event.name === 'schedule') return undefined;
  const isChange = event.kind === 'thread' && event.thread.isPullRequest;
  const person = isChange ? event.thread.written?.author : event.actor;
  return person === undefined || person.isBot ? undefined : person.login;
}

function pullRequestOfBot(event: GitHubEvent): Plan['pullRequest'] {
  if (event.kind !== 'comment' || !event.thread.isPullRequest) return undefined;
  const { opened, written } = event.thread;
  return written?.author.isBot === true ? opened : undefined;
}

/** The plan of a run that only finishes a request. */
export function planOf(config: AgentConfig, deps: Deps): Plan {
  return {
    owner: ownerOf(config.projects[0], config, deps),
    timeoutMs: config.timeoutMinutes * 60_000,
    isThreadNamed: typeof config.thread === 'number',
    checks: config.checks,
    publishBranch: config.publishBranch,
    ask: { prompt: undefined, jobId: undefined, continues: 'never', wait: true },
    cap: config.maxJobs,
    maxOpen: config.maxOpen,
    context: undefined,
    isPost: false,
  };
}
