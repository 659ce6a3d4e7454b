import { randomUUID } from 'node:crypto';
import { accessTo } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { ThreadRef } from '../github/event.ts';
import { createMarkers } from '../requests/marker.ts';
import type { AgentConfig } from './inputs.ts';
import { jobIdOf, type Known, serialize } from './known.ts';
import type { TriggerToAnswer } from './request/trigger.ts';
import { endingIfStopped } from './tell/ending.ts';
import type { Onlooker } from './thread/memory.ts';
import { openThread, type Thread } from './thread/thread.ts';

/** One run of agent mode: what it was given, what it knows, and the thread it speaks in. */
export interface Session {
  readonly config: AgentConfig;
  readonly deps: Deps;
  readonly known: Known;
  /** `undefined` where there is no thread, or no right to write in it. */
  readonly thread: Thread | undefined;
  /** When the run was cancelled, by the monotonic clock. */
  readonly cancelledAtMs: number | undefined;
  /**
   * Adds to what is known: the one place where it changes. Leaves behind, for a process that is killed in the next moment,
   * what `post` needs and outputs that are true.
   */
  learn(news: Partial<Known>): void;
  /** Goes on in a thread that was found since the beginning. */
  enterThread(ref: ThreadRef): void;
  /** Goes on as a run that has no thread. */
  leaveThread(): void;
  /** Warns in the log, of the same thing once. */
  warn(message: string): void;
}

/** The runner's state under which `post` finds what was known. */
const savedState = 'run';

/** A session at its beginning. */
export function openSession(trigger: TriggerToAnswer, config: AgentConfig, deps: Deps): Session {
  const ask = trigger.kind === 'ask' ? trigger.ask : undefined;
  const nowMs = deps.clock.now();
  const known: Known = {
    nonce: randomUUID(),
    key: trigger.key,
    threadNumber: trigger.thread?.number,
    sourceCommentId: trigger.source?.commentId,
    isCommand: trigger.source?.isCommand ?? false,
    asker: trigger.source?.author.login,
    command: config.command,
    prompt: ask?.prompt,
    removed: ask?.removed ?? 0,
    series: ask?.continues === 'repository' ? deps.context.workflow : undefined,
    asked: { is: 'no' },
    status: { told: 'unknown', generation: 0 },
    notes: [],
    beganAtMs: nowMs,
    askedAtMs: nowMs,
    isLetIn: false,
    isOver: false,
  };
  return sessionOf(known, config, deps, trigger.thread?.comments);
}

/**
 * A session around what is known already, as `post` finds it.
 *
 * @param comments how many comments the thread had, where the event tells.
 */
export function sessionOf(saved: Known, config: AgentConfig, deps: Deps, comments?: number): Session {
  const { runner, clock, signal, github, context } = deps;
  const warned = new Set<string>();
  let known = saved;
  let thread: Thread | undefined;
  let cancelledAtMs: number | undefined;

  const noteCancel = () => {
    cancelledAtMs = clock.monotonic();
  };
  if (signal.aborted) noteCancel();
  signal.addEventListener('abort', noteCancel, { once: true });

  function learn(news: Partial<Known>): void {
    known = { ...known, ...news };
    runner.saveState(savedState, serialize(known));
    const { outcome, reason } = known.ending ?? endingIfStopped(known.asked, 'interrupted');
    runner.setOutput('outcome', outcome);
    runner.setOutput('reason', reason);
    // Also where there is none any more: a job that came to nothing is not the one of the request that follows.
    runner.setOutput('job-id', jobIdOf(known) ?? '');
  }

  function open(ref: ThreadRef): void {
    if (github === undefined) return;
    const markers = createMarkers({
      service: accessTo(config),
      repositoryId: context.repositoryId,
      thread: ref.number,
    });
    thread = openThread({
      ref,
      github,
      markers,
      clock,
      status: known.status,
      onChange: (status) => learn({ status }),
    });
  }
  if (known.threadNumber !== undefined) open({ number: known.threadNumber, comments });

  return {
    config,
    deps,
    get known() {
      return known;
    },
    get thread() {
      return thread;
    },
    get cancelledAtMs() {
      return cancelledAtMs;
    },
    learn,
    enterThread(ref) {
      learn({ threadNumber: ref.number });
      open(ref);
    },
    leaveThread() {
      thread = undefined;
      learn({ threadNumber: undefined });
    },
    warn(message) {
      if (warned.has(message)) return;
      warned.add(message);
      runner.warning(message, { title: 'Docs Agent' });
    },
  };
}

/** This process as it looks at the thread. */
export function onlookerOf({ known, deps: { context, clock } }: Session): Onlooker {
  return {
    key: known.key,
    nonce: known.nonce,
    run: context.runId,
    attempt: context.runAttempt,
    login: known.status.login,
    nowMs: clock.now(),
  };
}
