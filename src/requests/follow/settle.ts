import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import { type Card, jobOf } from '../card/card.ts';
import { type Observation, observed } from '../card/observed.ts';
import { ended, stopped } from '../card/transitions.ts';
import { claimMs, type OpenCard } from '../thread/open-cards.ts';
import { openSaver, type Saved } from '../thread/saver.ts';
import { type ObservedJob, type ObserveOptions, observeAll } from './observe.ts';
import { openFollower } from './pull.ts';

const notFound = 'The service couldn’t find a job (404). The job may be too new.';

/** The result of settling one card. */
export interface Settled {
  readonly open: OpenCard;
  readonly card: Card;
  /** The pull request, if it was checked. */
  readonly pullRequest?: PullRequestState | undefined;
  /** `waiting`: only the pull request is still open. */
  readonly is: 'working' | 'waiting' | Saved;
}

export interface SettleOptions extends ObserveOptions {
  /** How long a job may run. */
  readonly sinceMs?: number;
  /** The names of the checks to read. */
  readonly checks: readonly string[];
}

/** Checks the jobs and pull requests of open cards, and edits their comments. Gives up on a job after `sinceMs`. */
export async function settle(
  all: readonly OpenCard[],
  { sinceMs = Number.POSITIVE_INFINITY, checks, ...options }: SettleOptions,
  deps: DepsWithGitHub,
) {
  const { clock, signal } = deps;
  const cards = all.filter(({ isOutdated }) => !isOutdated);
  const jobs = jobsOf(cards);
  const whyPostponed = new Set(await observeAll([...jobs.values()], options, deps));
  const saver = openSaver(whyPostponed, deps);
  const { follow, notes } = openFollower(checks, whyPostponed, deps);
  const settled: Settled[] = [];
  let isCanceled = false;
  try {
    for (const open of cards) {
      const job = open.card.state.is === 'ended' ? undefined : jobs.get(nameOfJob(open));
      const isTooOld = clock.now() - askedAtMs(open) >= (job === undefined ? claimMs : sinceMs);
      const after = afterCheck(open.card, job?.what, clock.now(), isTooOld);
      if (after === undefined && job?.what !== undefined) whyPostponed.add(notFound);
      const { card = open.card, answer } = after === undefined ? {} : await follow(after);
      const pullRequest = typeof answer === 'object' ? answer : undefined;
      const isUnknown = after === undefined || answer === 'unknown';
      const rest = open.card.state.is === 'ended' ? 'waiting' : 'working';
      const is = card !== open.card ? await saver.save(open, card) : isUnknown ? 'postponed' : rest;
      settled.push({ open, card, pullRequest, is });
    }
    for (const open of all) if (open.isOutdated) await saver.delete(open);
    saver.finish();
  } catch (error) {
    if (!signal.aborted) throw error;
    isCanceled = true;
  }
  return { settled, whyPostponed: [...whyPostponed], notes: notes(), isCanceled, saver };
}

/** A card after its job was checked; `undefined` if that failed. While the job runs, it stays the same unless it is too old. */
export function afterCheck(card: Card, what: Observation | undefined, nowMs: number, isTooOld = false) {
  if (card.state.is === 'ended') return card;
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  const after = what === undefined ? card : observed(card, what, nowMs);
  // One 404, or two in the first two minutes, say nothing about the job.
  if (typeof what !== 'object' && after === card) return undefined;
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

/** When the request was sent. For a claim, when it was posted. */
export function askedAtMs({ comment, card }: OpenCard): number {
  return card.askedAt ?? comment.createdAtMs;
}

/** The jobs to check, in the order of their cards. */
function jobsOf(cards: readonly OpenCard[]): Map<string, ObservedJob> {
  const jobs = new Map<string, ObservedJob>();
  for (const open of cards) {
    const jobId = open.card.state.is === 'ended' ? undefined : jobOf(open.card)?.id;
    if (jobId === undefined || jobs.has(nameOfJob(open))) continue;
    jobs.set(nameOfJob(open), { project: open.owner.project, jobId });
  }
  return jobs;
}

/** The key of a job. Job IDs may repeat across projects. */
function nameOfJob({ owner, card }: OpenCard): string {
  return `${owner.project.id}\n${jobOf(card)?.id}`;
}
