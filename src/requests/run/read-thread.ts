import { GitHubError, missingThread } from '../../github/errors.ts';
import type { Card } from '../card/card.ts';
import { stopped } from '../card/transitions.ts';
import {
  holderOf,
  learned,
  newestJob,
  outdated,
  type PostedCard,
  statusCommentOf,
} from '../thread/claims.ts';
import type { Store } from '../thread/store.ts';
import type { Request } from './next.ts';
import type { Run } from './run.ts';

/** How much of a thread to read, from its newest comment back: to the request's own comment, to the newest job, or all of it. */
type Reach = 'own comment' | 'newest job' | 'all';

/** Reads the thread and finds out who owns the request. */
export function readThread(request: Request, run: Run, reach: Reach, within = run.deps.signal) {
  const { source } = request.card;
  return withThread(request, run, async (store) => {
    const cards = await store.read((found, oldestId) => {
      if (reach === 'all') return false;
      // Our status comment is always newer than the command that it belongs to.
      const own = statusCommentOf(found, request.card);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(found) !== undefined);
    }, within);
    return learnFrom(cards, request, store, run, within);
  });
}

/**
 * Runs an action that needs the thread. If there is no thread or a permission is missing, the run continues without it. A
 * re-run ends instead, because it can't know whether the request was already sent. A locked thread is no error.
 */
export async function withThread(request: Request, run: Run, act: (store: Store) => Promise<Request>) {
  const { thread, ask } = request.card;
  const store = run.storeOf(request.card);
  try {
    if (store !== undefined) return await act(store);
  } catch (error) {
    if (!(error instanceof GitHubError) || error.lacks === undefined) {
      const { repository } = run.deps.context;
      const isNamed = run.isThreadNamed && thread !== undefined;
      throw (isNamed ? missingThread(error, thread, repository) : undefined) ?? error;
    }
    if (ask !== 'reply' && run.deps.context.runAttempt > 1) {
      if (error.lacks === 'permission') throw error;
      const because = `${error.what}. An earlier attempt may have sent this request without recording it, so this one sends nothing. Ask again only if the service’s dashboard doesn’t show it.`;
      const stop = { outcome: 'skipped', reason: 'locked', because } as const;
      return { card: stopped(request.card, stop), known: request.known };
    }
    run.warn(error);
  }
  const { thread: _, comment: __, ...kept } = request.card;
  return { card: run.keep(kept), known: { ...request.known, cards: [] } };
}

/** Deletes obsolete comments, finds out who owns the request, and continues the work of an ended process. */
export async function learnFrom(
  cards: readonly PostedCard[],
  { card, known }: Request,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<Request> {
  const { card: after, takenOver } = learned(cards, card, store, run.deps.clock.now());
  const hasOtherKeys = store.unverifiedKeys.size > 0;
  const current = await tidied(cards, card, run, within);
  const isOurs = after !== card && after.stop?.reason !== 'another-run';
  return {
    card: isOurs ? run.keep(after) : after,
    known: { ...known, cards: current, hasOtherKeys, ...(takenOver && { takenOver }) },
  };
}

/** Deletes obsolete comments and returns the others. If a comment can't be deleted, a later run tries again. */
export async function tidied(cards: readonly PostedCard[], card: Card, run: Run, within: AbortSignal) {
  const store = run.storeOf(card);
  if (store === undefined || run.isDry) return cards;
  const gone: PostedCard[] = [];
  for (const posted of outdated(cards, holderOf(cards, card, run.deps.clock.now()), card))
    if (await run.bestEffort(() => store.withdraw(posted, within), { meaning: 'A later run tries again.' }))
      gone.push(posted);
  return cards.filter((posted) => !gone.includes(posted));
}
