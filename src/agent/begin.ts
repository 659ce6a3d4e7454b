import { randomUUID } from 'node:crypto';
import { ownerOf } from '../core/sign.ts';
import type { Deps } from '../deps.ts';
import type { GitHubEvent } from '../github/event.ts';
import { newCard } from '../requests/card/transitions.ts';
import type { Plan } from '../requests/run/plan.ts';
import type { AgentConfig } from './inputs.ts';
import type { TriggerToAnswer } from './trigger.ts';

/** Creates the card of a new request, and the plan of the run that works on it. */
export async function begin(trigger: TriggerToAnswer, config: AgentConfig, deps: Deps) {
  const { key, contextInputs, thread, isCommand, pullRequest } = trigger;
  const { event } = deps;
  const { runId: run, runUrl, runAttempt: attempt, workflow } = deps.context;
  const ask = trigger.kind === 'ask' ? trigger.ask : undefined;
  const card = newCard({
    key,
    contextInputs,
    nonce: randomUUID(),
    run,
    runUrl,
    attempt,
    // Without a key, a status comment can't be signed.
    thread: config.apiKey === '' ? undefined : thread,
    source: event.kind === 'comment' ? event.source : undefined,
    isCommand,
    command: config.command,
    requester: event.kind === 'comment' || event.kind === 'other-comment' ? event.actor.login : undefined,
    prompt: ask?.prompt,
    removed: ask?.removed ?? 0,
    ask: ask === undefined ? 'reply' : ask.prompt === undefined ? 'attach' : 'create',
    reviewer: ask && reviewerOf(event, config),
    series: ask?.continues === 'repository' ? workflow : undefined,
  });
  // Most runs send no context, so the code that reads context is loaded only if it is needed.
  const context =
    ask?.about &&
    (await import('./context/reader.ts')).createContextReader(ask.prompt ?? '', ask.about, config, deps);
  const plan: Plan = { ...planOf(config, deps), pullRequest, ...(ask && { ask, context }) };
  return { card, plan };
}

/** The person who should review the agent's pull request: the author of the change, or else the person who made the request. */
function reviewerOf(event: GitHubEvent, { requestReview }: AgentConfig): string | undefined {
  if (requestReview === 'none' || event.name === 'schedule') return undefined;
  const isChange = event.kind === 'thread' && event.thread.isPullRequest;
  const person = isChange ? event.thread.written?.author : event.actor;
  return person === undefined || person.isBot ? undefined : person.login;
}

/** The parts of a plan that come from the inputs. */
export function planOf(config: AgentConfig, deps: Deps): Plan {
  return {
    owner: ownerOf(config.projects[0], config, deps),
    timeoutMs: config.timeoutMinutes * 60_000,
    isThreadNamed: typeof config.thread === 'number',
    checks: config.checks,
    ask: { prompt: undefined, jobId: undefined, continues: 'never', wait: true },
    cap: config.maxJobs,
    context: undefined,
    isPost: false,
  };
}
