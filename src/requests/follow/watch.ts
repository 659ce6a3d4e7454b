import type { Clock } from '../../core/clock.ts';
import { explain } from '../../core/errors.ts';
import type { Deps, DepsToRead } from '../../deps.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { formatDuration } from '../../text/duration.ts';
import { code, oneLine } from '../../text/markdown.ts';
import { type Card, isTerminal, isTooEarly, jobOf, lacksLink } from '../card/card.ts';
import { observe, type Sighting, stopped } from '../card/transitions.ts';

/** How long to wait before a job that may be about to change, or that may be missing, is checked again. */
export const againMs = 5_000;
/** A completed job may get its link a little later, so it is checked two more times. */
const linklessChecks = 3;
const minIntervalMs = 5_000;
const maxIntervalMs = 30_000;
const shareOfTimeWatched = 0.08;
const jitter = 0.1;
const maxStretchMs = 60_000;
/** A request sent right at the deadline gets at least this long for its response. */
const minRequestMs = 1_000;
const heartbeatMs = 60_000;

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/** A job, and what the service last said about it. A single 404 may be a glitch, and a link may come late. */
export class ObservedJob {
  readonly id: string;
  readonly #service: Pick<DepsToRead['service'], 'getJob'>;
  readonly #clock: Pick<Clock, 'now'>;
  #missingSinceMs: number | undefined;
  #linkless = 0;
  /** Absent before the first response. */
  what: Sighting | undefined;
  /** Why the last look failed. If it isn't a 404, `what` is the result of an earlier one. */
  error: ServiceError | undefined;

  constructor(id: string, { service, clock }: Pick<DepsToRead, 'service' | 'clock'>) {
    this.id = id;
    this.#service = service;
    this.#clock = clock;
  }

  /** The job as the service last had it. */
  get seen(): Job | undefined {
    return typeof this.what === 'object' ? this.what.job : undefined;
  }

  get mayGetLink(): boolean {
    return typeof this.what === 'object' && !this.what.isLinkFinal && lacksLink(this.what.job);
  }

  answered(job: Job): void {
    this.#missingSinceMs = undefined;
    this.#linkless = lacksLink(job) ? this.#linkless + 1 : 0;
    this.what = { job, isLinkFinal: this.#linkless >= linklessChecks };
  }

  /** Asks the service. @throws any error that isn't a ServiceError, such as the signal's reason */
  async look(options: CallOptions): Promise<void> {
    this.error = undefined;
    try {
      this.answered(await this.#service.getJob(this.id, options));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.error = error;
      if (!isNotFound(error)) return;
      const nowMs = this.#clock.now();
      this.#missingSinceMs ??= nowMs;
      this.what = nowMs - this.#missingSinceMs >= againMs ? 'missing' : 'unreadable';
    }
  }
}

/** Reads a job patiently; `awaitsLink`: also waits for its link. @throws ServiceError, `not-found` only if the job is gone. */
export async function readJob(
  jobId: string,
  askedAt: number | undefined,
  deps: DepsToRead,
  given: { readonly awaitsLink?: boolean; readonly tries?: number } = {},
) {
  const { awaitsLink = false, ...options } = given;
  const { clock } = deps;
  const observed = new ObservedJob(jobId, deps);
  for (;;) {
    await observed.look(options);
    const { what, seen, error } = observed;
    if (error !== undefined && !isNotFound(error)) throw error;
    if (seen !== undefined && !(awaitsLink && observed.mayGetLink)) return seen;
    if (what === 'missing' && !isTooEarly(askedAt, clock.now())) throw error;
    await clock.sleep(againMs);
  }
}

/** Like `readJob`, but `undefined` if the job is gone. */
export async function findJob(...given: Parameters<typeof readJob>): Promise<Job | undefined> {
  return readJob(...given).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

type WatchDeps = Pick<Deps, 'service' | 'runner' | 'clock'>;

interface WatchOptions {
  readonly timeoutMs: number;
  /** Whether this run has already seen the job's status. */
  readonly isChecked: boolean;
  /** Saves each changed card. */
  readonly keep: (card: Card) => void;
  readonly random?: () => number;
}

/** Why the last check of the job failed, and how long to wait before the next one. */
type Outage = { readonly error: ServiceError; readonly waitMs: number };

/** The wait between checks: 8% of the time watched, from 5 s to 30 s. The random part only makes it longer. */
export function intervalMs(watchedMs: number, random: () => number): number {
  const steady = Math.min(maxIntervalMs, Math.max(minIntervalMs, watchedMs * shareOfTimeWatched));
  return steady * (1 + jitter * random());
}

/** Watches a job until it ends or the deadline passes. Temporary failures don't end the watch, but 401 and 403 throw. */
export async function watch(begun: Card, options: WatchOptions, deps: WatchDeps): Promise<Card> {
  const { timeoutMs, keep, random = Math.random } = options;
  const { runner, clock } = deps;
  const began = clock.monotonic();
  const watchedMs = () => clock.monotonic() - began;
  const timed = (ended: Card): Card => ({ ...ended, endedAt: ended.endedAt ?? clock.now() });

  let card = begun;
  let job = jobOf(begun);
  if (job === undefined) return timed(card);
  const look = new ObservedJob(job.id, deps);
  look.answered(job);
  let { isChecked } = options;
  let outage: Outage | undefined;
  let loggedAtMs = 0;
  warnOfUnknownStatus(job, deps);

  for (;;) {
    const remainingMs = timeoutMs - watchedMs();
    const isOver = remainingMs <= 0;
    const { what = 'unreadable' } = look;
    // At the deadline, a link that is still missing counts as final.
    const last = isOver && typeof what === 'object' ? { ...what, isLinkFinal: true } : what;
    const now = observe(card, last, clock.now());
    // The caller keeps the end, together with its time.
    if (now.state.is === 'ended') return timed(now);
    if (now !== card) keep(now);
    card = now;
    if (isOver) {
      const { reason: _, ...error } = explain(outage?.error);
      const reason = isChecked ? 'deadline' : 'never-seen';
      return timed(stopped(card, { outcome: 'timed-out', reason, ...(outage && { error }) }));
    }

    const isLinkLate = lacksLink(job) && !isWaitingForTakeUp(card, clock.now());
    const usualMs = isLinkLate ? againMs : intervalMs(watchedMs(), random);
    const waitMs = Math.min(remainingMs, Math.max(usualMs, outage?.waitMs ?? 0));
    if (outage !== undefined) {
      runner.info(`${outage.error.message}. Checking again in ${formatDuration(waitMs)}.`);
      loggedAtMs = watchedMs();
    }
    await clock.sleep(waitMs);

    await look.look({
      tries: 1,
      timeoutMs: Math.max(minRequestMs, timeoutMs - watchedMs()),
    });
    outage = look.error && outageOf(look.error, outage);
    if (outage !== undefined || look.seen === undefined) continue;
    isChecked = true;
    const before = job;
    job = look.seen;
    const news = changes(before, job);
    if (news !== '') {
      runner.info(`After ${formatDuration(watchedMs())}: ${news}.`);
      if (job.status !== before.status) warnOfUnknownStatus(job, deps);
      loggedAtMs = watchedMs();
    } else if (watchedMs() - loggedAtMs >= heartbeatMs) {
      const still = isWaitingForTakeUp(card, clock.now())
        ? 'The agent hasn’t picked up the follow-up yet; still'
        : 'Still';
      runner.info(`${still} ${oneLine(job.status)} after ${formatDuration(watchedMs())}.`);
      loggedAtMs = watchedMs();
    }
  }
}

/** The outage that a failed check begins or continues. @throws the error if waiting doesn't help. */
function outageOf(error: ServiceError, before: Outage | undefined): Outage {
  // A maintenance page may also redirect. We never send the key there.
  const passes = error.transient || error.reason === 'redirected' || isNotFound(error);
  if (!passes) throw error;
  const doubledMs = Math.min(maxStretchMs, (before?.waitMs ?? minIntervalMs / 2) * 2);
  return { error, waitMs: Math.max(doubledMs, error.retryAfterMs ?? 0) };
}

/** Whether the job's status may still be from before the follow-up. */
function isWaitingForTakeUp({ state, askedAt }: Card, nowMs: number): boolean {
  return state.is === 'working' && state.before !== undefined && isTooEarly(askedAt, nowMs);
}

/** Describes what changed in the job; `''` if nothing did. A field that is missing from the response doesn't count as changed. */
function changes(before: Job, now: Job): string {
  const isNew = (was: string | null | undefined, is: string | null | undefined) =>
    is != null && is !== was;
  const parts = [
    before.status !== now.status && `${before.status} → ${now.status}`,
    before.prLink !== now.prLink && `pull request ${now.prLink ?? 'withdrawn'}`,
    isNew(before.model, now.model) && `model ${now.model}`,
    isNew(before.source?.ref, now.source?.ref) && `branch ${now.source?.ref}`,
  ];
  return oneLine(parts.filter((part) => part !== false).join(', '));
}

function warnOfUnknownStatus({ status }: Job, { runner }: WatchDeps): void {
  if (status === 'active' || isTerminal(status)) return;
  runner.warning(
    `The job has the status ${code(status)}, which this action doesn’t recognize; still watching.`,
  );
}
