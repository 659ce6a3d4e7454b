import { type Card, howEnded, jobOf } from '../card/card.ts';
import { endRequest, isUnsent, placeInComment, stopRun, takeOver } from '../card/transitions.ts';
import { type Found, isBound, isFirstWrite, type PostedCard } from './find.ts';

/* Decides who owns a request, from the cards in its thread. */

/** An older claim without a job counts as abandoned: no command waits for it. */
const maxPendingAgeMs = 120_000;

/** What identifies a request across runs. */
type RequestId = Pick<Card, 'key' | 'contextInputs'>;

/** A process that reads a thread, and the request it works on. */
export type Claimant = RequestId & Pick<Card, 'nonce' | 'run' | 'attempt' | 'login'>;

/** Who owns a request. */
interface Holder {
  /** No one, this process, another one that is running, or one that has ended. */
  readonly is: 'free' | 'ours' | 'elsewhere' | 'ended';
  readonly statusComment: PostedCard | undefined;
}

/** What this process makes of a request, by who owns it. */
interface Ownership {
  readonly card: Card;
  /** The card of an ended process, whose request this process continues. */
  readonly takenOver?: Card;
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
  const ofRequest = cards.filter(({ card }) => isSameRequest(card, request));
  const claims = ofRequest.filter((posted) => isClaim(posted) && isGenuine(posted, login));
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

/** Finds out who owns a request. */
export function findHolder(
  cards: readonly PostedCard[],
  claimant: Claimant,
  nowMs: number,
): Holder {
  const statusComment = statusCommentOf(cards, claimant, claimant.login);
  return { is: nameHolder(statusComment?.card, claimant, nowMs), statusComment };
}

function nameHolder(card: Card | undefined, claimant: Claimant, nowMs: number): Holder['is'] {
  if (card === undefined || card.state.is === 'freed') return 'free';
  if (card.nonce === claimant.nonce) return 'ours';
  if (isEarlierAttempt(card, claimant)) return 'ended';
  const { state } = card;
  const isWatched = 'until' in state && state.until !== undefined && nowMs < state.until;
  return isWatched ? 'elsewhere' : 'ended';
}

/** The obsolete comments of a request, such as claims that the winning claim replaces. */
export function findObsolete(
  cards: readonly PostedCard[],
  holder: Holder,
  claimant: Claimant,
): PostedCard[] {
  const { statusComment } = holder;
  // If another process owns the request, that process deletes its own old claims.
  const mayReplace = holder.is === 'ours' || holder.is === 'ended';
  const generation = statusComment?.card.generation ?? 0;

  function isObsolete(posted: PostedCard): boolean {
    const { card } = posted;
    if (posted === statusComment || !isGenuine(posted, claimant.login)) return false;
    if (card.nonce === claimant.nonce || isEarlierAttempt(card, claimant)) return true;
    return mayReplace && isClaim(posted) && card.generation < generation;
  }

  return cards.filter((posted) => isSameRequest(posted.card, claimant) && isObsolete(posted));
}

/** Decides what this process makes of a request, from the cards in its thread. */
export function decideOwnership(found: Found, card: Card, nowMs: number): Ownership {
  const { is, statusComment } = findHolder(found.ours, card, nowMs);
  if (is === 'elsewhere') {
    // Not `stopRun`, which would also free or end the request. It is the other process's.
    const stop = { outcome: 'skipped', reason: 'another-run' } as const;
    return { card: { ...card, comment: undefined, stop } };
  }
  if (is === 'ended' && statusComment !== undefined) {
    // This process has already sent its own request, so it takes over nothing.
    if (!isUnsent(card)) return { card };
    const { card: takenOver, comment } = statusComment;
    return { card: placeInComment(takeOver(takenOver, card), comment), takenOver };
  }
  // The claim is ours although GitHub's response was lost, or its request was never sent.
  const own = continueClaim(statusComment, card);
  if (!isUnsent(card) || card.ask === 'reply') return { card: own };
  if (statusComment === undefined && card.attempt > 1 && hasOtherKey(found, card)) {
    const stop = { outcome: 'failed', reason: 'key-changed' } as const;
    return { card: stopRun(endRequest(card, 'unconfirmed'), stop) };
  }
  // A card that can't be read may be this request's, or may have the thread's newest job.
  if (!isUnreadable(found.newer, card.key)) return { card: own };
  return { card: stopRun(own, { outcome: 'failed', reason: 'newer-version' }) };
}

/** Continues in the comment of a request that no other process owns. */
function continueClaim(statusComment: PostedCard | undefined, card: Card): Card {
  if (statusComment === undefined) return card;
  const sentBefore = card.sentBefore ?? statusComment.card.sentBefore;
  return { ...placeInComment(card, statusComment.comment), sentBefore };
}

/** Whether a request's card was signed with a different key. An earlier attempt may have sent it. */
function hasOtherKey(found: Found, { key }: Card): boolean {
  return found.ofOtherKeys.some(({ card }) => card.key === key);
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
      nowMs - comment.createdAtMs < maxPendingAgeMs &&
      // Ignore pasted copies and claims that lost to another claim.
      statusCommentOf(cards, card)?.comment === comment,
  );
}

/** Whether a card shows the job of its request. An answer only shows another request's job. */
export function hasJob(posted: PostedCard): boolean {
  const isAnswer = howEnded(posted.card) === 'answered';
  return isBound(posted) && !isAnswer && jobOf(posted.card) !== undefined;
}

/** Whether a card claims its request. A denial doesn't. */
function isClaim({ card }: PostedCard): boolean {
  return howEnded(card) !== 'denied';
}

/** Whether a card is in a comment of ours and isn't a pasted copy. */
function isGenuine(posted: PostedCard, login: string | undefined): boolean {
  return isBound(posted) || isFirstWrite(posted.comment, login);
}

function isEarlierAttempt({ run, attempt }: Card, claimant: Claimant): boolean {
  return run === claimant.run && attempt < claimant.attempt;
}
