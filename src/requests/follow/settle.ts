import type { DepsWithGitHub } from '../../deps.ts';
import { type Card, jobOf } from '../card/card.ts';
import { ended, type Observation, observed, stopped } from '../card/transitions.ts';
import { claimMs, type OpenCards } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import { openSaver, type Saver } from '../thread/store.ts';
import { Writer } from '../thread/writer.ts';
import { type JobOfProject, type ObserveOptions, observeJobs } from './observe-jobs.ts';
import { ObservedJob } from './observed-job.ts';
import { type Publishing, PullFollower } from './pull.ts';
import { Reminder, type Reminding } from './remind.ts';
import { requestReview } from './request-review.ts';
import { askedAtMs, type Settled } from './settled.ts';

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
  const jobs = jobsOf(cards.unwatched, deps);
  const whyPostponed = new Set(await observeJobs([...jobs.values()], options, deps));
  const settler = new Settler(options, whyPostponed, deps);
  let settled: Settled[] = [];
  let isCanceled = false;
  try {
    for (const open of cards.unwatched) {
      const observation = jobs.get(nameOfJob(open))?.job.observation;
      settled.push(await settler.settle(open, observation));
    }
    for (const posted of cards.obsolete) await settler.saver.delete(posted);
    settler.saver.finish();
  } catch (error) {
    if (!deps.signal.aborted) throw error;
    isCanceled = true;
  }
  let reminders = 0;
  if (options.reminding !== undefined && !isCanceled) {
    const reminder = new Reminder(options.reminding, settler.saver, settler.writer, deps);
    settled = await reminder.remindOf(settled);
    reminders = reminder.posted;
  }
  const notes = settler.follower.problems();
  return { settled, whyPostponed: [...whyPostponed], notes, reminders, isCanceled };
}

/** Brings one card after another up to date. */
class Settler {
  readonly writer: Writer;
  readonly saver: Saver;
  readonly follower: PullFollower;
  readonly #sinceMs: number;
  readonly #whyPostponed: Set<string>;
  readonly #deps: DepsWithGitHub;

  constructor(options: SettleOptions, whyPostponed: Set<string>, deps: DepsWithGitHub) {
    this.writer = new Writer(whyPostponed, deps);
    this.saver = openSaver(this.writer, deps);
    this.follower = new PullFollower(options, whyPostponed, deps);
    this.#sinceMs = options.sinceMs ?? Number.POSITIVE_INFINITY;
    this.#whyPostponed = whyPostponed;
    this.#deps = deps;
  }

  /** Updates a card from what the service says about its job, then from its pull request. */
  async settle(open: PostedCard, observation: Observation | undefined): Promise<Settled> {
    const nowMs = this.#deps.clock.now();
    const ageMs = nowMs - askedAtMs(open);
    const maxAgeMs = jobOf(open.card) === undefined ? claimMs : this.#sinceMs;
    const checked = updateFromJob(open.card, observation, nowMs, ageMs >= maxAgeMs);
    if (checked === undefined) {
      if (observation !== undefined) this.#whyPostponed.add(notFound);
      return { open, card: open.card, is: 'postponed' };
    }
    const followed = await this.follower.follow(checked);
    const pullRequest = typeof followed.pull === 'object' ? followed.pull : undefined;
    const asked = await requestReview(followed.card, followed.pull, this.writer, this.#deps);
    const card = asked ?? followed.card;
    if (asked === undefined) return { open, card, pullRequest, is: 'postponed' };
    if (card !== open.card) {
      const saved = await this.saver.save(open, card, ageMs >= this.#sinceMs);
      return { open, card, pullRequest, is: saved };
    }
    if (followed.pull === 'unknown') return { open, card, is: 'postponed' };
    return { open, card, pullRequest, is: card.state.is === 'ended' ? 'waiting' : 'working' };
  }
}

/**
 * A card after its job was checked; `undefined` if that failed. While the job runs, it stays the
 * same unless it is too old.
 */
function updateFromJob(
  card: Card,
  observation: Observation | undefined,
  nowMs: number,
  isTooOld: boolean,
): Card | undefined {
  if (card.state.is === 'ended') return card;
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  const after = observed(card, observation ?? 'unreadable', nowMs);
  // One 404, or two in the first two minutes, say nothing about the job.
  if (typeof observation !== 'object' && after === card) return undefined;
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

/** The jobs of cards that haven't ended, each once. */
function jobsOf(cards: readonly PostedCard[], deps: DepsWithGitHub): Map<string, JobOfProject> {
  const jobs = new Map<string, JobOfProject>();
  for (const posted of cards) {
    const jobId = posted.card.state.is === 'ended' ? undefined : jobOf(posted.card)?.id;
    if (jobId === undefined) continue;
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
