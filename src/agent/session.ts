import type { AgentConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import { ActionError, messageOf } from '../lib/errors.ts';
import { createMarkers } from '../lib/marker.ts';
import type { Ending } from './outcome.ts';
import { jobIdOf, type Progress, type Stage, serialize } from './progress.ts';
import { openThread, type Thread } from './thread.ts';
import type { Trigger } from './trigger.ts';

/** One run of agent mode: what it was given, how far it is, and the thread it speaks in. */
export interface Session {
  readonly config: AgentConfig;
  readonly deps: Deps;
  readonly progress: Progress;
  /** `undefined` where there is no thread, or no right to write in it. */
  thread: Thread | undefined;
  /** The permissions that were found missing, so that each is told once. */
  readonly told: Set<string>;
  /** When the run was cancelled, by the monotonic clock. */
  cancelledAtMs: number | undefined;
}

const title = 'Docs Agent';

/** How long a request on its way is left to come back when the run is cancelled: to know the job is worth that much. */
const cancelGraceMs = 1_500;

/** The runner's state under which `post` finds the progress. */
const progressState = 'progress';

export function openSession(
  trigger: Exclude<Trigger, { kind: 'skip' }>,
  config: AgentConfig,
  deps: Deps,
): Session {
  const ask = trigger.kind === 'ask' ? trigger.ask : undefined;
  const progress: Progress = {
    stage: 'asked',
    key: trigger.key,
    command: config.command,
    removed: ask?.removed ?? 0,
    followUp: false,
    notes: [],
    beganAtMs: deps.clock.now(),
    askedAtMs: deps.clock.now(),
    ...(trigger.thread === undefined ? {} : { thread: trigger.thread.number }),
    ...(ask?.prompt === undefined ? {} : { prompt: ask.prompt }),
    ...(trigger.source === undefined ? {} : { asker: trigger.source.author.login }),
    ...(trigger.source?.commentId === undefined ? {} : { sourceCommentId: trigger.source.commentId }),
  };
  return sessionOf(progress, config, deps, trigger.thread?.comments);
}

/** A session around progress there already is, as `post` finds it. */
export function sessionOf(progress: Progress, config: AgentConfig, deps: Deps, comments?: number): Session {
  const session: Session = {
    config,
    deps,
    progress,
    thread: undefined,
    told: new Set(),
    cancelledAtMs: undefined,
  };
  const noteCancel = () => {
    session.cancelledAtMs = deps.clock.monotonic();
  };
  if (deps.signal.aborted) noteCancel();
  deps.signal.addEventListener('abort', noteCancel, { once: true });
  const { github, context } = deps;
  if (github === undefined || progress.thread === undefined) return session;
  const { repositoryId } = context;
  const markers = createMarkers({ service: config.service, repositoryId, thread: progress.thread });
  session.thread = openThread({
    ref: { number: progress.thread, comments },
    github,
    markers,
    progress,
    deps,
  });
  return session;
}

/**
 * Moves the run on and leaves behind, for a process that is killed in the next moment, what `post` needs and outputs that
 * are true.
 */
export function advance(
  { progress, deps: { runner } }: Session,
  stage: Stage,
  known: Partial<Progress> = {},
): void {
  Object.assign(progress, known, { stage });
  runner.saveState(progressState, serialize(progress));
  const { outcome, reason } = progress.ending ?? endingIfKilled(stage);
  runner.setOutput('outcome', outcome);
  runner.setOutput('reason', reason);
  // Also where there is none any more: a job that came to nothing is not the one of the request that follows.
  runner.setOutput('job-id', jobIdOf(progress) ?? '');
}

/** What is true of a run that comes no further than this stage. */
function endingIfKilled(stage: Stage): Ending {
  if (stage === 'following') return { outcome: 'detached', reason: 'interrupted' };
  return { outcome: 'failed', reason: stage === 'sending' ? 'unconfirmed' : 'interrupted' };
}

/**
 * Runs something that only tells the thread, and lets a failure of it be a warning: the outputs and the summary tell it
 * too. A cancellation still ends the run. Gives whether trying again may help.
 */
export async function bestEffort(
  what: string,
  session: Session,
  tell: () => Promise<unknown>,
): Promise<'done' | 'forbidden' | 'failed'> {
  try {
    await tell();
    return 'done';
  } catch (error) {
    if (isCancellation(error)) throw error;
    const missing = missingPermission(error);
    if (missing !== undefined) {
      tellMissing(missing, session);
      return 'forbidden';
    }
    // GitHub's errors say themselves what did not work.
    const text = error instanceof GitHubError ? error.message : `${what} did not work: ${messageOf(error)}`;
    session.deps.runner.warning(text, { title });
    return 'failed';
  }
}

/**
 * Runs something that should come back even though the run is cancelled: what is on its way is left a moment to arrive,
 * and what only waits to be sent again is ended at once.
 */
export async function withGrace<T>(
  { deps: { clock, signal } }: Session,
  act: (within: AbortSignal, onItsWay: (isOnItsWay: boolean) => void) => Promise<T>,
): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  let isOnItsWay = true;
  const end = () => within.abort(signal.reason);
  const cancel = () => {
    if (isOnItsWay) clock.sleep(cancelGraceMs, over.signal).then(end, () => undefined);
    else end();
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await act(within.signal, (now) => {
      isOnItsWay = now;
    });
  } finally {
    signal.removeEventListener('abort', cancel);
    over.abort();
  }
}

/**
 * Does something with the thread; a missing permission lets the run go on as one that has no thread, anything else ends
 * the run.
 */
export async function withThread<T>(
  session: Session,
  without: T,
  act: (thread: Thread) => Promise<T>,
): Promise<T> {
  if (session.thread === undefined) return without;
  try {
    return await act(session.thread);
  } catch (error) {
    const missing = missingPermission(error);
    if (missing === undefined) throw error;
    tellMissing(missing, session);
    session.thread = undefined;
    delete session.progress.thread;
    return without;
  }
}

function tellMissing(missing: string, { told, deps }: Session): void {
  if (told.has(missing)) return;
  told.add(missing);
  deps.runner.warning(`${missing}. The job summary and the outputs tell what the thread would have.`, {
    title,
  });
}

function isCancellation(error: unknown): boolean {
  return error instanceof ActionError && error.reason === 'cancelled';
}
