import { containsMarker, type Owner } from '../../core/sign.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { EventThread } from '../../github/payload.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, jobOf } from '../card/card.ts';
import { isFollowed, linksTo } from '../card/job.ts';
import { isBound, merged, outdated, type PostedCard, statusCommentOf } from './claims.ts';
import { readCards, unverifiedCardOf } from './store.ts';

/* Finds cards in all the threads of a repository: those that no run is watching anymore, and those of a pull request. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;
/** The longest time between a run's claim and its job, rate limits included. */
export const claimMs = 3_600_000;
/** We assume that the agent opens a pull request within a day of the request. */
const beforeOpenedMs = dayMs;
const maxPages = 3;

/** A card that no run is watching anymore, although its job or its pull request isn't final. */
export interface OpenCard extends PostedCard, Owner {
  /** Whether the comment is obsolete and should be deleted. Otherwise, its job or pull request still has to be checked. */
  readonly isOutdated: boolean;
}

/** One project's cards in these comments, oldest first. `unverified`: those that may be signed with a different API key. */
export function cardsIn(comments: readonly ThreadComment[], owner: Owner) {
  // Most comments aren't ours, and checking a signature takes time.
  const ours = comments.filter(({ body }) => containsMarker(body));
  const reads = ours.map((comment) => {
    const signer = owner.signerOf(comment.thread);
    return { ...readCards([comment], signer), unverified: unverifiedCardOf(comment, signer) };
  });
  return {
    owner,
    cards: merged(reads.flatMap(({ cards }) => cards)),
    unreadable: reads.flatMap(({ unreadable }) => unreadable),
    unverified: reads.flatMap(({ unverified }) => unverified ?? []),
  };
}

/** The status comment of each request in these cards, with all cards of its thread. */
export function requestsIn(all: readonly PostedCard[]) {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  return [...Map.groupBy(all, ({ comment }) => comment.thread).values()].flatMap((cards) =>
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
export function openCardsOf(
  requests: ReturnType<typeof requestsIn>,
  owner: Owner,
  nowMs: number,
): OpenCard[] {
  const open = requests.flatMap(({ last, cards }) => {
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
  });
  return open.sort(byAge);
}

function byAge(first: PostedCard, second: PostedCard): number {
  return first.comment.id - second.comment.id;
}

/** Whether no process is watching the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card, nowMs);
}

/** A pull request, as an event describes it. */
export type OpenedPullRequest = NonNullable<EventThread['opened']>;

/** The cards that contain their comment's ID, oldest comment first. Copied cards are ignored. */
export function boundCards(comments: readonly ThreadComment[], owners: readonly Owner[]) {
  const reads = owners.map((owner) => cardsIn(comments, owner));
  const bound = reads.flatMap(({ owner, cards }) =>
    cards.filter(isBound).map((posted): OpenCard => ({ ...owner, ...posted, isOutdated: false })),
  );
  const unreadable = reads.flatMap((read) => read.unreadable.filter(({ key }) => key === undefined));
  const unverified = reads.flatMap((read) => read.unverified);
  return { cards: bound.sort(byAge), unverified, unreadable: unreadable.at(-1)?.comment };
}

/** The cards whose job opened one of these pull requests, and the cards of running jobs without a link. */
export async function findCardsOf(
  pullRequests: readonly Pick<OpenedPullRequest, 'url' | 'createdAtMs'>[],
  owners: readonly Owner[],
  { github, signal }: Pick<DepsWithGitHub, 'github' | 'signal'>,
) {
  const openedMs = Math.min(...pullRequests.map(({ createdAtMs }) => createdAtMs));
  const options = { sinceMs: openedMs - beforeOpenedMs, maxPages, from: 'oldest' } as const;
  const { comments } = await github.readRepositoryComments(options, signal);
  const { cards, unreadable } = boundCards(comments, owners);
  return {
    naming: cards.filter(({ card }) => pullRequests.some(({ url }) => linksTo(jobOf(card), url))),
    unlinked: cards.filter(({ card: { state } }) => state.is === 'working' && state.job.prLink === null),
    unreadable,
  };
}
