import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, jobOf } from './card.ts';
import { afterLook, byTurn, claimMs, type Left } from './left.ts';
import { type LookOptions, lookAtAll, type Target } from './looks.ts';
import { openSaver, type Saved } from './saver.ts';

export interface SettleOptions extends LookOptions {
  /** A job that was looked at just now. */
  readonly known?: Job | undefined;
  /** How long a job is looked for after it was asked, in milliseconds; forever if absent. */
  readonly sinceMs?: number;
}

/** What became of an open card. */
export interface Settled {
  readonly open: Left;
  /** The card as it is now. */
  readonly card: Card;
  /** `changed`: somebody else has written there meanwhile. `left`: for the next run. */
  readonly is: 'at work' | Saved;
}

/**
 * Brings what was left to its end, as far as possible: looks at all the jobs, and then writes what has ended.
 *
 * @returns what became of each card, why some are left, and whether the run was cancelled while it wrote.
 */
export async function settle(
  left: readonly Left[],
  { known, sinceMs = Number.POSITIVE_INFINITY, ...options }: SettleOptions,
  deps: Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'> & { readonly github: GitHub },
) {
  const { github, clock, signal } = deps;
  const open = left.filter(({ isOutdated }) => !isOutdated);
  const jobs = jobsOf(open, known);
  const whyLeft = new Set(await lookAtAll([...jobs.values()], options, deps));
  const saver = openSaver(github, whyLeft, deps);
  const settled: Settled[] = [];
  let isCut = false;
  try {
    for (const one of open) {
      const job = jobs.get(nameOfJob(one));
      const isTooOld = clock.now() - askedAtMs(one) >= (job === undefined ? claimMs : sinceMs);
      const card = afterLook(one.card, job?.look, clock.now(), isTooOld);
      if (card === undefined) settled.push({ open: one, card: one.card, is: 'left' });
      else if (card !== one.card) settled.push({ open: one, card, is: await saver.save(one, card) });
      else settled.push({ open: one, card, is: 'at work' });
      // What was looked at in vain is last next time, since there are more jobs than requests.
      if (jobs.size > options.requests && job !== undefined && card === one.card)
        await saver.save(one, { ...card, checkedAt: clock.now() });
    }
    for (const one of left) if (one.isOutdated) await saver.delete(one);
  } catch (error) {
    if (!signal.aborted) throw error;
    isCut = true;
  }
  return { settled, whyLeft: [...whyLeft], isCut };
}

/** When the agent was asked; of a claim when it was written. */
export function askedAtMs({ comment, card }: Left): number {
  return card.askedAt ?? comment.createdAtMs;
}

/** Each job once, by its name, in the turn of the first of its cards. */
function jobsOf(open: readonly Left[], known: Job | undefined): Map<string, Target> {
  const jobs = new Map<string, Target>();
  for (const one of open.toSorted(byTurn)) {
    const jobId = jobOf(one.card)?.id;
    if (jobId === undefined || jobs.has(nameOfJob(one))) continue;
    jobs.set(nameOfJob(one), { project: one.project, jobId, look: jobId === known?.id ? known : undefined });
  }
  return jobs;
}

/** Two projects may have jobs of one id. */
function nameOfJob({ project, card }: Left): string {
  return `${project.id}\n${jobOf(card)?.id}`;
}
