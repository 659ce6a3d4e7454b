import { randomUUID } from 'node:crypto';
import { chooseThread } from '../core/common-inputs.ts';
import { InputError } from '../core/errors.ts';
import { shortHash } from '../core/hash.ts';
import { ownerOf } from '../core/sign.ts';
import type { Deps } from '../deps.ts';
import type { GitHubEvent } from '../github/event.ts';
import type { Card } from '../requests/card/card.ts';
import { pullUrlHere } from '../requests/card/pull.ts';
import { remarks } from '../requests/card/remarks.ts';
import { addRemark, newCard } from '../requests/card/transitions.ts';
import type { Plan } from '../requests/run/plan.ts';
import type { RunContext } from '../runner/context.ts';
import { removeInvisible } from '../text/invisible.ts';
import { type About, type ChangeRef, chooseAbout } from './about.ts';
import { createContextReader } from './context/reader.ts';
import type { AgentConfig } from './inputs.ts';
import type { Trigger } from './trigger.ts';

export type PreparedRequest = ReturnType<typeof prepareRequest>;

/**
 * Creates the card of a request, and the plan of the run that works on it. Bad inputs are reported
 * later: see `requireInputs`.
 */
export function prepareRequest(trigger: Trigger, config: AgentConfig, deps: Deps) {
  const { event, context } = deps;
  const isCommand = trigger.kind !== 'inputs';
  const { about, inputError } = readAbout(trigger, config, deps);
  const thread = chooseThread(config.thread, 'thread' in event ? event.thread : undefined);
  const origin = readOrigin(event);
  const wording = readWording(trigger, config);
  const continues = chooseContinues(trigger, config);
  const isReply = wording.ask === 'reply';
  const isSeries = !isReply && continues === 'repository';
  const isQuoteCut = trigger.kind === 'ask' && trigger.isQuoteCut;
  const begun = newCard({
    ...identifyRequest(isCommand, keyOf(event, about?.change, context), config),
    nonce: randomUUID(),
    run: context.runId,
    runUrl: context.runUrl,
    attempt: context.runAttempt,
    // Without a key, a status comment can't be signed.
    thread: config.apiKey === '' ? undefined : thread,
    source: origin.source,
    isCommand,
    command: config.command,
    requester: origin.requester,
    ...wording,
    prompt: wording.prompt === undefined ? undefined : deps.scrub(wording.prompt),
    reviewer: isReply ? undefined : chooseReviewer(event, config),
    series: isSeries ? context.workflow : undefined,
  });
  const card = addRemark(begun, 'fold', isQuoteCut ? remarks.quoteCut : undefined);
  const { prompt } = wording;
  // The agent should know why its last pull request was closed.
  const mayBeRejected =
    continues === 'repository' && prompt !== undefined && !config.context.includes('none');
  const hasContext = about !== undefined || (mayBeRejected && inputError === undefined);
  const wait = config.wait && !(trigger.kind === 'ask' && trigger.noWait);
  const plan: Plan = {
    ...planOf(config, deps),
    ask: { prompt, jobId: config.jobId, continues, wait },
    pullRequest: isCommand && config.continue === 'auto' ? readPullRequest(deps) : undefined,
    context: hasContext ? createContextReader(prompt ?? '', about, config, deps) : undefined,
  };
  return { trigger, card, plan, thread, inputError };
}

/** The prompt, and what it asks for. A command can't contain what its readers don't see. */
function readWording(trigger: Trigger, { prompt }: AgentConfig) {
  if (trigger.kind === 'ask') return { ...removeInvisible(trigger.prompt), ask: 'create' } as const;
  if (trigger.kind !== 'inputs') return { prompt, removed: 0, ask: 'reply' } as const;
  if (prompt === undefined) return { prompt, removed: 0, ask: 'attach' } as const;
  return { prompt, removed: 0, ask: 'create' } as const;
}

/** Who wrote the comment that is the request, and where. */
function readOrigin(event: GitHubEvent): Pick<Card, 'source' | 'requester'> {
  if (event.kind === 'comment') return { source: event.source, requester: event.actor.login };
  if (event.kind === 'other-comment') return { requester: event.actor.login };
  return {};
}

/** Identifies the request. Two workflows may send different parts of one change. */
function identifyRequest(isCommand: boolean, key: string, config: AgentConfig) {
  if (isCommand) return { key };
  return {
    key: inputKey(key, config),
    contextInputs: shortHash(JSON.stringify([config.context, config.paths])),
  };
}

/** What is sent with the prompt, or what is wrong with the inputs. */
function readAbout(
  trigger: Trigger,
  config: AgentConfig,
  { event, context }: Deps,
): { about?: About | undefined; inputError?: InputError } {
  if (config.inputError !== undefined) return { inputError: config.inputError };
  if (trigger.kind === 'help' || trigger.kind === 'status') return {};
  const about = chooseAbout(event, config, context.sha, trigger.kind === 'ask');
  if (about instanceof InputError) return { inputError: about };
  return { about };
}

/** Where to find a job for the prompt. */
function chooseContinues(trigger: Trigger, config: AgentConfig) {
  if (trigger.kind === 'ask' && trigger.fresh) return 'never';
  if (config.continue !== 'auto') return config.continue;
  if (trigger.kind === 'inputs') return 'never';
  return 'thread';
}

/**
 * Identifies a request in all runs of a comment or change. A pull request's `closed` event and its
 * merge push are one change.
 */
function keyOf(event: GitHubEvent, change: ChangeRef | undefined, context: RunContext) {
  if (event.kind === 'comment') return `${event.source.kind}:${event.id}`;
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  if (change?.kind === 'push') return `change:${change.push.after}`;
  // A prerelease keeps its tag when it becomes a full release, which is another change.
  if (change?.kind === 'release') return `change:${change.tag}${change.isPrerelease ? ':pre' : ''}`;
  if (change?.kind === 'pull-request' && event.kind === 'thread' && event.sha)
    return `change:${event.sha}`;
  return `run:${context.runId}:${context.stepId}`;
}

/**
 * Adds the prompt and job from the inputs to a key. Matrix legs and workflows may send different
 * prompts for one event.
 */
export function inputKey(base: string, { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>) {
  return `${base}:${shortHash(JSON.stringify([prompt, jobId]))}`;
}

/**
 * The person who should review the agent's pull request: the author of the change, or else the
 * person who made the request.
 */
function chooseReviewer(event: GitHubEvent, { requestReview }: AgentConfig) {
  if (requestReview === 'none' || event.name === 'schedule') return undefined;
  const isChange = event.kind === 'thread' && event.thread.isPullRequest;
  const person = isChange ? event.thread.written?.author : event.actor;
  if (person?.isBot) return undefined;
  return person?.login;
}

/** The pull request that a command is on. */
function readPullRequest({ event, context }: Deps): Plan['pullRequest'] {
  if (event.kind !== 'comment' || !event.thread.isPullRequest) return undefined;
  const { number, createdAtMs, written } = event.thread;
  if (createdAtMs === undefined) return undefined;
  const url = pullUrlHere(number, context);
  return { url, createdAtMs, isByBot: written?.author.isBot === true };
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
  };
}
