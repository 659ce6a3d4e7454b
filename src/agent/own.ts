import { denialOf, ofTrigger, type Remembered } from './memory.ts';
import { advance, type Session } from './session.ts';

/**
 * What the thread says of this run's trigger. `free`: nobody asked for it, or nothing came of it. `taken`: another run has
 * it. `unknown`: a run before claimed it and left no job, so one may exist. `job`: it has one. `told`: this very run has
 * told its end.
 */
export type Standing = 'free' | 'taken' | 'unknown' | 'job' | 'told';

/** The trigger's comment. Somebody who was denied may be let in by a re-run: then the denial becomes the status comment. */
export function commentOf(
  remembered: readonly Remembered[],
  { progress, deps }: Session,
): Remembered | undefined {
  const denial = deps.context.runAttempt > 1 ? denialOf(remembered, progress.key) : undefined;
  return ofTrigger(remembered, progress.key) ?? denial;
}

/** Takes what the thread says of the trigger into the progress: its comment, its job, and whether one may exist. */
export function recognise(remembered: readonly Remembered[], session: Session): Standing {
  const { progress, deps } = session;
  const { runId, runAttempt } = deps.context;
  const own = commentOf(remembered, session);
  if (own === undefined) return 'free';
  const { comment, marker } = own;
  if (marker.run !== runId && runAttempt === 1) return 'taken';

  progress.comment = { id: comment.id, url: comment.url, body: comment.body };
  const isThisRun = marker.run === runId && marker.attempt === runAttempt;
  if (isThisRun && marker.phase === 'ended') return 'told';
  // A run knows of itself how far it came; of the runs before it knows only what they wrote.
  if (isThisRun) return 'free';
  if (marker.job !== undefined) {
    progress.followUp = marker.message === true;
    const rememberedEnd = marker.phase === 'ended';
    advance(session, 'following', { rememberedJob: marker.job, rememberedEnd });
    return 'job';
  }
  if (marker.phase !== 'claimed') return 'free';
  advance(session, 'sending');
  return 'unknown';
}
