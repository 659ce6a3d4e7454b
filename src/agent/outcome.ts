import type { Outcome } from '../lib/outcome.ts';
import type { Job } from '../service/schemas.ts';

/** How a run of agent mode ends, as outcome and reason code. */
export interface Ending {
  readonly outcome: Outcome;
  readonly reason: string;
}

export interface PullRequest {
  readonly url: string;
  /** As a decimal string; `''` where the address has no known shape. */
  readonly number: string;
}

/** No pull request's address is longer; a comment has to hold it. */
const longestLinkCharacters = 2_000;

const terminalStatuses: ReadonlySet<string> = new Set(['completed', 'archived', 'failed']);
const knownStatuses: ReadonlySet<string> = new Set([...terminalStatuses, 'active']);

/** Whether a status ends a job. A value the interface does not name is not terminal. */
export function isTerminal(status: string): boolean {
  return terminalStatuses.has(status);
}

export function isKnownStatus(status: string): boolean {
  return knownStatuses.has(status);
}

/**
 * The ending of a job in a terminal status. A failed or archived job keeps its own outcome even when an earlier message
 * left a pull request: the link is handed on, but this request did not make it.
 */
export function endingOf(job: Job): Ending {
  switch (job.status) {
    case 'completed':
      if (job.prLink === null) return { outcome: 'no-changes', reason: 'no-files-changed' };
      return {
        outcome: 'pr-created',
        reason: pullRequestOf(job) === undefined ? 'unusable-pr-link' : 'pull-request',
      };
    case 'archived':
      return { outcome: 'archived', reason: 'job-archived' };
    default:
      return { outcome: 'failed', reason: 'job-failed' };
  }
}

/**
 * The job's pull request, when its link is an https URL without credentials; the number from a GitHub-, GitLab- or
 * Bitbucket-shaped path.
 */
export function pullRequestOf(job: Job | undefined): PullRequest | undefined {
  const link = job?.prLink ?? undefined;
  if (link === undefined || !URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  if (url.href.length > longestLinkCharacters) return undefined;
  const number = url.pathname.match(
    /\/(?:pull|pulls|-\/merge_requests|merge_requests|pull-requests)\/(\d{1,15})(?:\/|$)/,
  );
  return { url: url.href, number: number?.[1] ?? '' };
}
