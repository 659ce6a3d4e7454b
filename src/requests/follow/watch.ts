import { explain } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { formatDuration } from '../../text/duration.ts';
import { code, toOneLine } from '../../text/markdown.ts';
import { type Card, isTerminal, isTooEarly, jobOf, lacksLink } from '../card/card.ts';
import { observe, stopRun } from '../card/transitions.ts';
import { againMs, isNotFound, ObservedJob } from './observed-job.ts';

const minIntervalMs = 5_000;
const maxIntervalMs = 30_000;
const shareOfTimeWatched = 0.08;
const jitter = 0.1;
const maxStretchMs = 60_000;
/** A request sent right at the deadline gets at least this long for its response. */
const minRequestMs = 1_000;
const heartbeatMs = 60_000;

type WatchDeps = Pick<Deps, 'service' | 'runner' | 'clock'>;

interface WatchOptions {
  readonly timeoutMs: number;
  /** Saves each changed card. */
  readonly keep: (card: Card) => void;
  readonly random?: () => number;
}

/** Why the last checks of the job failed, and how long to wait before the next one. */
type Outage = { readonly error: ServiceError; readonly waitMs: number; readonly checks: number };

/**
 * The wait between checks: 8% of the time watched, from 5 s to 30 s. The random part only makes it
 * longer.
 */
export function intervalMs(watchedMs: number, random: () => number): number {
  const steady = Math.min(maxIntervalMs, Math.max(minIntervalMs, watchedMs * shareOfTimeWatched));
  return steady * (1 + jitter * random());
}

/**
 * Watches a job until it ends or the deadline passes. Temporary failures don't end the watch, but
 * 401 and 403 throw, and so does a redirect that lasts until the deadline.
 */
export async function watch(begun: Card, options: WatchOptions, deps: WatchDeps): Promise<Card> {
  const card = await watchJob(begun, options, deps);
  return { ...card, endedAt: card.endedAt ?? deps.clock.now() };
}

async function watchJob(begun: Card, options: WatchOptions, deps: WatchDeps): Promise<Card> {
  const { timeoutMs, random = Math.random } = options;
  const { runner, clock } = deps;
  const beganMs = clock.monotonic();
  const watchedMs = () => clock.monotonic() - beganMs;
  let loggedAtMs = 0;
  const log = (line: string) => {
    runner.info(line);
    loggedAtMs = watchedMs();
  };

  let card = begun;
  let job = jobOf(begun);
  if (job === undefined) return card;
  const observedJob = new ObservedJob(job.id, deps);
  observedJob.record(job);
  let outage: Outage | undefined;
  warnOfUnknownStatus(job, deps);

  for (;;) {
    const remainingMs = timeoutMs - watchedMs();
    const isOver = remainingMs <= 0;
    if (isOver) observedJob.finish();
    const now = observe(card, observedJob.sighting ?? 'unreadable', clock.now());
    // The caller keeps the end, together with its time.
    if (now.state.is === 'ended') return now;
    if (now !== card) options.keep(now);
    card = now;
    // Not a slow job, and no maintenance page: `base-url` is wrong.
    if (isOver && outage?.error.reason === 'redirected') throw outage.error;
    if (isOver) return stopAtDeadline(card, outage);

    const isLinkLate = lacksLink(job) && !isWaitingForTakeUp(card, clock.now());
    const usualMs = isLinkLate ? againMs : intervalMs(watchedMs(), random);
    const waitMs = Math.min(remainingMs, Math.max(usualMs, outage?.waitMs ?? 0));
    if (outage !== undefined)
      log(`${outage.error.message}. Checking again in ${formatDuration(waitMs)}.`);
    await clock.sleep(waitMs);

    const requestMs = Math.max(minRequestMs, timeoutMs - watchedMs());
    await observedJob.check({ tries: 1, timeoutMs: requestMs });
    outage = observedJob.error && outageOf(observedJob.error, outage);
    if (outage !== undefined || observedJob.job === undefined) continue;
    const before = job;
    job = observedJob.job;
    const changes = describeChanges(before, job);
    if (changes !== '') {
      log(`After ${formatDuration(watchedMs())}: ${changes}.`);
      if (job.status !== before.status) warnOfUnknownStatus(job, deps);
    } else if (watchedMs() - loggedAtMs >= heartbeatMs) {
      const isWaiting = isWaitingForTakeUp(card, clock.now());
      const still = isWaiting ? 'The agent hasn’t picked up the follow-up yet; still' : 'Still';
      log(`${still} ${toOneLine(job.status)} after ${formatDuration(watchedMs())}.`);
    }
  }
}

/**
 * Stops watching at the deadline. During an outage, the card says why the last checks failed. One
 * failed check is none: right before the deadline, it gets only a second.
 */
function stopAtDeadline(card: Card, outage: Outage | undefined): Card {
  const stop = { outcome: 'timed-out', reason: 'deadline' } as const;
  if (outage === undefined || outage.checks === 1) return stopRun(card, stop);
  const { reason: _, ...error } = explain(outage.error);
  return stopRun(card, { ...stop, error });
}

/** The outage that a failed check begins or continues. @throws the error if waiting doesn't help */
function outageOf(error: ServiceError, before: Outage | undefined): Outage {
  // A maintenance page may also redirect. We never send the key there.
  const mayPass = error.transient || error.reason === 'redirected' || isNotFound(error);
  if (!mayPass) throw error;
  const stretchMs =
    before === undefined ? minIntervalMs : Math.min(maxStretchMs, before.waitMs * 2);
  const checks = (before?.checks ?? 0) + 1;
  return { error, waitMs: Math.max(stretchMs, error.retryAfterMs ?? 0), checks };
}

/** Whether the job's status may still be from before the follow-up. */
function isWaitingForTakeUp({ state, askedAt }: Card, nowMs: number): boolean {
  return state.is === 'working' && state.before !== undefined && isTooEarly(askedAt, nowMs);
}

/** Describes what changed in the job; `''` if nothing did. */
function describeChanges(before: Job, now: Job): string {
  const changes: string[] = [];
  if (before.status !== now.status) changes.push(`${before.status} → ${now.status}`);
  if (before.prLink !== now.prLink) changes.push(`pull request ${now.prLink ?? 'withdrawn'}`);
  return toOneLine(changes.join(', '));
}

function warnOfUnknownStatus({ status }: Job, { runner }: WatchDeps): void {
  if (status === 'active' || isTerminal(status)) return;
  runner.warning(
    `The job has the status ${code(status)}, which this action doesn’t recognize; still watching.`,
  );
}
