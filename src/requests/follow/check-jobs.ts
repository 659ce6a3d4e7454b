import { isSamePullRequest } from '../../core/address.ts';
import { Budget } from '../../core/budget.ts';
import { ActionError, describeBriefly, describeError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps } from '../../deps.ts';
import { code } from '../../text/markdown.ts';
import { type Card, isTerminal } from '../card/card.ts';
import { pullUrlOf } from '../card/pull.ts';
import { againMs, isNotFound, type ObservedJob } from './observed-job.ts';

/** How many times to check again a job that may be missing, or that may still get its link. */
const maxRechecks = 2;
/**
 * How many times to check for the job of a newly opened pull request. With 5 s between checks, this
 * takes a minute.
 */
const maxOpenedRechecks = 12;
/** After this many jobs in a row without a response, the run sends no more requests. */
const maxSilences = 2;
/** Fewer tries than usual, so that one unreachable job doesn't use up the budget for the others. */
const tries = 2;

/** A job of some cards. Job IDs may repeat across projects. */
export interface JobOfProject {
  /** The first of these cards. */
  readonly card: Card;
  readonly project: Project;
  readonly job: ObservedJob;
}

export interface CheckOptions {
  /** The most requests to the service, including retries. */
  readonly maxRequests: number;
  /** The URL of a pull request that was just opened, so its job may be about to end. */
  readonly openedUrl?: string | undefined;
}

/**
 * Checks each job, and again if it may be missing or about to change. Returns why checks failed;
 * what they found is the `sighting` of each job.
 * @throws ServiceError if the key is wrong (401) or all projects reject it (403); the signal's
 * reason
 */
export async function checkJobs(
  all: readonly JobOfProject[],
  options: CheckOptions,
  deps: Deps,
): Promise<string[]> {
  const { maxRequests } = options;
  const jobs = all.slice(0, maxRequests);
  const budget = new Budget(maxRequests);
  /** How many jobs in a row got no response. */
  let silences = 0;

  async function check({ project, job }: JobOfProject): Promise<void> {
    if (silences === maxSilences || isRefused(project, jobs)) return;
    try {
      await job.check({ tries, beforeSend: () => budget.spend() });
    } catch (error) {
      if (!(error instanceof ActionError) || error.reason !== 'budget-spent') throw error;
    }
    const reason = job.error?.reason;
    if (reason === 'unauthorized') throw job.error;
    const isSilent = reason === 'unreachable' || reason === 'timeout';
    silences = isSilent ? silences + 1 : 0;
  }

  let due = jobs;
  for (let rechecks = 0; due.length > 0; rechecks += 1) {
    if (rechecks > 0) await deps.clock.sleep(againMs);
    for (const each of due) await check(each);
    if (budget.remaining <= 0) break;
    due = findDue(jobs, rechecks, options.openedUrl, deps);
  }
  const whyFailed = reportErrors(jobs, deps.runner);
  if (budget.remaining <= 0)
    whyFailed.push(
      `All the requests that \`max-requests\` allows (currently ${maxRequests}) have been used.`,
    );
  // The next run may be hours away, so no link is waited for anymore.
  for (const { job } of jobs) job.finish();
  return whyFailed;
}

/** Whether a response showed that the service rejects all requests for a project. */
function isRefused(project: Project, jobs: readonly JobOfProject[]): boolean {
  const ofProject = jobs.filter((other) => other.project === project);
  const reasons = ofProject.map(({ job }) => job.error?.reason);
  return reasons.includes('forbidden') || reasons.includes('rate-limited');
}

/** The jobs to check again, after so many `rechecks`. */
function findDue(
  jobs: readonly JobOfProject[],
  rechecks: number,
  openedUrl: string | undefined,
  { context }: Pick<Deps, 'context'>,
): JobOfProject[] {
  const isLinked = jobs.some(({ card, job }) =>
    isSamePullRequest(pullUrlOf(card, context, job.job), openedUrl),
  );
  const isAwaited = openedUrl !== undefined && !isLinked && rechecks < maxOpenedRechecks;
  return jobs.filter(({ job }) => {
    const isUnsure = job.sighting === 'unreadable' || job.mayGetLink;
    if (isUnsure && rechecks < maxRechecks) return true;
    // Any job that is still running may be the one that opened the pull request.
    return isAwaited && job.job !== undefined && !isTerminal(job.job.status);
  });
}

/**
 * Logs each error and returns the reasons.
 * @throws ServiceError if every project rejects the key
 */
function reportErrors(jobs: readonly JobOfProject[], runner: Deps['runner']): string[] {
  const projects = new Set(jobs.map(({ project }) => project));
  const refused = jobs.filter(({ job }) => job.error?.reason === 'forbidden');
  const isRefusedByAll = new Set(refused.map(({ project }) => project)).size === projects.size;
  const why: string[] = [];
  for (const { project, job } of jobs) {
    const { error } = job;
    if (error === undefined || isNotFound(error)) continue;
    if (isRefusedByAll && error.reason === 'forbidden') throw error;
    if (projects.size === 1) {
      runner.info(describeError(error));
      why.push(describeBriefly(error));
    } else {
      runner.info(`${project.name}: ${describeError(error)}`);
      why.push(`${code(project.name)}: ${describeBriefly(error)}`);
    }
  }
  return why;
}
