import type { PullRequestState } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { type Card, howEnded } from '../card/card.ts';
import { whyNew } from '../card/sentences.ts';
import { newestJob } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Plan } from './plan.ts';

/* Which job gets a prompt, and why. */

/** Where a prompt's job is to be found. */
export type Source =
  | { readonly in: 'nowhere' }
  | { readonly in: 'inputs' | 'thread'; readonly jobId: string; readonly askedAt?: number | undefined }
  /** This workflow's newest job whose pull request is open. */
  | { readonly in: 'repository' }
  /** The job that opened the pull request with the command. */
  | { readonly in: 'pull request' };

/** Decides where a prompt's job is to be found. @param cards the thread's cards. */
export function sourceOf(
  { sentBefore }: Pick<Card, 'sentBefore'>,
  cards: readonly PostedCard[],
  { ask, pullRequest }: Pick<Plan, 'ask' | 'pullRequest'>,
): Source {
  if (ask.jobId !== undefined) return { in: 'inputs', jobId: ask.jobId };
  // A request that starts over doesn't go back to its failed job.
  if (ask.continues === 'never' || sentBefore !== undefined) return { in: 'nowhere' };
  if (ask.continues === 'repository') return { in: 'repository' };
  const newest = newestJob(cards);
  if (newest !== undefined) return { in: 'thread', ...newest };
  return { in: pullRequest === undefined ? 'nowhere' : 'pull request' };
}

/** What was found out about a prompt's job. */
export interface Candidate {
  /** Absent if no job was found. */
  readonly jobId?: string | undefined;
  /** Absent if no job was found, or if it is gone. */
  readonly job?: Job | undefined;
  /** When the job got its last request, if a card says so. */
  readonly askedAt?: number | undefined;
  /** The job's pull request; absent if there is none, or if the token can't see it. */
  readonly pull?: Pick<PullRequestState, 'state' | 'headSha'> | undefined;
  /** Why no job was found, if users should know. */
  readonly why?: string | undefined;
}

/** The job that gets the prompt. Without a job, a new one does; `why` says why, if users should know. */
export interface Choice extends Pick<Candidate, 'job' | 'askedAt' | 'pull' | 'why'> {
  /** Whose job it is, if users should know once it is gone. */
  readonly of?: 'thread' | 'pull request';
}

/** Chooses the job that gets the prompt. */
export function choose(source: Source['in'], found: Candidate): Choice {
  const { jobId, job, askedAt, pull, why } = found;
  if (source === 'inputs' || source === 'repository')
    return job === undefined ? { why } : { job, askedAt, pull };
  if (jobId === undefined) return { why: source === 'pull request' ? whyNew.notFound : why };
  const of = source === 'thread' ? source : 'pull request';
  if (job === undefined) return { why: whyNew.ended(of, jobId, 'no longer exists') };
  if (job.status === 'archived') return { why: whyNew.ended(of, jobId, 'is archived') };
  if (pull !== undefined && pull.state !== 'open') return { why: whyNew.pullEnded(jobId, pull.state) };
  return { job, askedAt, pull, of };
}

/**
 * Whether a request starts over, because its job failed. People re-run a workflow to try again, so only a later attempt does,
 * and only for a job that an earlier process asked for.
 */
export function startsOver(card: Card, earlier: Card | undefined): boolean {
  return earlier !== undefined && card.attempt > 1 && /^(failed|archived|gone)$/.test(howEnded(card) ?? '');
}
