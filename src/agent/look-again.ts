import type { Remembered } from './memory.ts';
import { ofTrigger } from './memory.ts';
import { recognise } from './own.ts';
import { bestEffort, type Session } from './session.ts';

/**
 * What is left to tell the thread: all, only the reaction where the comment says it already, or nothing. `later`: it cannot
 * be seen, and another comment could be one too many.
 */
export type LeftToTell = 'all' | 'reaction' | 'nothing' | 'later';

/**
 * Looks into the thread before the end is told there, when this run does not know whose the trigger is or what it has
 * written itself: an answer that never came, an end before the first look, or a run that was killed. So nobody's comment
 * is overwritten, and none is written twice.
 */
export async function lookAgain(session: Session, within: AbortSignal): Promise<LeftToTell> {
  const { thread, progress } = session;
  if (thread === undefined) return 'all';
  if (thread.isSettled) return isOldNews(session) ? 'nothing' : 'all';
  let left: LeftToTell = 'all';
  const look = await bestEffort('Looking for the status comment', session, async () => {
    const remembered = await thread.remember({ job: false }, within);
    left = await judge(remembered, session, within);
  });
  if (look === 'forbidden') session.thread = undefined;
  return look === 'failed' && progress.comment === undefined ? 'later' : left;
}

async function judge(
  remembered: readonly Remembered[],
  session: Session,
  within: AbortSignal,
): Promise<LeftToTell> {
  const standing = recognise(remembered, session);
  await withdrawCopies(remembered, session, within);
  if (standing === 'taken') return 'nothing';
  if (standing === 'told') return 'reaction';
  return isOldNews(session) ? 'nothing' : 'all';
}

/** A run that lost its claim, or never heard that it was written, may have left a comment beside the one that counts. */
async function withdrawCopies(
  remembered: readonly Remembered[],
  { deps: { context }, progress, thread }: Session,
  within: AbortSignal,
): Promise<void> {
  const own = ofTrigger(remembered, progress.key);
  for (const { comment, marker } of remembered) {
    const isCopy = marker.key === progress.key && marker.phase !== 'denied' && comment !== own?.comment;
    if (isCopy && marker.run === context.runId && marker.attempt === context.runAttempt)
      await thread?.withdraw(comment.id, within);
  }
}

/** Whether the comment tells an end that this run has learnt nothing new of. */
function isOldNews({ progress }: Session): boolean {
  return progress.rememberedEnd === true && progress.job === undefined;
}
