import type { PullRequestRef } from '../../github/repository.ts';
import type { RunContext } from '../../runner/context.ts';
import type { Job } from '../../service/schemas.ts';
import { type Card, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';

/* Functions for the part of a card that describes the job's pull request. */

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

/** The job's pull request; `undefined` if it isn't on the same server as this repository. */
export function pullRequestRef(
  job: Job | undefined,
  { repositoryUrl }: Pick<RunContext, 'repositoryUrl'>,
): PullRequestRef | undefined {
  const url = pullRequestOf(job)?.url;
  if (url === undefined) return undefined;
  const { origin, pathname } = new URL(url);
  const [, owner, repo, number] = pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin) return undefined;
  return { owner, repo, number: Number(number) };
}
