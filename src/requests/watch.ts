import type { Deps } from '../deps.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { formatDuration } from '../text/duration.ts';
import { code, oneLine, shortCode } from '../text/markdown.ts';
import { type Card, jobOf } from './card.ts';
import { isDocumented, isTooEarly, lacksLink, lateLinkLooks, lateLinkMs } from './job.ts';
import { looked, noted, stopped } from './transitions.ts';

const shortestIntervalMs = 5_000;
const longestIntervalMs = 30_000;
const shareOfTimeWatched = 0.08;
const jitter = 0.1;
const longestStretchMs = 60_000;
/** A request right at the deadline still gets this long for its response. */
const shortestRequestMs = 1_000;
const heartbeatMs = 60_000;
/** How long the service may respond 404 for a new job. */
const unknownMs = 30_000;

type WatchDeps = Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>;

export interface WatchOptions {
  /** How long to watch at most. */
  readonly timeoutMs: number;
  /** Whether this process just created the job, so that the service may not find it for a moment. */
  readonly isFresh: boolean;
  /** Whether this run has seen the job before. */
  readonly isChecked: boolean;
  /** Called with every change of the card, which it returns. */
  readonly keep: (card: Card) => Card;
  readonly random?: () => number;
}

/** Why we can't see the job at the moment. */
interface Outage {
  readonly message: string;
  readonly waitMs: number;
}

/**
 * 8% of the time watched, at least 5 s and at most 30 s, and up to a tenth longer. The jitter never makes it shorter, so that it
 * can't cost more requests.
 */
export function intervalMs(watchedMs: number, random: () => number): number {
  const steady = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, watchedMs * shareOfTimeWatched));
  return steady * (1 + jitter * random());
}

/**
 * Follows the card's job until a trustworthy end or the deadline, and returns the final card. Only the deadline ends an outage;
 * 401, 403 and 404 end the watch at once, except a 404 in the first 30 s of a new job.
 *
 * @throws ActionError for those three, and the signal's reason when the run is canceled.
 */
export async function watch(begun: Card, options: WatchOptions, deps: WatchDeps): Promise<Card> {
  const { timeoutMs, keep, random = Math.random } = options;
  const { runner, clock, signal } = deps;
  const began = clock.monotonic();
  const watchedMs = () => clock.monotonic() - began;
  const timed = (one: Card): Card => ({ ...one, endedAt: one.endedAt ?? clock.now() });

  let card = begun;
  let job = jobOf(begun);
  let linkLooks = 0;
  let { isChecked } = options;
  let outage: Outage | undefined;
  let loggedAtMs = 0;
  warnOfUnknownStatus(undefined, job, deps);

  for (;;) {
    if (job === undefined) return timed(card);
    const leftMs = timeoutMs - watchedMs();
    const isLinkFinal = linkLooks >= lateLinkLooks || leftMs <= 0;
    const now = looked(card, job, { nowMs: clock.now(), isLinkFinal });
    if (now !== card) card = keep(now);
    if (card.state.is === 'ended') return timed(card);
    if (leftMs <= 0) return timed(timedOut(card, outage, isChecked));

    const isLinkLate = lacksLink(job) && !isWaitingForTakeUp(card, clock.now());
    const usualMs = isLinkLate ? lateLinkMs : intervalMs(watchedMs(), random);
    const waitMs = Math.min(leftMs, Math.max(usualMs, outage?.waitMs ?? 0));
    if (outage !== undefined) {
      runner.info(`${outage.message}. Checking again in ${formatDuration(waitMs)}.`);
      loggedAtMs = watchedMs();
    }
    await clock.sleep(waitMs, signal);

    const seen = await look(job.id, outage, { ...options, watchedMs: watchedMs() }, deps);
    if ('waitMs' in seen) {
      outage = seen;
      continue;
    }
    const news = changes(job, seen);
    if (news !== '') {
      runner.info(`After ${formatDuration(watchedMs())}: ${news}.`);
      warnOfUnknownStatus(job, seen, deps);
      loggedAtMs = watchedMs();
    } else if (watchedMs() - loggedAtMs >= heartbeatMs) {
      const what = isWaitingForTakeUp(card, clock.now())
        ? 'The agent hasn’t picked up the message yet; still'
        : 'Still';
      runner.info(`${what} ${oneLine(seen.status)} after ${formatDuration(watchedMs())}.`);
      loggedAtMs = watchedMs();
    }
    outage = undefined;
    isChecked = true;
    // Failed checks don't count.
    if (isLinkLate) linkLooks += 1;
    job = seen;
  }
}

/** The deadline passed, and the job keeps running. */
function timedOut(card: Card, outage: Outage | undefined, isChecked: boolean): Card {
  const note = outage && `The last check of the job failed: ${shortCode(outage.message)}`;
  const reason = isChecked ? 'deadline' : 'never-seen';
  return stopped(noted(card, note), { outcome: 'timed-out', reason });
}

/** Checks the job once: returns it, or why we can't see it at the moment and how long to wait. */
async function look(
  jobId: string,
  before: Outage | undefined,
  { isFresh, timeoutMs, watchedMs }: WatchOptions & { readonly watchedMs: number },
  { service, signal }: WatchDeps,
): Promise<Job | Outage> {
  try {
    const budgetMs = Math.max(shortestRequestMs, timeoutMs - watchedMs);
    return await service.getJob(jobId, { signal, tries: 1, timeoutMs: budgetMs });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const notYetKnown = error.reason === 'not-found' && isFresh && watchedMs <= unknownMs;
    // A maintenance page may redirect too; the key isn't sent there.
    const passes = error.transient || error.reason === 'redirected' || notYetKnown;
    if (!passes) throw error;
    const doubledMs = Math.min(longestStretchMs, (before?.waitMs ?? shortestIntervalMs / 2) * 2);
    return { message: error.message, waitMs: Math.max(doubledMs, error.retryAfterMs ?? 0) };
  }
}

/** Whether the job's status may still predate a message. */
function isWaitingForTakeUp({ state, askedAt }: Card, nowMs: number): boolean {
  return state.is === 'working' && state.before !== undefined && isTooEarly(askedAt, nowMs);
}

/** What is new about the job, in words; `''` if nothing is. A field that a response omits isn't news. */
function changes(before: Job, now: Job): string {
  const isNew = (was: string | null | undefined, is: string | null | undefined) => is != null && is !== was;
  const parts = [
    before.status !== now.status && `${before.status} → ${now.status}`,
    before.prLink !== now.prLink && `pull request ${now.prLink ?? 'withdrawn'}`,
    isNew(before.model, now.model) && `model ${now.model}`,
    isNew(before.source?.ref, now.source?.ref) && `branch ${now.source?.ref}`,
  ];
  return oneLine(parts.filter((part) => part !== false).join(', '));
}

function warnOfUnknownStatus(before: Job | undefined, now: Job | undefined, { runner }: WatchDeps): void {
  if (now === undefined || isDocumented(now.status) || before?.status === now.status) return;
  runner.warning(
    `The job has the status ${code(now.status)}, which this action doesn’t recognize; still watching.`,
  );
}
