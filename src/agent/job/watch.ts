import type { Deps } from '../../deps.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { formatDuration } from '../../text/duration.ts';
import { code, oneLine } from '../../text/markdown.ts';
import type { JobState } from '../known.ts';
import { isDocumented, isTerminal } from './status.ts';

const shortestIntervalMs = 5_000;
const longestIntervalMs = 30_000;
const shareOfTimeWatched = 0.08;
const jitter = 0.1;
const longestStretchMs = 60_000;
/** A look right at the deadline still gets this long for its answer. */
const shortestRequestMs = 1_000;
const heartbeatMs = 60_000;
/** How long a fresh job may be unknown to the service. */
const unknownMs = 30_000;
/** How long a job may stand as it did before a message until it counts as its end; how long it takes is undocumented. */
export const takeUpMs = 120_000;
export const lateLinkLooks = 2;
export const lateLinkMs = 5_000;

/** What brought us to the job: it decides what to bear with at first. */
export type WatchStart =
  | { readonly kind: 'created'; readonly job: Job }
  /** `before` is the job as it stood before the message. */
  | { readonly kind: 'messaged'; readonly job: Job; readonly before: JobState }
  | { readonly kind: 'attached'; readonly job: Job };

export type WatchEnd =
  /** `unseen`: a message was sent, and the job was never seen to take it up. */
  | { readonly kind: 'terminal'; readonly job: Job; readonly unseen: boolean }
  /**
   * The deadline passed. `isSeen`: a look has shown the job, be it long ago; `lastError` is what kept the last look from it,
   * if anything did.
   */
  | {
      readonly kind: 'timed-out';
      readonly job: Job;
      readonly isSeen: boolean;
      readonly lastError: string | undefined;
    };

export interface WatchOptions {
  readonly start: WatchStart;
  /** How long to watch at most. */
  readonly timeoutMs: number;
  /** Called with every new state of the job. */
  readonly onChange?: (job: Job) => void;
  readonly random?: () => number;
}

/**
 * 8 % of the time watched, at least 5 s and at most 30 s, and up to a tenth longer: all in milliseconds. Never shorter, so
 * that chance cannot make a watch cost more than its share of requests.
 */
export function intervalMs(watchedMs: number, random: () => number): number {
  const steady = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, watchedMs * shareOfTimeWatched));
  return steady * (1 + jitter * random());
}

/**
 * Follows a job to a terminal status that can be believed, or to the deadline. Only the deadline ends an outage; 401, 403
 * and 404 end the watch at once, but for a 404 in the first 30 s of a created job.
 *
 * @throws ActionError for those three, and the signal's reason when the run is cancelled.
 */
export async function watch(options: WatchOptions, deps: WatchDeps): Promise<WatchEnd> {
  const { start, timeoutMs, onChange, random = Math.random } = options;
  const { runner, clock, signal } = deps;
  const began = clock.monotonic();
  const watchedMs = () => clock.monotonic() - began;
  const look = createLook(start, watchedMs, timeoutMs, deps);

  let job = start.job;
  let activeSeen = start.kind !== 'messaged' || !isTerminal(job.status);
  let linkLooks = 0;
  // Whoever attaches to a job has read it before.
  let isSeen = start.kind === 'attached';
  let outage: Outage | undefined;
  let toldAtMs = 0;
  warnOfUnknownStatus(undefined, job, runner);

  for (;;) {
    const unseen = start.kind === 'messaged' && !activeSeen && isAsBefore(start.before, job);
    const over = isTerminal(job.status) && (!unseen || watchedMs() >= takeUpMs);
    const linkMayCome = job.status === 'completed' && job.prLink === null && linkLooks < lateLinkLooks;
    const leftMs = timeoutMs - watchedMs();
    if (over && (!linkMayCome || leftMs <= 0)) return { kind: 'terminal', job, unseen };
    if (leftMs <= 0) return { kind: 'timed-out', job, isSeen, lastError: outage?.message };

    const usualMs = over ? lateLinkMs : intervalMs(watchedMs(), random);
    const waitMs = Math.min(leftMs, Math.max(usualMs, outage?.waitMs ?? 0));
    if (outage !== undefined) {
      runner.info(`${outage.message}. Looking again in ${formatDuration(waitMs)}.`);
      toldAtMs = watchedMs();
    }
    await clock.sleep(waitMs, signal);

    const seen = await look(outage);
    if (seen.kind === 'outage') {
      outage = seen;
      continue;
    }
    if (hasChanged(job, seen.job)) {
      runner.info(describeChange(job, seen.job, watchedMs()));
      warnOfUnknownStatus(job, seen.job, runner);
      onChange?.(seen.job);
      toldAtMs = watchedMs();
    } else if (watchedMs() - toldAtMs >= heartbeatMs) {
      const what = unseen ? 'The message is not taken up yet; still' : 'Still';
      runner.info(`${what} ${oneLine(seen.job.status)} after ${formatDuration(watchedMs())}.`);
      toldAtMs = watchedMs();
    }
    outage = undefined;
    isSeen = true;
    // Only a look that saw the job is one for its link.
    if (over) linkLooks += 1;
    activeSeen ||= !isTerminal(seen.job.status);
    job = seen.job;
  }
}

type WatchDeps = Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>;

interface Outage {
  readonly kind: 'outage';
  readonly message: string;
  readonly waitMs: number;
}

/** One look at the job: what it is now, or why that cannot be seen at the moment and how long to stay away. */
function createLook(
  start: WatchStart,
  watchedMs: () => number,
  timeoutMs: number,
  { service, signal }: WatchDeps,
) {
  return async (
    before: Outage | undefined,
  ): Promise<{ readonly kind: 'job'; readonly job: Job } | Outage> => {
    try {
      const budgetMs = Math.max(shortestRequestMs, timeoutMs - watchedMs());
      return {
        kind: 'job',
        job: await service.getJob(start.job.id, { signal, tries: 1, timeoutMs: budgetMs }),
      };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const notYetKnown =
        error.reason === 'not-found' && start.kind === 'created' && watchedMs() <= unknownMs;
      // A page put in front of a service for a while redirects as well; the key is not sent there.
      const passes = error.transient || error.reason === 'redirected' || notYetKnown;
      if (!passes) throw error;
      const doubledMs = Math.min(longestStretchMs, (before?.waitMs ?? shortestIntervalMs / 2) * 2);
      return { kind: 'outage', message: error.message, waitMs: Math.max(doubledMs, error.retryAfterMs ?? 0) };
    }
  };
}

/** How a job stands now. */
export function stateOf({ status, prLink }: Job): JobState {
  return { status, prLink };
}

/** Whether a job that has ended stands as it did before a message, so that its end may be the one from then. */
export function isAsBefore(before: JobState, now: Job): boolean {
  return isTerminal(now.status) && before.status === now.status && before.prLink === now.prLink;
}

/** Whether the service tells something else of the job than before. */
function hasChanged(before: Job, now: Job): boolean {
  return (
    before.status !== now.status ||
    before.prLink !== now.prLink ||
    (before.archivedAt ?? null) !== (now.archivedAt ?? null) ||
    isNew(before.model, now.model) ||
    isNew(before.source?.ref, now.source?.ref)
  );
}

/** A field that one answer leaves out and another does not tells nothing of the job. */
function isNew(before: string | null | undefined, now: string | null | undefined): boolean {
  return now != null && now !== before;
}

function describeChange(before: Job, now: Job, watchedForMs: number): string {
  const parts = [
    before.status !== now.status && `${before.status} → ${now.status}`,
    before.prLink !== now.prLink && `pull request ${now.prLink ?? 'withdrawn'}`,
    isNew(before.model, now.model) && `model ${now.model}`,
    isNew(before.source?.ref, now.source?.ref) && `branch ${now.source?.ref}`,
  ].filter((part) => part !== false);
  return `After ${formatDuration(watchedForMs)}: ${oneLine(parts.join(', ')) || 'archived'}.`;
}

function warnOfUnknownStatus(before: Job | undefined, now: Job, runner: WatchDeps['runner']): void {
  if (isDocumented(now.status) || before?.status === now.status) return;
  runner.warning(`The job has the status ${code(now.status)}, which this action does not know; watching on.`);
}
