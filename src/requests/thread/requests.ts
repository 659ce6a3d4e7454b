import { type Card, isUnanswered } from '../card/card.ts';
import { writeStatusComment } from '../card/comment.ts';
import { isFollowed } from '../card/pull.ts';
import { claimsOf, findObsolete, isAbandoned, statusCommentOf } from './claims.ts';
import { isBound, mergeReads, type PostedCard } from './find.ts';

/* The requests of many threads, and which of them no process watches. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;

interface ThreadRequest {
  readonly statusComment: PostedCard;
  /** All cards of its thread. */
  readonly cards: readonly PostedCard[];
}

/** Comments that a run has to look at, oldest first. */
export interface OpenCards {
  readonly unwatched: readonly PostedCard[];
  /** Those to be deleted. */
  readonly obsolete: readonly PostedCard[];
}

/** Finds the requests of these cards. */
export function requestsIn(all: readonly PostedCard[]): ThreadRequest[] {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  const threads = Map.groupBy(all, ({ comment, owner }) => `${comment.thread} ${owner.project.id}`);
  const requests: ThreadRequest[] = [];
  for (const cards of threads.values()) {
    const statusComments = new Set(cards.map(({ card }) => statusCommentOf(cards, card, login)));
    for (const statusComment of statusComments)
      if (statusComment !== undefined) requests.push({ statusComment, cards });
  }
  return requests;
}

/** When the request was sent; of a claim, when it was posted. */
export function askedAtMs({ comment, card }: PostedCard): number {
  return card.askedAt ?? comment.createdAtMs;
}

/** The times at which a request was sent, may have been, or may be about to be. */
export function sendTimes(posted: PostedCard, nowMs: number): readonly number[] {
  const { state, ask, sentBefore = [] } = posted.card;
  const isLost = state.is === 'claimed' && isAbandoned(posted, nowMs);
  if (isLost || state.is === 'freed' || ask === 'attach' || ask === 'reply') return sentBefore;
  return [...sentBefore, askedAtMs(posted)];
}

/** Finds the comments of these requests that a run has to look at. */
export function openCardsOf(requests: readonly ThreadRequest[], nowMs: number): OpenCards {
  const unwatched: PostedCard[] = [];
  const obsolete: PostedCard[] = [];
  for (const { statusComment, cards } of requests) {
    const { card, comment } = statusComment;
    if (isUnwatched(card, nowMs)) unwatched.push(statusComment);
    const writer = { ...card, login: comment.login };
    const replaced = findObsolete(cards, { is: 'ended', statusComment }, writer);
    const others = claimsOf(cards, card, comment.login).filter((one) => one !== statusComment);
    // Its run lost to another one, and was then lost itself.
    const lost = others.filter((claim) => claim.card.state.is === 'claimed');
    obsolete.push(...[...replaced, ...lost].filter((posted) => mayDelete(posted, nowMs)));
  }
  return { unwatched: mergeReads(unwatched), obsolete: mergeReads(obsolete) };
}

function mayDelete(posted: PostedCard, nowMs: number): boolean {
  return isAbandoned(posted, nowMs) && !isQuotation(posted);
}

/** Whether another workflow posted a copy of our line. If so, there is more text. */
function isQuotation({ comment, card }: PostedCard): boolean {
  if (isBound({ comment, card }) || !comment.unedited) return false;
  return comment.body.replace(/^.*\n/, '').trim() !== writeStatusComment(card).trim();
}

/** Whether no process watches the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state } = card;
  if (isUnanswered(card)) return true;
  if (state.is !== 'working') return isFollowed(card, nowMs);
  if (card.stop?.reason === 'given-up') return false;
  return state.until === undefined || nowMs >= state.until + graceMs;
}
