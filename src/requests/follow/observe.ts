import { Budget } from '../../core/budget.ts';
import type { Clock } from '../../core/clock.ts';
import { ActionError, describeError, inOurWords } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps, DepsToRead } from '../../deps.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { code } from '../../text/markdown.ts';
import { isTerminal, isTooEarly, lacksLink, pullRequestOf } from '../card/job.ts';
import type { Observation } from '../card/observed.ts';

/** How long to wait before a job that may be about to change, or that may be missing, is checked again. */
export const againMs = 5_000;
/** A completed job may get its link a little later, so it is checked two more times. */
const linklessChecks = 3;
/** How many times to check for the job of a newly opened pull request. With 5 s between checks, this takes a minute. */
const openedRounds = 12;
/** After this many jobs in a row without a response, the run sends no more requests. */
const maxSilences = 2;
/** Fewer tries than usual, so that one unreachable job doesn't use up the budget for the others. */
const tries = 2;

/** Whether the error means that there is no such job. */
export function isNotFound(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/** Turns the service's answers about one job into observations. A single 404 may be a glitch, and a link may come late. */
export function openObserver(clock: Pick<Clock, 'now'>) {
  let missingSinceMs: number | undefined;
  let linkless = 0;
  return {
    answered(job: Job) {
      missingSinceMs = undefined;
      linkless = lacksLink(job) ? linkless + 1 : 0;
      return { job, isLinkFinal: linkless >= linklessChecks };
    },
    /** After a 404. */
    refused(): Observation {
      missingSinceMs ??= clock.now();
      return clock.now() - missingSinceMs >= againMs ? 'missing' : 'unreadable';
    },
  };
}

/**
 * Reads another request's job, as patiently as a run that watches it. `awaitsLink`: also waits for a completed job's link.
 * @throws ServiceError, with the reason `not-found` only if the job is gone.
 */
export async function readJob(
  jobId: string,
  askedAt: number | undefined,
  deps: DepsToRead,
  { awaitsLink = false } = {},
): Promise<Job> {
  const { service, clock, signal } = deps;
  const observer = openObserver(clock);
  for (;;) {
    try {
      const job = await service.getJob(jobId, { signal });
      if (!awaitsLink || !lacksLink(job) || observer.answered(job).isLinkFinal) return job;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (observer.refused() === 'missing' && !isTooEarly(askedAt, clock.now())) throw error;
    }
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

export interface ObserveOptions {
  /** The most requests to the service, including retries. */
  readonly requests: number;
  /** The URL of a pull request that was just opened, so its job may be about to end. */
  readonly opened?: string | undefined;
  /** A job that the caller has just checked. */
  readonly known?: { readonly jobId: string; readonly what: Observation } | undefined;
}

/** A job to check. */
export interface ObservedJob {
  readonly project: Project;
  readonly jobId: string;
  /** What the service says about the job; absent if the job was never checked. */
  what?: Observation;
  error?: ServiceError | undefined;
}

/**
 * Checks each job, and again if it may be missing or about to change. If one project rejects the key, the others are still
 * checked. Returns the reasons for failed checks.
 * @throws ServiceError if the key is wrong (401) or all projects reject it (403); the signal's reason.
 */
export async function observeAll(all: readonly ObservedJob[], options: ObserveOptions, deps: Deps) {
  const { requests, opened, known } = options;
  const { clock, signal } = deps;
  const jobs = all.slice(0, requests);
  const observers = new Map(jobs.map((job) => [job, openObserver(clock)]));
  const budget = new Budget(requests);
  for (const job of jobs) if (job.jobId === known?.jobId) job.what = known.what;
  let due = jobs.filter(({ what }) => what === undefined);
  let silences = 0;
  for (let rounds = 0; rounds === 0 || due.length > 0; rounds += 1) {
    if (rounds > 0) await clock.sleep(againMs, signal);
    for (const job of due) {
      if (silences === maxSilences || isRefused(job, jobs)) continue;
      await observe(job, observers.get(job) ?? openObserver(clock), budget, deps);
      const reason = job.error?.reason;
      silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
    }
    const isAwaited = rounds < openedRounds && !jobs.some((job) => linkOf(job) === opened);
    const isDue = (job: ObservedJob) =>
      (rounds < linklessChecks - 1 && isUncertain(job)) || (isAwaited && mayOpen(job, opened));
    due = budget.remaining > 0 ? jobs.filter(isDue) : [];
  }
  const why = warnOfErrors(jobs, deps);
  if (budget.remaining <= 0)
    why.push(`All the requests that \`max-requests\` allows (currently ${requests}) have been used.`);
  // The next run may be hours away, so a link that is still missing counts as final.
  for (const job of jobs) if (typeof job.what === 'object') job.what = { ...job.what, isLinkFinal: true };
  return why;
}

async function observe(
  job: ObservedJob,
  observer: ReturnType<typeof openObserver>,
  budget: Budget,
  { service, signal }: Deps,
): Promise<void> {
  const options = { signal, tries, beforeSend: () => budget.spend() };
  job.error = undefined;
  try {
    job.what = observer.answered(await service.forProject(job.project.id).getJob(job.jobId, options));
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'budget-spent') return;
    if (!(error instanceof ServiceError) || error.reason === 'unauthorized') throw error;
    // Other errors keep the result of an earlier check. Otherwise, a job that needs three checks would never finish.
    if (isNotFound(error)) job.what = observer.refused();
    else job.error = error;
  }
}

/** Whether a response showed that the service rejects all requests for the job's project. */
function isRefused({ project }: ObservedJob, jobs: readonly ObservedJob[]): boolean {
  const reasons = jobs.map((job) => (job.project === project ? job.error?.reason : undefined));
  return reasons.includes('forbidden') || reasons.includes('rate-limited');
}

/** Warns about each error and returns the reasons. @throws ServiceError if every project rejects the key. */
function warnOfErrors(jobs: readonly ObservedJob[], { runner }: Deps): string[] {
  const projects = new Set(jobs.map(({ project }) => project));
  const refusals = jobs.filter(({ error }) => error?.reason === 'forbidden');
  const isRefusedByAll = new Set(refusals.map(({ project }) => project)).size === projects.size;
  return jobs.flatMap(({ project: { name }, error }) => {
    if (error === undefined) return [];
    if (isRefusedByAll && error.reason === 'forbidden') throw error;
    const [whose, whoseCode] = projects.size === 1 ? ['', ''] : [`${name}: `, `${code(name)}: `];
    runner.info(`${whose}${describeError(error)}`);
    return [`${whoseCode}${inOurWords(error)}`];
  });
}

/** Whether the job may be missing, or may still get its link. */
function isUncertain({ what }: ObservedJob): boolean {
  return what === 'unreadable' || (typeof what === 'object' && !what.isLinkFinal && lacksLink(what.job));
}

function linkOf({ what }: ObservedJob): string | undefined {
  return typeof what === 'object' ? pullRequestOf(what.job)?.url : undefined;
}

/** Whether a running job might open this pull request: the job names the same repository, or no repository. */
function mayOpen({ what }: ObservedJob, pullRequest: string | undefined): boolean {
  if (pullRequest === undefined || typeof what !== 'object' || isTerminal(what.job.status)) return false;
  const repository = (address: string) => address.match(/([^/:]+\/[^/]+?)(?:\.git)?\/?$/)?.[1]?.toLowerCase();
  const { source } = what.job;
  const own = source?.repository == null ? undefined : repository(source.repository);
  return own === undefined || own === repository(pullRequest.replace(/\/pull\/\d+$/, ''));
}
