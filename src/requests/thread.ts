import { missingPermission, missingThread } from '../github/errors.ts';
import type { Card } from './card.ts';
import { type Found, holderOf, newestJob, outdated, statusCommentOf } from './claims.ts';
import type { Request } from './next.ts';
import type { Run } from './run.ts';
import type { Store } from './store.ts';
import { ended, placed, stopped, takenOver } from './transitions.ts';

/** How much of a thread to read, from its newest comment back: to the request's own comment, to the newest job, or all of it. */
type Reach = 'own comment' | 'newest job' | 'all';

/** Reads the thread and finds out who owns the request. */
export function readThread(
  request: Request,
  run: Run,
  reach: Reach,
  within: AbortSignal = run.deps.signal,
): Promise<Request> {
  const { key, source } = request.card;
  return withThread(request, run, async (store) => {
    const cards = await store.read((seen, oldestId) => {
      if (reach === 'all') return false;
      // Our status comment is always newer than the command that it belongs to.
      const own = statusCommentOf(seen, key);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(seen) !== undefined);
    }, within);
    return learnFrom(cards, request, store, run, within);
  });
}

/**
 * Runs an action that needs the thread. If there is no thread or a permission is missing, the run continues without it. A
 * re-run ends instead, because it can't know whether the request was already sent.
 */
export async function withThread(
  request: Request,
  run: Run,
  act: (store: Store) => Promise<Request>,
): Promise<Request> {
  const { thread, ask } = request.card;
  const store = run.storeOf(request.card);
  try {
    if (store !== undefined) return await act(store);
  } catch (error) {
    const missing = missingPermission(error);
    if (missing === undefined) {
      const { repository } = run.deps.context;
      const isNamed = run.isThreadNamed && thread !== undefined;
      throw (isNamed ? missingThread(error, thread, repository) : undefined) ?? error;
    }
    run.warnOfMissing(missing);
    if (ask !== 'reply' && run.deps.context.runAttempt > 1) throw error;
  }
  const { thread: _, comment: __, ...kept } = request.card;
  return { card: run.keep(kept), seen: { ...request.seen, cards: [] } };
}

/** Finds out who owns the request, continues the work of an ended process, and deletes obsolete comments. */
export async function learnFrom(
  cards: readonly Found[],
  { card, seen }: Request,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<Request> {
  const { is, last } = holderOf(cards, card, run.deps.clock.now());
  const known = { ...seen, cards: await tidied(cards, card, store, run, within) };
  if (is === 'elsewhere') {
    const { comment: _, ...kept } = card;
    return { card: { ...kept, stop: { outcome: 'skipped', reason: 'another-run' } }, seen: known };
  }
  const isUntouched = card.state.is === 'freed' || card.state.is === 'claimed';
  if (last === undefined) {
    // This request's card was signed with a different key, so the previous attempt may have sent the request.
    const isKeyChanged = isUntouched && card.attempt > 1 && store.unverifiedKeys.has(card.key);
    if (!isKeyChanged || card.ask === 'reply') return { card, seen: known };
    const unknown = stopped(ended(card, 'unconfirmed'), { outcome: 'failed', reason: 'key-changed' });
    return { card: run.keep(unknown), seen: known };
  }
  const inComment = (one: Card) => run.keep(placed(one, last.comment));
  // The claim is ours although GitHub's response was lost, or the request in the comment was never sent.
  if (is !== 'left') return { card: inComment(card), seen: known };
  if (!isUntouched) return { card, seen: known };
  return { card: inComment(takenOver(last.card, card)), seen: { ...known, takenOver: last.card } };
}

/** Deletes obsolete comments and returns the others. If a comment can't be deleted, a later run tries again. */
export async function tidied(
  cards: readonly Found[],
  card: Card,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<readonly Found[]> {
  if (run.isDry) return cards;
  const gone: Found[] = [];
  for (const one of outdated(cards, holderOf(cards, card, run.deps.clock.now()), card))
    if (await run.bestEffort('Deleting an obsolete comment', () => store.withdraw(one, within)))
      gone.push(one);
  return cards.filter((one) => !gone.includes(one));
}

/** Posts or edits the status comment. Returns the card with its comment, and false if it's worth trying again. */
export async function show(
  what: string,
  card: Card,
  run: Run,
  within: AbortSignal = run.deps.signal,
): Promise<[card: Card, isOver: boolean]> {
  let shown = run.keep(card);
  const save = async () => {
    shown = run.keep((await run.storeOf(card)?.save(card, within)) ?? card);
  };
  // The run could write here a moment ago, so `post` may be able to write again.
  const mayPass = card.comment !== undefined && run.tries === 1;
  const isOver = await run.bestEffort(what, save, { mayPass });
  return [shown, isOver];
}
