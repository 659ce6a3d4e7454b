import type { Budget } from '../core/budget.ts';
import { ActionError, explain, inOurWords } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { CallOptions } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { isTerminal, lacksLink, lateLinkLooks, lateLinkMs, pullRequestOf } from './job.ts';

/** How long an opened pull request's job is looked for, and how often. */
const openedMs = 60_000;
const openedLookMs = 5_000;
/** After this many jobs in a row without an answer, a run asks the service no more. */
const mostSilences = 2;
/** A job without an answer must not use up the budget of the others. */
const tries = 2;

/** How a job was found; `unseen` if the budget was spent, or no usable answer came. */
export type Look = Job | 'gone' | 'unseen';

/** A job, or `undefined` if the service knows none by that id: the one place that says so. */
export async function findJob(
  jobId: string,
  { service }: Pick<Deps, 'service'>,
  options: CallOptions,
): Promise<Job | undefined> {
  return service.getJob(jobId, options).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Whether the service says that there is no such job. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/** Looks at the jobs of one project: at each once unless it is looked at again, and never beyond the budget. */
export class Looks {
  readonly #budget: Budget;
  readonly #deps: Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>;
  readonly #found = new Map<string, Look>();
  /** Why the service did not show jobs, each reason once. That the budget was spent, the budget knows. */
  readonly gaps = new Set<string>();
  #silences = 0;

  constructor(budget: Budget, deps: Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>) {
    this.#budget = budget;
    this.#deps = deps;
  }

  /** How a job was found last; `undefined` if it was not looked at. */
  found(jobId: string | undefined): Look | undefined {
    return jobId === undefined ? undefined : this.#found.get(jobId);
  }

  /** Adds a job that was looked at elsewhere. */
  add(job: Job): void {
    this.#found.set(job.id, job);
  }

  /**
   * Looks at each job once, and twice more at those that completed without a link, since it may come late.
   *
   * @throws ServiceError if the service refuses the key (401, 403); the signal's reason.
   */
  async at(jobIds: readonly string[]): Promise<void> {
    const { clock, signal } = this.#deps;
    for (const jobId of jobIds) if (!this.#found.has(jobId)) await this.#look(jobId);
    for (let looks = 0; looks < lateLinkLooks; looks += 1) {
      // One 404 may be a hiccup, and a job that is gone is gone for good.
      const late = jobIds.filter((jobId) => this.found(jobId) === 'gone' || this.#is(jobId, lacksLink));
      if (late.length === 0) return;
      await clock.sleep(lateLinkMs, signal);
      for (const jobId of late) await this.#look(jobId);
    }
  }

  /** Looks again at jobs that are at work until one of them has this pull request, for a minute at most. */
  async until(pullRequest: string, jobIds: readonly string[]): Promise<void> {
    const { clock, signal } = this.#deps;
    const deadlineMs = clock.monotonic() + openedMs;
    const isFound = () => jobIds.some((jobId) => this.#is(jobId, (job) => hasLink(job, pullRequest)));
    while (!isFound()) {
      const active = jobIds.filter((jobId) => this.#is(jobId, (job) => mayOpen(job, pullRequest)));
      const isTooLate = clock.monotonic() + openedLookMs > deadlineMs;
      if (active.length === 0 || isTooLate || this.#budget.left < active.length) return;
      await clock.sleep(openedLookMs, signal);
      for (const jobId of active) await this.#look(jobId);
    }
  }

  #is(jobId: string, is: (job: Job) => boolean): boolean {
    const look = this.#found.get(jobId);
    return typeof look === 'object' && is(look);
  }

  async #look(jobId: string): Promise<void> {
    const look = this.#silences < mostSilences ? await this.#ask(jobId) : 'unseen';
    // A look that failed takes nothing from the one before: else a job that needs three looks never ends.
    if (look !== 'unseen' || !this.#found.has(jobId)) this.#found.set(jobId, look);
  }

  async #ask(jobId: string): Promise<Look> {
    const { runner, signal } = this.#deps;
    try {
      const beforeSend = () => this.#budget.spend();
      const job = await findJob(jobId, this.#deps, { signal, tries, beforeSend });
      this.#silences = 0;
      return job ?? 'gone';
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'budget-spent') return 'unseen';
      if (!(error instanceof ServiceError)) throw error;
      this.gaps.add(inOurWords(error));
      if (error.reason === 'unauthorized' || error.reason === 'forbidden') throw error;
      const isSilent = error.reason === 'unreachable' || error.reason === 'timeout';
      this.#silences = error.reason === 'rate-limited' ? mostSilences : isSilent ? this.#silences + 1 : 0;
      runner.warning(explain(error).text, { title: 'Docs Agent' });
      return 'unseen';
    }
  }
}

/** Whether a job at work may be the one of a pull request: as far as it says, it works on the same repository. */
function mayOpen({ status, source }: Job, pullRequest: string): boolean {
  const repository = (address: string) => address.match(/([^/:]+\/[^/]+?)(?:\.git)?\/?$/)?.[1]?.toLowerCase();
  const its = source?.repository == null ? undefined : repository(source.repository);
  const isSame = its === undefined || its === repository(pullRequest.replace(/\/pull\/\d+$/, ''));
  return !isTerminal(status) && isSame;
}

function hasLink(job: Job, address: string): boolean {
  return URL.canParse(address) && pullRequestOf(job)?.url === new URL(address).href;
}
