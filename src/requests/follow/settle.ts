import type { DepsWithGitHub } from '../../deps.ts';
import { type Card, jobOf } from '../card/card.ts';
import { addRemark, endRequest, observe, type Sighting, stopRun } from '../card/transitions.ts';
import type { PostedCard } from '../thread/find.ts';
import { askedAtMs, claimMs, type OpenCards } from '../thread/requests.ts';
import { openSaver } from '../thread/saver.ts';
import { Writer } from '../thread/writer.ts';
import { type JobOfProject, type ObserveOptions, observeJobs } from './observe-jobs.ts';
import { ObservedJob } from './observed-job.ts';
import { openFollower, type Publishing } from './pull.ts';
import { type Reminding, remind } from './remind.ts';
import { prepareReview } from './request-review.ts';
import type { Settled } from './settled.ts';

const notFound = 'The service couldn’t find a job. The job may be too new.';

interface SettleOptions extends Publishing, ObserveOptions {
  /** How long a job may run. */
  readonly sinceMs?: number;
  /** When to post reminders, if at all. */
  readonly reminding?: Reminding | undefined;
}

/**
 * Checks the jobs and pull requests of open cards, edits their comments, and posts reminders. Gives
 * up on a job after `sinceMs`.
 */
export async function settle(cards: OpenCards, options: SettleOptions, deps: DepsWithGitHub) {
  const { sinceMs = Number.POSITIVE_INFINITY, reminding } = options;
  const jobs = jobsOf(cards.unwatched, deps);
  const whyPostponed = new Set(await observeJobs([...jobs.values()], options, deps));
  const writer = new Writer(whyPostponed, deps);
  const saver = openSaver(writer, deps);
  const follower = openFollower(options, whyPostponed, deps);

  /** Updates a card from what the service says about its job, then from its pull request. */
  async function settleCard(open: PostedCard): Promise<Settled> {
    const observation = jobs.get(nameOfJob(open))?.job.observation;
    const nowMs = deps.clock.now();
    const ageMs = nowMs - askedAtMs(open);
    const maxAgeMs = jobOf(open.card) === undefined ? claimMs : sinceMs;
    const checked = updateFromJob(open.card, observation, nowMs, ageMs >= maxAgeMs);
    if (checked === undefined) {
      if (observation !== undefined) whyPostponed.add(notFound);
      return { open, card: open.card, is: 'postponed' };
    }
    const followed = await follower.follow(checked);
    const { pull } = followed;
    const review = prepareReview(followed, writer, deps);
    if (review === undefined) return { open, card: followed.card, pull, is: 'postponed' };
    const { card, request } = review;
    if (card === open.card) {
      if (pull === 'unknown') return { open, card, pull, is: 'postponed' };
      return { open, card, pull, is: card.state.is === 'ended' ? 'waiting' : 'working' };
    }
    const is = await saver.save(open, card, ageMs >= sinceMs);
    if (is !== 'saved' || request === undefined) return { open, card, pull, is };
    const after = addRemark(card, 'fold', await request());
    if (after === card) return { open, card, pull, is };
    return { open, card: after, pull, is: await saver.save({ ...open, card }, after) };
  }

  const settled: Settled[] = [];
  let isCanceled = false;
  try {
    for (const open of cards.unwatched) settled.push(await settleCard(open));
    for (const posted of cards.obsolete) await saver.delete(posted);
    saver.finish();
  } catch (error) {
    if (!deps.signal.aborted) throw error;
    isCanceled = true;
  }
  let reminded = { settled, reminders: 0 };
  if (reminding !== undefined && !isCanceled)
    reminded = await remind(settled, reminding, saver, writer, deps);
  const notes = follower.problems();
  return { ...reminded, whyPostponed: [...whyPostponed], notes, isCanceled };
}

/**
 * A card after its job was checked; `undefined` if that failed. While the job runs, it stays the
 * same unless it is too old.
 */
function updateFromJob(
  card: Card,
  observation: Sighting | undefined,
  nowMs: number,
  isTooOld: boolean,
): Card | undefined {
  if (card.state.is === 'ended') return card;
  if (jobOf(card) === undefined) return isTooOld ? endRequest(card, 'unconfirmed') : card;
  const after = observe(card, observation ?? 'unreadable', nowMs);
  // One 404, or two in the first two minutes, say nothing about the job.
  if (typeof observation !== 'object' && after === card) return undefined;
  if (after.state.is === 'ended') return after;
  if (!isTooOld) return card;
  return stopRun(after, { outcome: 'timed-out', reason: 'given-up' });
}

/** The jobs of cards that haven't ended, each once. */
function jobsOf(cards: readonly PostedCard[], deps: DepsWithGitHub): Map<string, JobOfProject> {
  const jobs = new Map<string, JobOfProject>();
  for (const posted of cards) {
    const { card } = posted;
    const jobId = jobOf(card)?.id;
    if (jobId === undefined || card.state.is === 'ended') continue;
    const { project } = posted.owner;
    const service = deps.service.forProject(project.id);
    const job = new ObservedJob(jobId, { service, clock: deps.clock });
    jobs.set(nameOfJob(posted), { project, job });
  }
  return jobs;
}

function nameOfJob({ owner, card }: PostedCard): string {
  return `${owner.project.id}\n${jobOf(card)?.id}`;
}
