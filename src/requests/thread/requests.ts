import { type Card, isUnanswered } from '../card/card.ts';
import { isFollowed } from '../card/pull.ts';
import { isAbandoned, statusCommentOf } from './claims.ts';
import { isBound, type PostedCard } from './find.ts';

/* The requests of many threads, and which of them no process watches. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;

/** Finds the requests of these cards: the status comment of each. */
export function requestsIn(all: readonly PostedCard[]): PostedCard[] {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  const threads = Map.groupBy(all, ({ comment, owner }) => `${comment.thread} ${owner.project.id}`);
  const statusComments = new Set<PostedCard>();
  for (const cards of threads.values())
    for (const { card } of cards) {
      const statusComment = statusCommentOf(cards, card, login);
      if (statusComment !== undefined) statusComments.add(statusComment);
    }
  return [...statusComments].sort((one, other) => one.comment.id - other.comment.id);
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

/** Whether no process watches the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state } = card;
  if (isUnanswered(card)) return true;
  if (state.is !== 'working') return isFollowed(card, nowMs);
  if (card.stop?.reason === 'given-up') return false;
  return state.until === undefined || nowMs >= state.until + graceMs;
}
