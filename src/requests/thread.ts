import { bestEffort, needingThread } from './best-effort.ts';
import type { Card } from './card.ts';
import { type Found, holderOf, isOurs, newestJob, outdated, statusCommentOf } from './claims.ts';
import type { Request, Seen } from './next.ts';
import type { Run } from './run.ts';
import type { Store } from './store.ts';
import { stopped, takenOver } from './transitions.ts';

/** How far a thread is read: until the request's own comment is found, until the newest job is as well, or to its beginning. */
export type ThreadReach = 'own comment' | 'newest job' | 'all';

/** Reads the thread and learns who has the request. Without the right to read it, the run does without a thread. */
export async function readThread(request: Request, run: Run, reach: ThreadReach): Promise<Request> {
  const { card } = request;
  const store = run.storeOf(card);
  const { signal } = run.deps;
  if (store === undefined) return withoutThread(request, run);
  const read = () => lookAtThread(request, store, run, reach, signal);
  const isAnswer = reach === 'all' || card.ask === 'reply';
  return (await needingThread(run, card, read, { mustClaim: !isAnswer })) ?? withoutThread(request, run);
}

/** Reads the thread that far, and learns from it. */
export async function lookAtThread(
  request: Request,
  store: Store,
  run: Run,
  reach: ThreadReach,
  within: AbortSignal,
): Promise<Request> {
  const { key, source } = request.card;
  const cards = await store.read((seen, oldestId) => {
    if (reach === 'all') return false;
    // What is older than the comment that asked cannot be an answer to it.
    const own = statusCommentOf(seen, key);
    const isOwnKnown = oldestId <= (source?.id ?? 0) || own?.card.comment !== undefined;
    return isOwnKnown && (reach === 'own comment' || newestJob(seen) !== undefined);
  }, within);
  return learnFrom(cards, request, store, run, within);
}

/**
 * Learns from the thread's cards who has the request and what was asked for it, makes its comment the run's own, and withdraws
 * what no longer counts.
 */
export async function learnFrom(
  cards: readonly Found[],
  { card, seen }: Request,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<Request> {
  const { clock } = run.deps;
  const { is, last } = holderOf(cards, card, clock.now());
  const isUntouched = card.state.is === 'freed' || card.state.is === 'claimed';
  const known: Seen = { ...seen, cards: await tidied(cards, card, store, run, within) };
  if (is === 'elsewhere') {
    const { comment: _, ...kept } = card;
    return { card: kept, seen: { ...known, isElsewhere: true } };
  }
  if ((is === 'ours' || is === 'free') && last !== undefined && isOurs(last, card.login)) {
    // Our own claim, of which GitHub's answer may be lost, or a comment in which nothing was asked.
    const { id, url, login } = last.comment;
    return { card: run.keep({ ...card, comment: { id, url }, login }), seen: known };
  }
  if (is === 'left' && last !== undefined && isUntouched) return takeOver(last, card, known, run);
  // A later attempt whose request another key has signed: the attempt before may have asked.
  const isKeyChanged = last === undefined && card.attempt > 1 && store.unverifiedKeys.has(card.key);
  if (isKeyChanged && isUntouched && card.ask !== 'reply') {
    const stop = { outcome: 'failed', reason: 'key-changed' } as const;
    const unknown: Card = { ...card, state: { is: 'sent', until: clock.now() } };
    return { card: run.keep(stopped(unknown, stop)), seen: { ...known, isKeyChanged } };
  }
  return { card, seen: known };
}

/** Goes on with what an earlier process has left. */
function takeOver({ card: left, comment }: Found, card: Card, seen: Seen, run: Run): Request {
  const isMine = isOurs({ card: left, comment }, card.login);
  const place = isMine ? { comment: { id: comment.id, url: comment.url }, login: comment.login } : {};
  const { comment: _, ...kept } = takenOver(left, card);
  return { card: run.keep({ ...kept, ...place }), seen: { ...seen, takenOver: left } };
}

/** Deletes comments that no longer count and gives the others. One that GitHub keeps is left for the next time. */
export async function tidied(
  cards: readonly Found[],
  card: Card,
  store: Store,
  run: Run,
  within: AbortSignal,
): Promise<readonly Found[]> {
  const gone: Found[] = [];
  for (const one of outdated(cards, holderOf(cards, card, run.deps.clock.now()), card)) {
    const result = await bestEffort('Taking a comment back', run, () => store.withdraw(one, within));
    if (result === 'done') gone.push(one);
  }
  return cards.filter((one) => !gone.includes(one));
}

/** Does without a thread from here on. */
export function withoutThread({ card, seen }: Request, run: Run): Request {
  const { thread: _, comment: __, ...kept } = card;
  return { card: run.keep(kept), seen: { ...seen, cards: [] } };
}
