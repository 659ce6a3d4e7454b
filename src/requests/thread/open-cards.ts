import type { ThreadComment } from '../../github/changes.ts';
import type { Card } from '../card/card.ts';
import { isFollowed } from '../card/pull.ts';
import { isBound, outdated, type PostedCard, statusCommentOf } from './claims.ts';
import type { Owner } from './sign.ts';
import { readCards } from './store.ts';

/* Finds the cards that no run is watching anymore. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;
/** The longest time between a run's claim and its job, rate limits included. */
export const claimMs = 3_600_000;

/** A card that no run is watching anymore, although its job or its pull request isn't final. */
export interface OpenCard extends PostedCard, Owner {
  /** Whether the comment is obsolete and should be deleted. Otherwise, its job or pull request still has to be checked. */
  readonly isOutdated: boolean;
}

/** Finds the open cards in these comments, oldest first. */
export function openCardsIn(comments: readonly ThreadComment[], owner: Owner, nowMs: number): OpenCard[] {
  const byThread = [...Map.groupBy(comments, ({ thread }) => thread)];
  const threads = byThread.map(([thread, own]) => readCards(own, owner.signerOf(thread)).cards);
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = threads.flat().find(isBound)?.comment.login;
  const open = threads.flatMap((cards) =>
    [...new Set(cards.map(({ card }) => card.key))].flatMap((key) => {
      const last = statusCommentOf(cards, key, login);
      if (last === undefined) return [];
      // If the token can't see the pull request, only an event about it triggers another check.
      const isOpen = last.card.pull?.state !== 'unseen' && isUnwatched(last.card, nowMs);
      const writer = { ...last.card, login: last.comment.login };
      // If a card doesn't contain its comment's ID, another workflow may have copied our signed line.
      const replaced = outdated(cards, { is: 'ended', last }, writer).filter(
        (posted) => isBound(posted) && nowMs - posted.comment.createdAtMs >= claimMs,
      );
      return [
        ...(isOpen ? [{ ...last, ...owner, isOutdated: false }] : []),
        ...replaced.map((posted) => ({ ...posted, ...owner, isOutdated: true })),
      ];
    }),
  );
  return open.sort(byAge);
}

/** Sorts the jobs to check: oldest comment first, but jobs whose last check found nothing new go last. */
export function byTurn(first: PostedCard, second: PostedCard): number {
  return (first.card.checkedAt ?? 0) - (second.card.checkedAt ?? 0) || byAge(first, second);
}

function byAge(first: PostedCard, second: PostedCard): number {
  return first.comment.id - second.comment.id;
}

/** Whether no process is watching the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card);
}
