import type { PullRequestState } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { type Card, howEnded } from '../card/card.ts';
import { whyNew } from '../card/remarks.ts';
import type { PostedCard } from '../thread/find.ts';
import { newestJob } from '../thread/jobs.ts';
import type { Plan } from './plan.ts';

/* Which job gets a prompt, and why. */

/**
 * The job that may get a prompt, as far as it is known. Without a job, a new one gets the prompt.
 */
export interface Candidate {
  /**
   * Where to find it: `repository` has this workflow's newest open pull request, `pull request`
   * has the command.
   */
  readonly in: 'nowhere' | 'inputs' | 'thread' | 'repository' | 'pull request';
  readonly jobId?: string;
  /** When the job got its last request, if a card says so. */
  readonly askedAt?: number | undefined;
  /** A card that names the job, if one does. */
  readonly card?: Card;
  /** Absent if no job was found, or if it is gone. */
  readonly job?: Job | undefined;
  /** The job's pull request; absent if there is none, or if the token can't see it. */
  readonly pull?: Pick<PullRequestState, 'state' | 'headSha'> | undefined;
  /** Why a new job gets the prompt, if users should know. */
  readonly why?: string | undefined;
}

/** The job that opened a pull request. */
export interface Maker extends Pick<Candidate, 'askedAt' | 'card' | 'job'> {
  readonly jobId: string;
}

/** Decides where a prompt's job is to be found. @param cards the thread's cards. */
export function candidateFor(
  card: Pick<Card, 'sentBefore'>,
  cards: readonly PostedCard[],
  plan: Pick<Plan, 'ask' | 'pullRequest'>,
): Candidate {
  const { jobId, continues } = plan.ask;
  if (jobId !== undefined) return { in: 'inputs', jobId };
  // A request that starts over doesn't go back to its failed job.
  if (continues === 'never' || card.sentBefore !== undefined) return { in: 'nowhere' };
  if (continues === 'repository') return { in: 'repository' };
  const newest = newestJob(cards);
  if (newest !== undefined) return { in: 'thread', ...newest };
  return { in: plan.pullRequest === undefined ? 'nowhere' : 'pull request' };
}

/** Decides whether the job gets the prompt. If it doesn't, a new one does, and `why` says why. */
export function choose(candidate: Candidate): Candidate {
  const why = whyNotGiven(candidate);
  if (why === undefined) return candidate;
  return { in: candidate.in, why };
}

/**
 * Why the job of a thread or pull request can't get the prompt. Any other job was chosen by the
 * inputs, or is open.
 */
function whyNotGiven(candidate: Candidate): string | undefined {
  const { jobId, pull } = candidate;
  const place = candidate.in;
  if (place !== 'thread' && place !== 'pull request') return undefined;
  if (jobId === undefined) return whyNew.notFound;
  if (candidate.job === undefined) return whyNew.ended(place, jobId, 'no longer exists');
  if (candidate.job.status === 'archived') return whyNew.ended(place, jobId, 'is archived');
  if (pull !== undefined && pull.state !== 'open') return whyNew.pullEnded(jobId, pull.state);
  return undefined;
}

/**
 * Whether a later attempt may start over, because the job that an earlier process asked for failed.
 */
export function mayStartOver(card: Card, earlier: Card | undefined): boolean {
  if (earlier === undefined || card.attempt === 1) return false;
  const how = howEnded(card);
  return how === 'failed' || how === 'archived' || how === 'gone';
}
