import { type Card, howEnded, jobOf } from '../card/card.ts';
import { endRequest, isUnsent, placeInComment, stopRun, takeOver } from '../card/transitions.ts';
import { type Found, isBound, isFirstWrite, type PostedCard } from './find.ts';

/* Decides who owns a request, from the cards in its thread. */

/** How long we wait, after an earlier command's claim, for that command to get a job. */
const pendingMs = 120_000;

/** What identifies a request across runs. */
type RequestId = Pick<Card, 'key' | 'contextInputs'>;

/** The process that reads a thread, and the request it works on. */
export type Reader = RequestId & Pick<Card, 'nonce' | 'run' | 'attempt' | 'login'>;

/** Who owns a request. */
interface Holder {
  /** No one, this process, another one that is running, or one that has ended. */
  readonly is: 'free' | 'ours' | 'elsewhere' | 'ended';
  readonly last: PostedCard | undefined;
}

/** What a thread means for a request. */
interface Lesson {
  readonly card: Card;
  /** The card of an ended process, whose request this process continues. */
  readonly earlier?: Card;
}

/** Whether two cards, or a card and a run, are about the same request. */
export function isSameRequest(one: RequestId, other: RequestId): boolean {
  return one.key === other.key && one.contextInputs === other.contextInputs;
}

/** The status comment of a request: its best claim. */
export function statusCommentOf(
  cards: readonly PostedCard[],
  request: RequestId,
  login?: string,
): PostedCard | undefined {
  const claims = cards.filter(
    (posted) =>
      isSameRequest(posted.card, request) &&
      howEnded(posted.card) !== 'denied' &&
      isGenuine(posted, login),
  );
  return claims.sort(compareClaims)[0];
}

/** The highest generation comes first; then a claim that has a job; then the lowest comment ID. */
function compareClaims(one: PostedCard, other: PostedCard): number {
  return (
    other.card.generation - one.card.generation ||
    Number(hasJob(other)) - Number(hasJob(one)) ||
    one.comment.id - other.comment.id
  );
}

export function holderOf(cards: readonly PostedCard[], me: Reader, nowMs: number): Holder {
  const last = statusCommentOf(cards, me, me.login);
  if (last === undefined || last.card.state.is === 'freed') return { is: 'free', last };
  if (last.card.nonce === me.nonce) return { is: 'ours', last };
  const { state } = last.card;
  const isWatched = 'until' in state && state.until !== undefined && nowMs < state.until;
  return { is: isWatched && !isEarlierAttempt(last.card, me) ? 'elsewhere' : 'ended', last };
}

/** The obsolete comments of a request, such as claims that the winning claim replaces. */
export function findObsolete(
  cards: readonly PostedCard[],
  holder: Holder,
  me: Reader,
): PostedCard[] {
  // If another process owns the request, that process deletes its own old claims.
  const isTaken = holder.is === 'ours' || holder.is === 'ended';
  const generation = holder.last?.card.generation ?? 0;
  return cards.filter((posted) => {
    const { card } = posted;
    if (!isSameRequest(card, me) || posted === holder.last || !isGenuine(posted, me.login))
      return false;
    if (card.nonce === me.nonce || isEarlierAttempt(card, me)) return true;
    return isTaken && howEnded(card) !== 'denied' && card.generation < generation;
  });
}

/** Finds out what the thread means for a request. */
export function learnFromThread(found: Found, card: Card, nowMs: number): Lesson {
  const { is, last } = holderOf(found.ours, card, nowMs);
  if (is === 'elsewhere') {
    const stop = { outcome: 'skipped', reason: 'another-run' } as const;
    return { card: { ...card, comment: undefined, stop } };
  }
  if (is === 'ended' && last !== undefined) {
    // What this process has sent isn't that process's request.
    if (!isUnsent(card)) return { card };
    return { card: placeInComment(takeOver(last.card, card), last.comment), earlier: last.card };
  }
  // The claim is ours although GitHub's response was lost, or its request was never sent.
  const own = last === undefined ? card : continueIn(last, card);
  if (!isUnsent(card) || card.ask === 'reply') return { card: own };
  // This request's card was signed with a different key, so an earlier attempt may have sent it.
  const isOfOtherKey = found.ofOtherKeys.some((other) => other.card.key === card.key);
  if (last === undefined && card.attempt > 1 && isOfOtherKey) {
    const stop = { outcome: 'failed', reason: 'key-changed' } as const;
    return { card: stopRun(endRequest(card, 'unconfirmed'), stop) };
  }
  // A card that can't be read may be this request's, or may have the thread's newest job.
  if (!isUnreadable(found.newer, card.key)) return { card: own };
  return { card: stopRun(own, { outcome: 'failed', reason: 'newer-version' }) };
}

function continueIn(last: PostedCard, card: Card): Card {
  const sentBefore = card.sentBefore ?? last.card.sentBefore;
  return { ...placeInComment(card, last.comment), sentBefore };
}

/** Whether a card that this version can't read may be about this request. */
export function isUnreadable(newer: Found['newer'], key: string): boolean {
  return newer.some((card) => card.key === undefined || card.key === key);
}

export function wasDenied(cards: readonly PostedCard[], login: string): boolean {
  return cards.some(({ card }) => howEnded(card) === 'denied' && card.requester === login);
}

/** The newest earlier command that was claimed less than two minutes ago and has no job yet. */
export function pendingBefore(cards: readonly PostedCard[], commentId: number, nowMs: number) {
  return cards.findLast(
    ({ comment, card }) =>
      comment.id < commentId &&
      card.state.is === 'claimed' &&
      nowMs - comment.createdAtMs < pendingMs &&
      // Ignore pasted copies and claims that lost to another claim.
      statusCommentOf(cards, card)?.comment === comment,
  );
}

/** Whether a card shows the job of its request. An answer only shows another request's. */
export function hasJob(posted: PostedCard): boolean {
  const isAnswer = howEnded(posted.card) === 'answered';
  return isBound(posted) && !isAnswer && jobOf(posted.card) !== undefined;
}

/** Whether a card is in a comment of ours and isn't a pasted copy. */
function isGenuine(posted: PostedCard, login: string | undefined): boolean {
  return isBound(posted) || isFirstWrite(posted.comment, login);
}

function isEarlierAttempt({ run, attempt }: Card, me: Reader): boolean {
  return run === me.run && attempt < me.attempt;
}
