import { missingPermission, missingThread } from '../github/errors.ts';
import type { Card } from './card.ts';
import { type Found, holderOf, newestJob, outdated, statusCommentOf } from './claims.ts';
import type { Request } from './next.ts';
import type { Run } from './run.ts';
import type { Store } from './store.ts';
import { placed, stopped, takenOver } from './transitions.ts';

/** How far back a thread is read: to the request's own comment, to the newest job as well, or to the start. */
export type ThreadReach = 'own comment' | 'newest job' | 'all';

/** Reads the thread that far back and finds out who owns the request. */
export function readThread(
  request: Request,
  run: Run,
  reach: ThreadReach,
  within: AbortSignal = run.deps.signal,
): Promise<Request> {
  const { key, source } = request.card;
  return withThread(request, run, async (store) => {
    const cards = await store.read((seen, oldestId) => {
      if (reach === 'all') return false;
      // Anything older than the request's comment can't be an answer to it.
      const own = statusCommentOf(seen, key);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(seen) !== undefined);
    }, within);
    return learnFrom(cards, request, store, run, within);
  });
}

/**
 * Does something that the run needs its thread for. If there is none, or the token lacks a permission, the run continues without
 * a thread. But a later attempt ends, because it can't know whether the request was sent before.
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

/**
 * Learns from the thread's cards who owns the request and what was sent for it, takes over its comment, and withdraws obsolete
 * comments.
 */
export async function learnFrom(
  cards: readonly Found[],
  { card, seen }: Request,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<Request> {
  const nowMs = run.deps.clock.now();
  const { is, last } = holderOf(cards, card, nowMs);
  const known = { ...seen, cards: await tidied(cards, card, store, run, within) };
  if (is === 'elsewhere') {
    const { comment: _, ...kept } = card;
    return { card: { ...kept, stop: { outcome: 'skipped', reason: 'another-run' } }, seen: known };
  }
  const isUntouched = card.state.is === 'freed' || card.state.is === 'claimed';
  if (last === undefined) {
    // The request was signed with a different key, so the previous attempt may have sent it.
    const isKeyChanged = isUntouched && card.attempt > 1 && store.unverifiedKeys.has(card.key);
    if (!isKeyChanged || card.ask === 'reply') return { card, seen: known };
    const unknown: Card = { ...card, state: { is: 'sent', until: nowMs } };
    return { card: run.keep(stopped(unknown, { outcome: 'failed', reason: 'key-changed' })), seen: known };
  }
  const { id, url, login } = last.comment;
  const inComment = (one: Card) => run.keep(placed(one, { id, url }, login));
  // Our own claim, whose response may have been lost, or a comment whose request was never sent.
  if (is !== 'left') return { card: inComment(card), seen: known };
  if (!isUntouched) return { card, seen: known };
  return { card: inComment(takenOver(last.card, card)), seen: { ...known, takenOver: last.card } };
}

/** Deletes obsolete comments and returns the others. One that can't be deleted is left for the next time. */
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

/** Shows the card in the thread, if possible. Returns it in its comment, and whether that is over. */
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
  // A permission that the run had a moment ago may come back before `post`.
  const mayPass = card.comment !== undefined && run.tries === 1;
  return [shown, await run.bestEffort(what, save, { mayPass })];
}
