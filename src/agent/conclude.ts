import type { ModeResult } from '../lib/outcome.ts';
import type { Phase } from './marker.ts';
import { type Ending, pullRequestOf } from './outcome.ts';
import { jobSummary, statusComment } from './render.ts';
import { resultOf } from './result.ts';
import { advance, bestEffort, type Session } from './session.ts';
import type { State } from './words.ts';

/** What is left of a cancelled run's 7.5 s once everything else is undone. */
const cancelledCloseMs = 4_000;
const closeMs = 300_000;

/** The last act of every run: tells the thread how it ended, and gives the result with its outputs and summary. */
export async function conclude(result: ModeResult, session: Session): Promise<ModeResult> {
  const { progress, deps } = session;
  const cancelled = result.reason === 'cancelled';
  const settled = cancelled
    ? { ...result, ...resultOf(endingOfCancelled(session), session), red: false }
    : result;
  const error = typeof settled.result.error === 'string' ? settled.result.error : undefined;
  const state: State = { outcome: settled.outcome, reason: settled.reason, error };

  const silent = session.config.dryRun || settled.outcome === 'skipped' || settled.outcome === 'denied';
  if (!silent) {
    await tellThread(state, session, AbortSignal.timeout(deps.signal.aborted ? cancelledCloseMs : closeMs));
  }
  advance(session, 'ended');

  const view = { state, progress, context: deps.context, nowMs: deps.clock.now() };
  return {
    ...settled,
    outputs: { ...outputsOf(session), ...settled.outputs },
    result: { ...detailsOf(session), ...settled.result },
    summary: settled.outcome === 'skipped' ? undefined : (settled.summary ?? jobSummary(view)),
  };
}

/** A cancelled run leaves a job behind, or nothing, or what nobody can know. */
function endingOfCancelled({ progress }: Session): Ending {
  if (progress.stage === 'sending') return { outcome: 'failed', reason: 'unconfirmed' };
  return progress.job === undefined
    ? { outcome: 'failed', reason: 'cancelled' }
    : { outcome: 'detached', reason: 'cancelled' };
}

async function tellThread(state: State, session: Session, signal: AbortSignal): Promise<void> {
  const { progress, deps, thread } = session;
  if (thread !== undefined && progress.answer === undefined) {
    const view = { state, progress, context: deps.context, nowMs: deps.clock.now() };
    await bestEffort('Editing the status comment', session, () =>
      thread.show(phaseOf(state, session), statusComment(view), signal),
    );
  }
  const reaction = reactionTo(state);
  const { sourceCommentId } = progress;
  if (reaction !== undefined && sourceCommentId !== undefined && deps.github !== undefined) {
    const { github } = deps;
    await bestEffort('Reacting to the comment', session, () =>
      github.react(sourceCommentId, reaction, signal),
    );
  }
}

function phaseOf({ outcome }: State, { progress }: Session): Phase {
  if (progress.stage === 'sending') return 'claimed';
  if (progress.job === undefined) return 'released';
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
    'job-id': job?.id ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': comment?.url ?? '',
  };
}

/** The `result` output's own part: `null` for what is not known. */
function detailsOf({ progress, deps }: Session): Record<string, unknown> {
  const { job, comment } = progress;
  const pullRequest = pullRequestOf(job);
  return {
    mode: 'agent',
    job:
      job === undefined
        ? null
        : { id: job.id, status: job.status, model: job.model ?? null, source: job.source ?? null },
    pullRequest: pullRequest === undefined ? null : { url: pullRequest.url, number: pullRequest.number },
    commentUrl: comment?.url ?? null,
    followUp: progress.followUp,
    durationMs: Math.round(deps.clock.now() - progress.beganAtMs),
  };
}
