import type { Budget } from '../core/budget.ts';
import { ActionError } from '../core/errors.ts';
import { explain, inOurWords } from '../core/failure.ts';
import type { Deps } from '../deps.ts';
import type { CallOptions } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { isTerminal, lacksLink, lateLinkLooks, lateLinkMs, pullRequestOf } from './job.ts';

/** How long an opened pull request's job is looked for, and how often. */
const openedMs = 60_000;
const openedLookMs = 5_000;
/** After so many jobs in a row without any answer the service is left alone. */
const mostSilences = 2;

/** A job without an answer must not use up the budget of the others. */
const tries = 2;

/** A job, or `undefined` if the service knows none by that id: the one place that says so. */
export async function findJob(
  jobId: string,
  { service }: Pick<Deps, 'service'>,
  options: CallOptions,
): Promise<Job | undefined> {
  try {
    return await service.getJob(jobId, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the service says that there is no such job. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/** How a job was found. */
export type Look =
  | { readonly is: 'seen'; readonly job: Job }
  /** The service knows no such job. */
  | { readonly is: 'gone' }
  /** Nobody knows: the budget was spent, or no answer came that could be used. */
  | { readonly is: 'unseen' };

/** Looks at jobs: at each once unless it is looked at again, and never more often than the budget allows. */
export class Looks {
  readonly #budget: Budget;
  readonly #deps: Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>;
  readonly #found = new Map<string, Look>();
  readonly #gaps = new Set<string>();
  #silences = 0;

  constructor(budget: Budget, deps: Pick<Deps, 'service' | 'runner' | 'clock' | 'signal'>) {
    this.#budget = budget;
    this.#deps = deps;
  }

  /** Why the service did not tell of jobs, each reason once; that the budget was spent, the budget knows. */
  get gaps(): readonly string[] {
    return [...this.#gaps];
  }

  /** How a job was found last; `undefined` where it was not looked at. */
  found(jobId: string): Look | undefined {
    return this.#found.get(jobId);
  }

  /** Adds a job that was looked at elsewhere; `undefined` for one that the service does not know. */
  add(jobId: string, job: Job | undefined): void {
    this.#found.set(jobId, job === undefined ? { is: 'gone' } : { is: 'seen', job });
  }

  /**
   * Looks at each job once, and at those that have completed without a link twice more, since it may come late.
   *
   * @throws ServiceError where the service does not let us look at all (401, 403); the signal's reason.
   */
  async at(jobIds: readonly string[]): Promise<void> {
    const { clock, signal } = this.#deps;
    for (const jobId of jobIds) if (!this.#found.has(jobId)) await this.#look(jobId);
    for (let looks = 0; looks < lateLinkLooks; looks += 1) {
      // One 404 may be a hiccup, and a job that is gone is gone for good.
      const late = jobIds.filter(
        (jobId) => this.#is(jobId, lacksLink) || this.#found.get(jobId)?.is === 'gone',
      );
      if (late.length === 0) return;
      await clock.sleep(lateLinkMs, signal);
      for (const jobId of late) await this.#look(jobId);
    }
  }

  /** Looks again at jobs that are at work, until one of all of them is found to have this pull request, for a minute at most. */
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
    return look?.is === 'seen' && is(look.job);
  }

  async #look(jobId: string): Promise<void> {
    const look: Look = this.#silences < mostSilences ? await this.#ask(jobId) : { is: 'unseen' };
    // A look that failed takes nothing from the one before: else a job that needs three looks never ends.
    if (look.is !== 'unseen' || !this.#found.has(jobId)) this.#found.set(jobId, look);
  }

  async #ask(jobId: string): Promise<Look> {
    const { service, runner, signal } = this.#deps;
    try {
      const job = await service.getJob(jobId, { signal, tries, beforeSend: () => this.#budget.spend() });
      this.#silences = 0;
      return { is: 'seen', job };
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'budget-spent') return { is: 'unseen' };
      if (!(error instanceof ServiceError)) throw error;
      if (error.reason !== 'not-found') this.#gaps.add(inOurWords(error));
      switch (error.reason) {
        case 'unauthorized':
        case 'forbidden':
          throw error;
        case 'not-found':
          this.#silences = 0;
          return { is: 'gone' };
        case 'rate-limited':
          this.#silences = mostSilences;
          break;
        case 'unreachable':
        case 'timeout':
          this.#silences += 1;
          break;
        default:
          this.#silences = 0;
      }
      runner.warning(explain(error).text, { title: 'Docs Agent' });
      return { is: 'unseen' };
    }
  }
}

/** Whether a job that is at work may be the one of a pull request: as far as it tells, it works on the same repository. */
function mayOpen({ status, source }: Job, pullRequest: string): boolean {
  const repository = (address: string) => address.match(/([^/:]+\/[^/]+?)(?:\.git)?\/?$/)?.[1]?.toLowerCase();
  const its = source?.repository == null ? undefined : repository(source.repository);
  return (
    !isTerminal(status) && (its === undefined || its === repository(pullRequest.replace(/\/pull\/\d+$/, '')))
  );
}

function hasLink(job: Job, address: string): boolean {
  return URL.canParse(address) && pullRequestOf(job)?.url === new URL(address).href;
}
