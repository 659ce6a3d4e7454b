import type { DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { EventThread } from '../../github/payload.ts';
import { dayMs } from '../../text/duration.ts';
import { jobOf } from '../card/card.ts';
import { linksTo } from '../card/job.ts';
import { isBound } from './claims.ts';
import type { OpenCard } from './open-cards.ts';
import { containsMarker, type Owner } from './sign.ts';
import { readCards } from './store.ts';

/** We assume that the agent opens a pull request within a day of the request. */
const beforeOpenedMs = dayMs;
const mostPages = 3;

/** A pull request, as an event describes it. */
export type OpenedPullRequest = NonNullable<EventThread['opened']>;

/** The cards that contain their comment's ID, oldest comment first. Copied cards are ignored. */
export function boundCards(comments: readonly ThreadComment[], owners: readonly Owner[]) {
  const cards: OpenCard[] = [];
  let hasUnreadable = false;
  for (const comment of comments.toSorted((first, second) => first.id - second.id)) {
    if (!containsMarker(comment.body)) continue;
    for (const owner of owners) {
      const read = readCards([comment], owner.signerOf(comment.thread));
      hasUnreadable ||= read.unreadable.length > 0;
      for (const posted of read.cards.filter(isBound)) cards.push({ ...owner, ...posted, isOutdated: false });
    }
  }
  return { cards, hasUnreadable };
}

/** The cards whose job opened this pull request, and the cards of running jobs without a link. */
export async function findCardsOf(
  { url, createdAtMs }: OpenedPullRequest,
  owners: readonly Owner[],
  { github, signal }: Pick<DepsWithGitHub, 'github' | 'signal'>,
) {
  const options = { sinceMs: createdAtMs - beforeOpenedMs, maxPages: mostPages, from: 'oldest' } as const;
  const { comments } = await github.readRepositoryComments(options, signal);
  const { cards, hasUnreadable } = boundCards(comments, owners);
  return {
    naming: cards.filter(({ card }) => linksTo(jobOf(card), url)),
    unlinked: cards.filter(({ card: { state } }) => state.is === 'working' && state.job.prLink === null),
    hasUnreadable,
  };
}
