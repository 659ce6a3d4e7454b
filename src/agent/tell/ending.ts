import { type Explained, explain } from '../../core/failure.ts';
import type { AgentOutcome } from '../../core/outcome.ts';
import type { AgentReason } from '../../core/reasons.ts';
import { type Job, longestLink } from '../../service/schemas.ts';
import { isTerminal } from '../job/status.ts';
import type { Asked, AskedJob } from '../known.ts';

/** How a run of agent mode ends, as outcome and reason code. */
export interface Ending {
  readonly outcome: AgentOutcome;
  readonly reason: AgentReason;
  /** Why a change that the docs need not follow is skipped, for people. */
  readonly because?: string | undefined;
  /** Whether the job was never seen to take up the message that it was sent. */
  readonly isUnseen?: boolean | undefined;
  /** What the run fell over, for people. */
  readonly error?: Omit<Explained, 'reason'> | undefined;
}

export interface PullRequest {
  readonly url: string;
  /** As a decimal string; `''` where the address has no known shape. */
  readonly number: string;
}

/**
 * The ending of a job in a terminal status. A failed or archived job keeps its own outcome even when an earlier message
 * left a pull request: the link is handed on, but this request did not make it.
 */
export function endingOf(job: Job): Ending {
  switch (job.status) {
    case 'completed':
      if (job.prLink === null) return { outcome: 'no-changes', reason: 'no-pull-request' };
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

/** The ending of a job that was never seen to take up the message that it was sent: it may be from before it. */
export function unseenEndingOf(job: Job): Ending {
  const ending = endingOf(job);
  const reason = ending.outcome === 'failed' ? ending.reason : 'follow-up-unseen';
  return { ...ending, reason, isUnseen: true };
}

/** The ending of a run that is stopped before it came to one of its own: what it leaves behind. The one place that says so. */
export function endingIfStopped(asked: Asked, by: 'interrupted' | 'cancelled'): Ending {
  switch (asked.is) {
    case 'no':
      return { outcome: 'failed', reason: by };
    case 'maybe':
      return { outcome: 'failed', reason: 'unconfirmed' };
    case 'yes':
      return asked.job !== undefined && hasEnded(asked, asked.job)
        ? endingOf(asked.job)
        : { outcome: 'detached', reason: by };
  }
}

/** Whether a job's end is beyond doubt: it is not from before a message, and no link can come late. */
function hasEnded({ before }: AskedJob, { status, prLink }: Job): boolean {
  return before === undefined && isTerminal(status) && (status !== 'completed' || prLink !== null);
}

/** The ending of a run that fell over an error. */
export function endingOfError(error: unknown, asked: Asked): Ending {
  const { reason, ...told } = explain(error);
  if (reason === 'cancelled') return endingIfStopped(asked, 'cancelled');
  return { outcome: 'failed', reason, error: told };
}

/** Whether an ending is the job's own, and not that of a run which could not see it to its end. */
export function isOfTheJob({ outcome, reason }: Record<'outcome' | 'reason', string>): boolean {
  return (
    outcome === 'pr-created' ||
    outcome === 'no-changes' ||
    outcome === 'archived' ||
    (outcome === 'failed' && reason === 'job-failed')
  );
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
  if (url.href.length > longestLink) return undefined;
  const number = url.pathname.match(
    /\/(?:pull|pulls|-\/merge_requests|merge_requests|pull-requests)\/(\d{1,15})(?:\/|$)/,
  );
  return { url: url.href, number: number?.[1] ?? '' };
}
