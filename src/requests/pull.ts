import type { PullRequestState } from '../github/changes.ts';
import { type Card, endOf, howEnded, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import { noted } from './transitions.ts';

/* Functions for the part of a card that describes the job's pull request. */

const unseen = 'The token can’t see the pull request, so this comment won’t show when it is merged.';

/** The last known state of the pull request. */
export function pullOf(card: Card): Card['pull'] {
  return card.pull?.url === pullRequestOf(jobOf(card))?.url ? card.pull : undefined;
}

/** The pull request as the `result` output describes it; `null` if there is none. */
export function pullRequestDetails(card: Card) {
  const link = pullRequestOf(jobOf(card));
  const { state, shown } = pullOf(card) ?? {};
  return link === undefined ? null : { ...link, ...(shown && state !== 'unseen' && { state, ...shown }) };
}

/** Whether the pull request may still be merged, closed, or reopened. */
export function isFollowed(card: Card): boolean {
  if (card.state.is !== 'ended' || card.state.how === 'gone' || card.ask === 'reply') return false;
  return pullRequestOf(card.state.job) !== undefined && card.pull?.state !== 'merged';
}

/**
 * Updates a card from its pull request (`undefined` if the token can't see it). If nothing is new, returns the same card. A new
 * head shows that the job has picked up the follow-up.
 */
export function followed(card: Card, look: PullRequestState | undefined): Card {
  const job = jobOf(card);
  const url = pullRequestOf(job)?.url;
  if (job === undefined || url === undefined) return card;
  const { head, ...before } = pullOf(card) ?? { url, state: undefined };
  if (look === undefined)
    return before.state === 'unseen'
      ? card
      : noted({ ...card, pull: { ...before, state: 'unseen' } }, unseen);
  const { state, shown, headSha } = look;
  if (before.state === state && head === undefined) return card;
  const isUpdated = head !== undefined && headSha !== head;
  const pull = { ...before, state, shown, ...(isUpdated && { isUpdated }) };
  const isTakenUp = isUpdated && howEnded(card) === 'unseen';
  const notes = card.notes.filter((note) => note !== unseen);
  return { ...card, notes, pull, ...(isTakenUp && { state: { is: 'ended', how: endOf(job), job } }) };
}
