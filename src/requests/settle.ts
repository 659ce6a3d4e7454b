import type { DepsWithGitHub } from '../deps.ts';
import type { PullRequestState } from '../github/changes.ts';
import { type Card, jobOf } from './card.ts';
import { openFollower } from './follow.ts';
import { afterLook, byTurn, claimMs, type Left } from './left.ts';
import { type LookOptions, lookAtAll, type Target } from './looks.ts';
import { openSaver, type Saved } from './saver.ts';

/** The result of settling one card. */
export interface Settled {
  readonly open: Left;
  readonly card: Card;
  /** The pull request, if it was checked. */
  readonly look?: PullRequestState | undefined;
  /** `waiting`: only the pull request is still open. `changed`: someone edited the comment. `left`: the next run has to do it. */
  readonly is: 'at work' | 'waiting' | Saved;
}

/** Checks the jobs and pull requests of cards that no run is watching, and edits their comments. Gives up after `sinceMs`. */
export async function settle(
  left: readonly Left[],
  { sinceMs = Number.POSITIVE_INFINITY, ...options }: LookOptions & { readonly sinceMs?: number },
  deps: DepsWithGitHub,
) {
  const { clock, signal } = deps;
  const open = left.filter(({ isOutdated }) => !isOutdated);
  const jobs = jobsOf(open);
  const whyLeft = new Set(await lookAtAll([...jobs.values()], options, deps));
  const saver = openSaver(whyLeft, deps);
  const follow = openFollower(whyLeft, deps);
  const settled: Settled[] = [];
  let isCanceled = false;
  try {
    for (const one of open) {
      // The job has ended, so only its pull request is checked.
      const isOver = one.card.state.is === 'ended';
      const job = isOver ? undefined : jobs.get(nameOfJob(one));
      const isTooOld = clock.now() - askedAtMs(one) >= (job === undefined ? claimMs : sinceMs);
      const now = isOver ? one.card : afterLook(one.card, job?.look, clock.now(), isTooOld);
      const { card = one.card, seen } = now === undefined ? {} : await follow(now);
      const look = typeof seen === 'object' ? seen : undefined;
      if (card !== one.card) settled.push({ open: one, card, look, is: await saver.save(one, card) });
      else if (now === undefined || seen === 'unknown') settled.push({ open: one, card, is: 'left' });
      else settled.push({ open: one, card, look, is: isOver ? 'waiting' : 'at work' });
      // There are more jobs than requests, so the next run checks this job after the others.
      if (jobs.size > options.requests && job !== undefined && now === one.card)
        await saver.save(one, { ...card, checkedAt: clock.now() });
    }
    for (const one of left) if (one.isOutdated) await saver.delete(one);
  } catch (error) {
    if (!signal.aborted) throw error;
    isCanceled = true;
  }
  return { settled, whyLeft: [...whyLeft], isCanceled, saver };
}

/** When the request was sent. For a claim, when it was posted. */
export function askedAtMs({ comment, card }: Left): number {
  return card.askedAt ?? comment.createdAtMs;
}

/** The jobs to check, in the order of their cards. */
function jobsOf(open: readonly Left[]): Map<string, Target> {
  const jobs = new Map<string, Target>();
  for (const one of open.toSorted(byTurn)) {
    const jobId = one.card.state.is === 'ended' ? undefined : jobOf(one.card)?.id;
    if (jobId === undefined || jobs.has(nameOfJob(one))) continue;
    jobs.set(nameOfJob(one), { project: one.project, jobId });
  }
  return jobs;
}

/** The key of a job. Job IDs may repeat across projects. */
function nameOfJob({ project, card }: Left): string {
  return `${project.id}\n${jobOf(card)?.id}`;
}
