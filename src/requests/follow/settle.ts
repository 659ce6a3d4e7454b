import type { DepsWithGitHub } from '../../deps.ts';
import { type Card, jobOf } from '../card/card.ts';
import type { PullSighting } from '../card/pull.ts';
import { addRemark, endRequest, observe, type Sighting, stopRun } from '../card/transitions.ts';
import { isAbandoned } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import { askedAtMs } from '../thread/requests.ts';
import { openSaver } from '../thread/saver.ts';
import { Writer } from '../thread/writer.ts';
import { type CheckOptions, checkJobs, type JobOfProject } from './check-jobs.ts';
import { ObservedJob } from './observed-job.ts';
import { openFollower, type Publishing, type Settled } from './pull.ts';
import { type Reminding, remind } from './remind.ts';
import { prepareReview } from './request-review.ts';

const notFound = 'The service couldn’t find a job. The job may be too new.';

interface SettleOptions extends Publishing, CheckOptions {
  /** How long a job may run. */
  readonly giveUpAfterMs?: number;
  /** When to post reminders, if at all. */
  readonly reminding?: Reminding | undefined;
  /** Comments to delete. */
  readonly leftovers?: readonly PostedCard[];
}

/**
 * Checks the jobs and pull requests of open cards, edits their comments, and posts reminders. Gives
 * up on a job after `giveUpAfterMs`.
 */
export async function settle(
  cards: readonly PostedCard[],
  options: SettleOptions,
  deps: DepsWithGitHub,
) {
  const jobs = jobsOf(cards, deps);
  const whyUnchecked = await checkJobs([...jobs.values()], options, deps);
  const { giveUpAfterMs = Number.POSITIVE_INFINITY, reminding } = options;
  // The writer and the follower add their reasons, in the order in which things happen.
  const whyPostponed = new Set(whyUnchecked);
  const writer = new Writer(whyPostponed, deps);
  const saver = openSaver(writer, deps);
  const follower = openFollower(options, whyPostponed, deps);

  /** Updates a card from what the service says about its job, then from its pull request. */
  async function settleCard(posted: PostedCard): Promise<Settled> {
    const sighting = jobs.get(nameOfJob(posted))?.job.sighting;
    const nowMs = deps.clock.now();
    const isTooOld = nowMs - askedAtMs(posted) >= giveUpAfterMs;
    const afterJob = updateFromJob(posted, sighting, isTooOld, nowMs);
    if (afterJob === 'postponed') {
      // Without a sighting, the failed check has already said why.
      if (sighting !== undefined) whyPostponed.add(notFound);
      return { posted, card: posted.card, is: 'postponed' };
    }
    const afterPull = await follower.follow(afterJob);
    const { pull } = afterPull;
    const review = prepareReview(afterPull, writer, deps);
    if (review === 'postponed') return { posted, card: afterPull.card, pull, is: 'postponed' };
    const { card, request } = review;
    const hasNews = card !== posted.card;
    if (!hasNews) return { posted, card, pull, is: nameProgress(card, pull) };
    // Saved first, without the reviewer: otherwise, every run would request the review again.
    const saved = await saver.save(posted, card, isTooOld);
    if (saved !== 'saved' || request === undefined) return { posted, card, pull, is: saved };
    const afterReview = addRemark(card, 'fold', await request());
    if (afterReview === card) return { posted, card, pull, is: saved };
    const savedAgain = await saver.save({ ...posted, card }, afterReview);
    return { posted, card: afterReview, pull, is: savedAgain };
  }

  const settled: Settled[] = [];
  for (const posted of cards) settled.push(await settleCard(posted));
  for (const posted of options.leftovers ?? []) await saver.delete(posted);
  saver.throwIfRefused();
  let reminded = { settled, reminders: 0 };
  if (reminding !== undefined) reminded = await remind(settled, reminding, saver, writer, deps);
  return { ...reminded, whyPostponed: [...whyPostponed], notes: follower.problems() };
}

/** Updates a card from its job. While the job runs, the card stays the same unless it's too old. */
function updateFromJob(
  posted: PostedCard,
  sighting: Sighting | undefined,
  isTooOld: boolean,
  nowMs: number,
): Card | 'postponed' {
  const { card } = posted;
  if (card.state.is === 'ended') return card;
  if (jobOf(card) === undefined) return isAbandoned(posted, nowMs) ? endClaim(card) : card;
  const afterJob = observe(card, sighting ?? 'unreadable', nowMs);
  // One 404, or two in the first two minutes, say nothing about the job.
  const isUnknown = typeof sighting !== 'object' && afterJob === card;
  if (isUnknown) return 'postponed';
  if (afterJob.state.is === 'ended') return afterJob;
  if (!isTooOld) return card;
  return stopRun(afterJob, { outcome: 'timed-out', reason: 'given-up' });
}

/** Ends a request whose process was lost before it knew of a job. */
function endClaim(card: Card): Card {
  if (card.state.is === 'claimed')
    return stopRun(card, { outcome: 'failed', reason: 'interrupted' });
  return endRequest(card, 'unconfirmed');
}

/** What a request without news is waiting for. */
function nameProgress(card: Card, pull: PullSighting | undefined): Settled['is'] {
  if (pull === 'unknown') return 'postponed';
  return card.state.is === 'ended' ? 'waiting' : 'working';
}

/** The jobs of cards that haven't ended, each once. */
function jobsOf(cards: readonly PostedCard[], deps: DepsWithGitHub): Map<string, JobOfProject> {
  const jobs = new Map<string, JobOfProject>();
  for (const posted of cards) {
    const { card } = posted;
    const jobId = jobOf(card)?.id;
    const name = nameOfJob(posted);
    if (jobId === undefined || card.state.is === 'ended' || jobs.has(name)) continue;
    const { project } = posted.owner;
    const service = deps.service.forProject(project.id);
    const job = new ObservedJob(jobId, { service, clock: deps.clock });
    jobs.set(name, { card, project, job });
  }
  return jobs;
}

/** Names the job of a card; `''` for none. */
function nameOfJob({ owner, card }: PostedCard): string {
  const job = jobOf(card);
  return job === undefined ? '' : `${owner.project.id}\n${job.id}`;
}
