import { type Card, jobOf } from '../card/card.ts';
import { linksTo } from '../card/job.ts';
import { isFollowed } from '../card/pull.ts';
import { outdated, statusCommentOf } from './claims.ts';
import { isBound, type PostedCard } from './find.ts';

/* What is left to do with the cards of a repository. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;
/** The longest time between a run's claim and its job, rate limits included. */
export const claimMs = 3_600_000;

/** A card that no run is watching anymore, although its job or its pull request isn't final. */
export interface OpenCard extends PostedCard {
  /** Whether the comment is obsolete and should be deleted. Otherwise, its job or pull request still has to be checked. */
  readonly isOutdated: boolean;
}

/** The status comment of each request in these cards, with all cards of its thread. */
export function requestsIn(all: readonly PostedCard[]) {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  const places = Map.groupBy(all, ({ comment, owner }) => `${comment.thread} ${owner.project.id}`);
  return [...places.values()].flatMap((cards) =>
    [...new Set(cards.map(({ card }) => statusCommentOf(cards, card, login)))].flatMap((last) =>
      last === undefined ? [] : [{ last, cards }],
    ),
  );
}

/** When a request was sent, or may have been sent, each time that it was made. */
export function sendTimes({ comment, card }: PostedCard): readonly number[] {
  const { state, ask, askedAt, sentBefore = [] } = card;
  const isUnsent = state.is === 'freed' || ask === 'attach' || ask === 'reply';
  return isUnsent ? sentBefore : [...sentBefore, askedAt ?? comment.createdAtMs];
}

/** The open cards of these requests, oldest first. */
export function openCardsOf(requests: ReturnType<typeof requestsIn>, nowMs: number): OpenCard[] {
  const open = requests.flatMap(({ last, cards }) => {
    // If the token can't see the pull request, only an event about it triggers another check.
    const isOpen = last.card.pull?.state !== 'unseen' && isUnwatched(last.card, nowMs);
    const writer = { ...last.card, login: last.comment.login };
    // If a card doesn't contain its comment's ID, another workflow may have copied our signed line.
    const replaced = outdated(cards, { is: 'ended', last }, writer).filter(
      (posted) => isBound(posted) && nowMs - posted.comment.createdAtMs >= claimMs,
    );
    return [
      ...(isOpen ? [{ ...last, isOutdated: false }] : []),
      ...replaced.map((posted) => ({ ...posted, isOutdated: true })),
    ];
  });
  return open.sort((first, second) => first.comment.id - second.comment.id);
}

/** Whether no process is watching the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card, nowMs);
}

/** The cards whose job opened one of these pull requests. */
export function cardsNaming(
  cards: readonly PostedCard[],
  pullRequests: readonly { readonly url: string }[],
): readonly PostedCard[] {
  return cards.filter(
    (posted) => isBound(posted) && pullRequests.some(({ url }) => linksTo(jobOf(posted.card), url)),
  );
}
