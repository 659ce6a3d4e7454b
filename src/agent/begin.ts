import { createHash, randomUUID } from 'node:crypto';
import { chooseThread } from '../core/common-inputs.ts';
import { InputError } from '../core/errors.ts';
import { ownerOf } from '../core/sign.ts';
import type { Deps } from '../deps.ts';
import type { GitHubEvent } from '../github/event.ts';
import { newCard } from '../requests/card/transitions.ts';
import type { Plan } from '../requests/run/plan.ts';
import type { RunContext } from '../runner/context.ts';
import { removeInvisible } from '../text/invisible.ts';
import { aboutOf, type ChangeRef } from './about.ts';
import { contextReader } from './context/reader.ts';
import type { AgentConfig } from './inputs.ts';
import type { Trigger } from './trigger.ts';

export type Begun = ReturnType<typeof begin>;

/** Creates the card of a request, and the plan of the run that works on it. Bad inputs are reported later: see `admit`. */
export function begin(trigger: Trigger, config: AgentConfig, deps: Deps) {
  const { event, context: run } = deps;
  const isCommand = trigger.kind !== 'inputs';
  const command = trigger.kind === 'ask' ? trigger : undefined;
  const isReply = isCommand && command === undefined;
  const found =
    config.inputError ?? (isReply ? undefined : aboutOf(event, config, run.sha, isCommand));
  const [about, inputError] = found instanceof InputError ? [undefined, found] : [found, undefined];
  const { prompt, removed } = command
    ? removeInvisible(command.prompt)
    : { prompt: config.prompt, removed: 0 };
  const usual = isCommand ? 'thread' : 'never';
  const chosen = config.continue === 'auto' ? usual : config.continue;
  const continues = command?.fresh ? 'never' : chosen;
  const key = keyOf(event, about?.change, run);
  const thread = chooseThread(config.thread, 'thread' in event ? event.thread : undefined);
  const card = newCard({
    key: isCommand ? key : inputKey(key, config),
    // Two workflows may send different parts of one change.
    contextInputs: isCommand ? undefined : digestOf([config.context, config.paths]),
    nonce: randomUUID(),
    run: run.runId,
    runUrl: run.runUrl,
    attempt: run.runAttempt,
    // Without a key, a status comment can't be signed.
    thread: config.apiKey === '' ? undefined : thread,
    source: event.kind === 'comment' ? event.source : undefined,
    isCommand,
    command: config.command,
    requester:
      event.kind === 'comment' || event.kind === 'other-comment' ? event.actor.login : undefined,
    prompt,
    removed,
    ask: isReply ? 'reply' : prompt === undefined ? 'attach' : 'create',
    reviewer: isReply ? undefined : reviewerOf(event, config),
    series: !isReply && continues === 'repository' ? run.workflow : undefined,
  });
  // The agent should know why its last pull request was closed.
  const mayBeRejected =
    continues === 'repository' && prompt !== undefined && !config.context.includes('none');
  const plan: Plan = {
    ...planOf(config, deps),
    ask: { prompt, jobId: config.jobId, continues, wait: config.wait && !command?.noWait },
    pullRequest: isCommand && config.continue === 'auto' ? pullRequestOfBot(event) : undefined,
    context:
      about || (mayBeRejected && inputError === undefined)
        ? contextReader(prompt ?? '', about, config, deps)
        : undefined,
  };
  return { trigger, card, plan, thread, inputError };
}

/** Identifies a request in all runs of a comment or change. A pull request's `closed` event and its merge push are one change. */
function keyOf(
  event: GitHubEvent,
  change: ChangeRef | undefined,
  { runId, stepId }: RunContext,
): string {
  if (event.kind === 'comment') return `${event.source.kind}:${event.source.id}`;
  if (event.kind === 'other-comment' && event.id !== undefined) return `${event.name}:${event.id}`;
  if (change?.kind === 'push') return `change:${change.push.after}`;
  if (change?.kind === 'release') return `change:${change.tag}`;
  if (change?.kind === 'pull-request' && event.kind === 'thread' && event.sha)
    return `change:${event.sha}`;
  return `run:${runId}:${stepId}`;
}

/** Adds the prompt and job from the inputs to a key. Matrix legs and workflows may send different prompts for one event. */
export function inputKey(
  base: string,
  { prompt, jobId }: Pick<AgentConfig, 'prompt' | 'jobId'>,
): string {
  return `${base}:${digestOf([prompt ?? null, jobId ?? null])}`;
}

function digestOf(inputs: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('base64url').slice(0, 12);
}

/** The person who should review the agent's pull request: the author of the change, or else the person who made the request. */
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
