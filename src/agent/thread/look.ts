import type { Marker } from '../../requests/marker.ts';
import type { Asked } from '../known.ts';
import { onlookerOf, type Session } from '../session.ts';
import { bestEffort } from './best-effort.ts';
import { isOurs, newestJob, outdated, type Remembered, standingOf, statusCommentOf } from './memory.ts';
import type { Thread } from './thread.ts';

/** How far a thread is read: until the trigger's own comment is found, until the newest job is as well, or to its beginning. */
export type ThreadReach = 'own comment' | 'newest job' | 'all';

/** Reads the thread that far, and learns from it. */
export async function lookAtThread(
  thread: Thread,
  session: Session,
  { reach, within }: { readonly reach: ThreadReach; readonly within: AbortSignal },
): Promise<void> {
  const { key, sourceCommentId = 0 } = session.known;
  const remembered = await thread.read((seen, oldestId) => {
    if (reach === 'all') return false;
    // What is older than the comment that asked cannot be an answer to it.
    const isOwnKnown =
      oldestId <= sourceCommentId || statusCommentOf(seen, key)?.marker.comment !== undefined;
    return isOwnKnown && (reach === 'own comment' || newestJob(seen) !== undefined);
  }, within);
  await learnFrom(remembered, thread, session, within);
}

/**
 * Learns from the thread's markers whose the trigger is and what was asked for it, makes its comment the run's own, and
 * takes back what no longer counts.
 */
export async function learnFrom(
  remembered: readonly Remembered[],
  thread: Thread,
  session: Session,
  within: AbortSignal,
): Promise<void> {
  const me = onlookerOf(session);
  const standing = standingOf(remembered, me);
  session.learn({ memory: remembered, standing });
  // A run knows of itself how far it came; of the runs before it knows only what they wrote.
  if (standing.is === 'left' && session.known.asked.is === 'no') {
    const { marker } = standing.last;
    const askedAtMs = marker.askedAt === undefined ? undefined : marker.askedAt * 1000;
    session.learn({ asked: askedBy(marker), askedAtMs });
  }
  // A later attempt whose trigger is marked with another API key: the attempt before may have asked.
  const isKeyChanged = standing.last === undefined && me.attempt > 1 && thread.unverifiedKeys.has(me.key);
  if (isKeyChanged && session.known.asked.is === 'no')
    session.learn({ asked: { is: 'maybe', by: 'creating' }, isKeyChanged });
  // First, so that a run that is killed here looks into the thread again.
  await takeBack(thread, session, within);
  const { last } = standing;
  // What the run has written is there, whether a list shows it yet or not; whether it was deleted, the next edit tells.
  if (last === undefined && thread.status.comment !== undefined) return;
  thread.adopt(standing.is === 'elsewhere' || !last || !isOurs(last, me.login) ? undefined : last);
}

/** Takes back the comments that no longer count. One that GitHub does not let go of yet is left for the next time. */
export async function takeBack(thread: Thread, session: Session, within: AbortSignal): Promise<void> {
  const { memory = [], standing } = session.known;
  if (standing === undefined) return;
  for (const one of outdated(memory, standing, onlookerOf(session))) {
    const result = await bestEffort('Taking a comment back', session, () => thread.withdraw(one, within));
    if (result === 'done') session.learn({ memory: session.known.memory?.filter((other) => other !== one) });
  }
}

/** What the process that wrote a marker had asked of the agent. */
export function askedBy({ phase, job, message, before, unseen }: Marker): Asked {
  const by = message === true ? 'messaging' : 'creating';
  if (job !== undefined) return { is: 'yes', by, jobId: job, before, unseen, isRemembered: true };
  return phase === 'answered' ? { is: 'no' } : { is: 'maybe', by };
}
