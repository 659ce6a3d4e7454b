import type { Clock } from '../../core/clock.ts';
import type { DepsToRead } from '../../deps.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { isTooEarly, lacksLink } from '../card/job.ts';
import type { Observation } from '../card/transitions.ts';

/** How long to wait before a job that may be about to change, or that may be missing, is checked again. */
export const againMs = 5_000;
/** A completed job may get its link a little later, so it is checked two more times. */
export const linklessChecks = 3;

/** Whether the error means that there is no such job. */
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
  what: Observation | undefined;
  /** Why the last look failed. If it isn't a 404, `what` is the result of an earlier one. */
  error: ServiceError | undefined;

  constructor(id: string, { service, clock }: Pick<DepsToRead, 'service' | 'clock'>) {
    this.id = id;
    this.#service = service;
    this.#clock = clock;
  }

  /** Takes note of what the service said. */
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

/**
 * Reads another request's job, as patiently as a run that watches it. `awaitsLink`: also waits for a completed job's link.
 * @throws ServiceError, with the reason `not-found` only if the job is gone.
 */
export async function readJob(
  jobId: string,
  askedAt: number | undefined,
  deps: DepsToRead,
  { awaitsLink = false, ...options }: { awaitsLink?: boolean; tries?: number } = {},
): Promise<Job> {
  const { clock, signal } = deps;
  const observed = new ObservedJob(jobId, deps);
  for (;;) {
    await observed.look({ signal, ...options });
    const { what, error } = observed;
    if (error !== undefined && !isNotFound(error)) throw error;
    if (typeof what === 'object' && !(awaitsLink && lacksLink(what.job) && !what.isLinkFinal))
      return what.job;
    if (what === 'missing' && !isTooEarly(askedAt, clock.now())) throw error;
    await clock.sleep(againMs, signal);
  }
}

/** Like `readJob`, but `undefined` if the job is gone. */
export async function findJob(...given: Parameters<typeof readJob>): Promise<Job | undefined> {
  return readJob(...given).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
