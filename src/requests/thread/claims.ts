import { type Card, howEnded, isUnanswered, jobOf } from '../card/card.ts';
import { endRequest, isUnsent, placeInComment, stopRun, takeOver } from '../card/transitions.ts';
import { type Found, isBound, isByUs, type PostedCard } from './find.ts';

/* Decides who owns a request, from the cards in its thread. */

/** No command waits longer for an earlier one to get its job. */
const maxPendingAgeMs = 120_000;
/** The longest time between a claim and its job, rate limits included. */
const claimMs = 3_600_000;

/** What identifies a request across runs. */
type RequestId = Pick<Card, 'key' | 'contextInputs'>;

/** A process that reads a thread, and the request it works on. */
export type Claimant = RequestId & Pick<Card, 'nonce' | 'run' | 'attempt' | 'login'>;

/** Who owns a request. */
interface Holder {
  /** No one, this process, another one that is running, or one that has ended. */
  readonly is: 'free' | 'ours' | 'elsewhere' | 'ended';
  readonly statusComment?: PostedCard | undefined;
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
  return claimsOf(cards, request, login)[0];
}

/** The claims of a request, the best one first. */
export function claimsOf(
  cards: readonly PostedCard[],
  request: RequestId,
  login: string | undefined,
): PostedCard[] {
  const ofRequest = cards.filter(({ card }) => isSameRequest(card, request));
  const claims = ofRequest.filter((posted) => isClaim(posted) && isGenuine(posted, cards, login));
  return claims.sort(compareClaims);
}

/**
 * A claim that may be on its way to the service comes first, then the highest generation, then a
 * claim that has a job, then the lowest comment ID.
 */
function compareClaims(one: PostedCard, other: PostedCard): number {
  return (
    Number(isSending(other)) - Number(isSending(one)) ||
    other.card.generation - one.card.generation ||
    Number(hasJob(other)) - Number(hasJob(one)) ||
    one.comment.id - other.comment.id
  );
}

/** The generation of the next claim of a request. Only if there is no other comment, it is 1. */
export function nextGeneration(cards: readonly PostedCard[], claimant: Claimant): number {
  const claims = claimsOf(cards, claimant, claimant.login);
  if (claims.length === 0) return 1;
  return Math.max(1, ...claims.map(({ card }) => card.generation)) + 1;
}

/** Finds out who owns a request. */
export function findHolder(
  cards: readonly PostedCard[],
  claimant: Claimant,
  nowMs: number,
): Holder {
  const claims = claimsOf(cards, claimant, claimant.login);
  const holders = claims.map((statusComment) => {
    return { is: nameHolder(statusComment, claimant, nowMs), statusComment };
  });
  const [best] = holders;
  return holders.find((holder) => holder.is !== 'free') ?? best ?? { is: 'free' };
}

/** Who owns a request that has only this claim. */
function nameHolder(claim: PostedCard, claimant: Claimant, nowMs: number): Holder['is'] {
  const { card } = claim;
  if (card.state.is === 'freed') return 'free';
  if (card.nonce === claimant.nonce) return 'ours';
  if (!isEarlierAttempt(card, claimant) && isWatched(claim, nowMs)) return 'elsewhere';
  // A claim has sent nothing, and its process no longer will.
  return card.state.is === 'claimed' ? 'free' : 'ended';
}

/** Whether the process of a claim may still work on it. */
function isWatched(claim: PostedCard, nowMs: number): boolean {
  const { state } = claim.card;
  if (state.is === 'working') return state.until !== undefined && nowMs < state.until;
  return isUnanswered(claim.card) && !isAbandoned(claim, nowMs);
}

/** Whether a claim is so old that no process sends its request anymore. */
export function isAbandoned({ comment }: PostedCard, nowMs: number): boolean {
  return nowMs - comment.createdAtMs >= claimMs;
}

function isSending({ card }: PostedCard): boolean {
  return card.state.is === 'sending';
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
    if (posted === statusComment || !isGenuine(posted, cards, claimant.login)) return false;
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
      isUnanswered(card) &&
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

/**
 * Whether a card is in a comment of ours, and isn't a pasted copy. One that names its comment is
 * ours, whatever people did to the comment. Any other is a claim, and counts if no one touched it.
 * In doubt, a touched one counts, too, because that only keeps runs from sending.
 */
function isGenuine(
  posted: PostedCard,
  cards: readonly PostedCard[],
  login: string | undefined,
): boolean {
  if (posted.card.comment !== undefined) return isBound(posted);
  if (!isByUs(posted.comment, login)) return false;
  return posted.comment.unedited || !isCopy(posted, cards);
}

/** Whether someone pasted a claim: another comment of its process is older, or untouched. */
function isCopy(claim: PostedCard, cards: readonly PostedCard[]): boolean {
  const { nonce } = claim.card;
  const others = cards.filter((other) => other !== claim && other.card.nonce === nonce);
  return others.some(
    (other) => isBound(other) || other.comment.unedited || other.comment.id < claim.comment.id,
  );
}

function isEarlierAttempt({ run, attempt }: Card, claimant: Claimant): boolean {
  return run === claimant.run && attempt < claimant.attempt;
}
