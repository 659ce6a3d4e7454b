import type { Clock } from '../../core/clock.ts';
import type { DepsToRead } from '../../deps.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { isTooEarly, lacksLink } from '../card/card.ts';
import type { Sighting } from '../card/transitions.ts';

/**
 * How long to wait before a job that may be about to change, or may be missing, is checked again.
 */
export const againMs = 5_000;
/** A completed job may get its link a little later, so it is checked two more times. */
const linklessChecks = 3;

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/**
 * A job, and what the service last said about it. A single 404 may be a glitch, and a link may come
 * late.
 */
export class ObservedJob {
  readonly id: string;
  readonly #service: Pick<DepsToRead['service'], 'getJob'>;
  readonly #clock: Pick<Clock, 'now'>;
  #missingSinceMs: number | undefined;
  #linklessChecks = 0;
  /** Absent before the first response. */
  sighting: Sighting | undefined;
  /**
   * Why the last check failed. If it isn't a 404, `sighting` is the result of an earlier one.
   */
  error: ServiceError | undefined;

  constructor(id: string, { service, clock }: Pick<DepsToRead, 'service' | 'clock'>) {
    this.id = id;
    this.#service = service;
    this.#clock = clock;
  }

  /** The job as the service last had it. */
  get job(): Job | undefined {
    return typeof this.sighting === 'object' ? this.sighting.job : undefined;
  }

  get mayGetLink(): boolean {
    const { sighting } = this;
    if (typeof sighting !== 'object' || sighting.isLinkFinal) return false;
    return lacksLink(sighting.job);
  }

  /** Notes what the service said. */
  record(job: Job): void {
    this.#missingSinceMs = undefined;
    this.#linklessChecks = lacksLink(job) ? this.#linklessChecks + 1 : 0;
    this.sighting = { job, isLinkFinal: this.#linklessChecks >= linklessChecks };
  }

  /** Nothing is checked anymore, so a link that is still missing counts as final. */
  finish(): void {
    if (this.job !== undefined) this.sighting = { job: this.job, isLinkFinal: true };
  }

  /** Asks the service. @throws any error that isn't a ServiceError, such as the signal's reason */
  async check(options: CallOptions): Promise<void> {
    this.error = undefined;
    try {
      this.record(await this.#service.getJob(this.id, options));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.error = error;
      if (isNotFound(error)) this.#recordMissing();
    }
  }

  #recordMissing(): void {
    const nowMs = this.#clock.now();
    this.#missingSinceMs ??= nowMs;
    this.sighting = nowMs - this.#missingSinceMs >= againMs ? 'missing' : 'unreadable';
  }
}

/**
 * Reads a job patiently. `awaitsLink`: waits for a link, too.
 * @throws ServiceError, `not-found` only if the job is gone
 */
export async function readJob(
  jobId: string,
  askedAt: number | undefined,
  deps: DepsToRead,
  { awaitsLink = false, ...options }: { awaitsLink?: boolean; tries?: number } = {},
): Promise<Job> {
  const observed = new ObservedJob(jobId, deps);
  for (;;) {
    await observed.check(options);
    const { job, error } = observed;
    if (error !== undefined && !isNotFound(error)) throw error;
    if (job !== undefined && !(awaitsLink && observed.mayGetLink)) return job;
    const isGone = observed.sighting === 'missing' && !isTooEarly(askedAt, deps.clock.now());
    if (isGone) throw error;
    await deps.clock.sleep(againMs);
  }
}

/** Like `readJob`, but `undefined` if the job is gone. */
export async function findJob(...args: Parameters<typeof readJob>): Promise<Job | undefined> {
  try {
    return await readJob(...args);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
