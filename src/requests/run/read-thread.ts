import { GitHubError, missingThread } from '../../github/errors.ts';
import type { Card } from '../card/card.ts';
import { mayBeSent } from '../card/sentences.ts';
import { stopped } from '../card/transitions.ts';
import { learned, newestJob, statusCommentOf } from '../thread/claims.ts';
import type { Found } from '../thread/find.ts';
import type { Run } from './run.ts';

/** How much of a thread to read, from its newest comment back: to the request's own comment, to the newest job, or all of it. */
type Reach = 'own comment' | 'newest job' | 'all';

/** Reads the thread and finds out who owns the request. */
export async function readThread(card: Card, run: Run, reach: Reach, within = run.deps.signal) {
  const { source, thread } = card;
  if (thread === undefined) return card;
  try {
    const isEnough = (found: Found['ours'], oldestId: number) => {
      if (reach === 'all') return false;
      // Our status comment is always newer than the command that it belongs to.
      const own = statusCommentOf(found, card);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(found) !== undefined);
    };
    return learn(await run.readThread(card, isEnough, within), card, run);
  } catch (error) {
    return withoutThread(error, card, run);
  }
}

/** Remembers the thread's cards, and continues the work of an ended process. */
export function learn(found: Found, card: Card, run: Run): Card {
  const { card: after, earlier } = learned(found, card, run.deps.clock.now());
  run.found = found;
  run.takenOver = earlier ?? run.takenOver;
  const isOurs = after !== card && after.stop?.reason !== 'another-run';
  return isOurs ? run.keep(after) : after;
}

/**
 * The card of a run that can't use its thread. Without a permission, or if the thread is locked, the run continues without it. A
 * re-run ends instead, because it can't know whether the request was already sent.
 *
 * @throws any other error
 */
export function withoutThread(error: unknown, card: Card, run: Run): Card {
  const { context } = run.deps;
  const { thread, comment: _, ...kept } = card;
  if (!(error instanceof GitHubError) || error.lacks === undefined) {
    const isNamed = run.plan.isThreadNamed && thread !== undefined;
    throw (isNamed ? missingThread(error, thread, context.repository) : undefined) ?? error;
  }
  if (card.ask !== 'reply' && context.runAttempt > 1) {
    if (error.lacks === 'permission') throw error;
    return stopped(card, { outcome: 'skipped', reason: 'locked', because: mayBeSent(error.what) });
  }
  run.warn(error);
  run.found = { ours: [], ofOtherKeys: [], newer: [] };
  return run.keep(kept);
}
