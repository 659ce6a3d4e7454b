import type { Phase } from '../lib/marker.ts';
import type { ModeResult } from '../lib/outcome.ts';
import { type LeftToTell, lookAgain } from './look-again.ts';
import { type Ending, pullRequestOf } from './outcome.ts';
import { jobIdOf } from './progress.ts';
import { jobSummary, statusComment } from './render.ts';
import { resultOf } from './result.ts';
import { advance, bestEffort, type Session } from './session.ts';
import type { State } from './words.ts';

/** A cancelled run is killed 10 s after its cancellation; it ends by itself in well under half of that. */
const cancelledCloseMs = 3_500;
const shortestCloseMs = 1_000;
const closeMs = 300_000;

/**
 * The last act of every run: tells the thread how it ended, and gives the result with its outputs and summary. The outputs
 * come first, for whoever kills the run while it tells the thread.
 */
export async function conclude(result: ModeResult, session: Session): Promise<ModeResult> {
  const { progress, deps } = session;
  const within = closingSignal(session);
  const wasTold = progress.stage === 'untold';
  const inThread = speaksInThread(result, session) ? await lookAgain(session, within) : 'nothing';

  const settled =
    result.reason === 'cancelled'
      ? { ...result, ...resultOf(endingOfCancelled(session), session), red: false }
      : result;
  const { outcome, reason } = settled;
  const error = typeof settled.result.error === 'string' ? settled.result.error : undefined;
  const state: State = { outcome, reason, error };
  const ending = { outcome, reason, ...(error === undefined ? {} : { error }) };
  advance(session, progress.stage, { ending });
  for (const [name, value] of Object.entries(outputsOf(session))) deps.runner.setOutput(name, value);

  const view = { state, progress, context: deps.context, nowMs: deps.clock.now() };
  // Before the stage moves on, and none where main has written it.
  const summary = wasTold ? undefined : summaryOf(settled, view);
  const told = await tellThread(state, inThread, session, within);
  advance(session, told ? 'ended' : 'untold');

  return {
    ...settled,
    outputs: { ...outputsOf(session), ...settled.outputs },
    result: { ...detailsOf(session), ...settled.result },
    summary,
  };
}

/** What is left of a run's time for its end. */
function closingSignal({ deps: { clock }, cancelledAtMs }: Session): AbortSignal {
  if (cancelledAtMs === undefined) return AbortSignal.timeout(closeMs);
  const goneMs = clock.monotonic() - cancelledAtMs;
  return AbortSignal.timeout(Math.ceil(Math.max(shortestCloseMs, cancelledCloseMs - goneMs)));
}

/** Whether the thread is told of this end at all: not of what is none of its business, nor before anybody was let in. */
function speaksInThread({ outcome }: ModeResult, { config, progress }: Session): boolean {
  return !config.dryRun && outcome !== 'skipped' && outcome !== 'denied' && progress.stage !== 'asked';
}

/** An error's summary tells as well how far the run had come: which job there is, or that there is none. */
function summaryOf(result: ModeResult, view: Parameters<typeof jobSummary>[0]): string | undefined {
  if (result.outcome === 'skipped') return undefined;
  return view.state.error === undefined ? (result.summary ?? jobSummary(view)) : jobSummary(view);
}

/** A cancelled run leaves a job behind, or nothing, or what nobody can know. */
function endingOfCancelled({ progress }: Session): Ending {
  if (progress.stage === 'sending') return { outcome: 'failed', reason: 'unconfirmed' };
  return jobIdOf(progress) === undefined
    ? { outcome: 'failed', reason: 'cancelled' }
    : { outcome: 'detached', reason: 'cancelled' };
}

/** Tells the thread its end; gives whether there is nothing left to tell it. */
async function tellThread(
  state: State,
  what: LeftToTell,
  session: Session,
  within: AbortSignal,
): Promise<boolean> {
  if (what === 'nothing' || what === 'later') return what === 'nothing';
  const { progress, deps, thread } = session;
  const done: string[] = [];
  if (what === 'all' && thread !== undefined && progress.answer === undefined) {
    const view = { state, progress, context: deps.context, nowMs: deps.clock.now() };
    done.push(
      await bestEffort('Editing the status comment', session, () =>
        thread.show(phaseOf(state, session), statusComment(view), within),
      ),
    );
  }
  const reaction = reactionTo(state);
  const { sourceCommentId } = progress;
  if (reaction !== undefined && sourceCommentId !== undefined && deps.github !== undefined) {
    const { github } = deps;
    done.push(
      await bestEffort('Reacting to the comment', session, () =>
        github.react(sourceCommentId, reaction, within),
      ),
    );
  }
  return !done.includes('failed');
}

function phaseOf({ outcome, reason }: State, { progress }: Session): Phase {
  if (reason === 'unconfirmed') return 'claimed';
  if (jobIdOf(progress) === undefined) return 'released';
  return outcome === 'detached' || outcome === 'timed-out' ? 'working' : 'ended';
}

function reactionTo({ outcome }: State): 'rocket' | '+1' | 'confused' | undefined {
  switch (outcome) {
    case 'pr-created':
      return 'rocket';
    case 'no-changes':
    case 'answered':
      return '+1';
    case 'archived':
    case 'failed':
    case 'timed-out':
      return 'confused';
    default:
      return undefined;
  }
}

function outputsOf({ progress }: Session): Record<string, string> {
  const { job, comment } = progress;
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': jobIdOf(progress) ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': comment?.url ?? '',
  };
}

/** The `result` output's own part: `null` for what is not known. */
function detailsOf({ progress, deps }: Session): Record<string, unknown> {
  const { job, comment } = progress;
  const jobId = jobIdOf(progress);
  const pullRequest = pullRequestOf(job);
  return {
    mode: 'agent',
    job:
      jobId === undefined
        ? null
        : { id: jobId, status: job?.status ?? null, model: job?.model ?? null, source: job?.source ?? null },
    pullRequest: pullRequest === undefined ? null : { url: pullRequest.url, number: pullRequest.number },
    commentUrl: comment?.url ?? null,
    followUp: progress.followUp,
    durationMs: Math.round(deps.clock.now() - progress.beganAtMs),
  };
}
