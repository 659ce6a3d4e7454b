import { type Card, isUnanswered } from '../card/card.ts';
import { writeStatusComment } from '../card/comment.ts';
import { isFollowed } from '../card/pull.ts';
import { claimsOf, findObsolete, isAbandoned, statusCommentOf } from './claims.ts';
import { isBound, mergeReads, type PostedCard } from './find.ts';

/* The requests of many threads, and which of them no process watches. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;

/** Finds the requests of these cards: the status comment of each. */
export function requestsIn(all: readonly PostedCard[]): PostedCard[] {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  const threads = [...Map.groupBy(all, nameOfThread).values()];
  const statusComments = threads.flatMap((cards) =>
    cards.flatMap(({ card }) => statusCommentOf(cards, card, login) ?? []),
  );
  return mergeReads(statusComments);
}

/**
 * Finds the comments of requests that have a newer status comment. Their runs should have deleted
 * them, but were lost, or GitHub stored a claim twice.
 */
export function findLeftovers(
  requests: readonly PostedCard[],
  all: readonly PostedCard[],
  nowMs: number,
): PostedCard[] {
  const threads = Map.groupBy(all, nameOfThread);
  const leftovers = requests.flatMap((statusComment) => {
    const { card, comment } = statusComment;
    const inThread = threads.get(nameOfThread(statusComment)) ?? [];
    const replaced = findObsolete(
      inThread,
      { is: 'ended', statusComment },
      { ...card, login: comment.login },
    );
    const rivals = claimsOf(inThread, card, comment.login).filter((one) => one !== statusComment);
    return [...replaced, ...rivals.filter((claim) => claim.card.state.is === 'claimed')];
  });
  const deletable = leftovers.filter((one) => isAbandoned(one, nowMs) && !isQuotation(one));
  return [...new Set(deletable)];
}

/** Names a thread and a project: each project has its own requests there. */
function nameOfThread({ comment, owner }: PostedCard): string {
  return `${comment.thread} ${owner.project.id}`;
}

/** Whether another workflow posted a copy of our line. If so, there is more text. */
function isQuotation({ comment, card }: PostedCard): boolean {
  if (isBound({ comment, card }) || !comment.unedited) return false;
  return comment.body.replace(/^.*\n/, '').trim() !== writeStatusComment(card).trim();
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
