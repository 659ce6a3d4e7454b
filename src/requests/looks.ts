import { Budget } from '../core/budget.ts';
import { ActionError, explain, inOurWords } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { CallOptions } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { code } from '../text/markdown.ts';
import { isTerminal, lacksLink, lateLinkLooks, pullRequestOf } from './job.ts';
import type { Look } from './left.ts';

/** How long to wait before jobs that may be about to change are checked again. */
const againMs = 5_000;
/** How many times to check for the job of a newly opened pull request. With 5 s between checks, this takes a minute. */
const openedLooks = 12;
/** After this many jobs in a row without a response, the run sends no more requests. */
const mostSilences = 2;
/** Fewer tries than usual, so that one unreachable job doesn't use up the budget for the others. */
const tries = 2;

export interface LookOptions {
  /** The most requests to the service, including retries. */
  readonly requests: number;
  /** The URL of a pull request that was just opened, so its job may be about to end. */
  readonly opened?: string | undefined;
  /** The job that the caller has just checked. */
  readonly known?: Job | undefined;
}

/** A job to check. */
export interface Target {
  readonly project: Project;
  readonly jobId: string;
  look?: Look;
  error?: ServiceError | undefined;
}

/** Reads a job; `undefined` if the service has no job with this ID. */
export async function findJob(
  jobId: string,
  { service, signal }: Pick<Deps, 'service' | 'signal'>,
  options?: Omit<CallOptions, 'signal'>,
): Promise<Job | undefined> {
  return service.getJob(jobId, { ...options, signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Whether the error means that there is no such job. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}

/**
 * Checks each job once, up to the limit on requests. Jobs that may be about to change are checked again. If one project rejects
 * the key, the others are still checked. Returns the reasons for failed checks.
 *
 * @throws ServiceError if the key is wrong (401) or all projects reject it (403); the signal's reason.
 */
export async function lookAtAll(
  jobs: readonly Target[],
  { requests, opened, known }: LookOptions,
  deps: Deps,
): Promise<string[]> {
  const { clock, signal } = deps;
  const targets = jobs.slice(0, requests);
  const budget = new Budget(requests);
  let due = targets.filter(({ jobId }) => jobId !== known?.id);
  for (const one of targets) if (!due.includes(one)) one.look = known;
  let silences = 0;
  for (let rounds = 0; rounds === 0 || due.length > 0; rounds += 1) {
    if (rounds > 0) await clock.sleep(againMs, signal);
    for (const target of due) {
      if (silences === mostSilences || isRefused(target, targets)) continue;
      await look(target, budget, deps);
      const reason = target.error?.reason;
      silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
    }
    const isAwaited = rounds < openedLooks && !targets.some((one) => linkOf(one) === opened);
    const isDue = (one: Target) =>
      (rounds < lateLinkLooks && isLate(one)) || (isAwaited && mayOpen(one, opened));
    due = budget.left > 0 ? targets.filter(isDue) : [];
  }
  const why = warnOfErrors(targets, deps);
  if (budget.left <= 0)
    why.push(`All the requests that \`max-requests\` allows (currently ${requests}) have been used.`);
  return why;
}

async function look(target: Target, budget: Budget, { service, signal }: Deps): Promise<void> {
  const asked = { service: service.forProject(target.project.id), signal };
  const options = { tries, beforeSend: () => budget.spend() };
  target.error = undefined;
  try {
    target.look = (await findJob(target.jobId, asked, options)) ?? 'gone';
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'budget-spent') return;
    if (!(error instanceof ServiceError) || error.reason === 'unauthorized') throw error;
    // Keeps the result of an earlier check. Otherwise, a job that needs three checks would never finish.
    target.error = error;
  }
}

/** Whether a response showed that the service rejects all requests for the job's project. */
function isRefused({ project }: Target, targets: readonly Target[]): boolean {
  const reasons = targets.map((one) => (one.project === project ? one.error?.reason : undefined));
  return reasons.includes('forbidden') || reasons.includes('rate-limited');
}

/** Warns about each error and returns the reasons. @throws ServiceError if every project rejects the key. */
function warnOfErrors(targets: readonly Target[], { runner }: Deps): string[] {
  const projects = new Set(targets.map(({ project }) => project));
  const refusals = targets.filter(({ error }) => error?.reason === 'forbidden');
  const isRefusedByAll = new Set(refusals.map(({ project }) => project)).size === projects.size;
  return targets.flatMap(({ project: { name }, error }) => {
    if (error === undefined) return [];
    if (isRefusedByAll && error.reason === 'forbidden') throw error;
    const [whose, whoseCode] = projects.size === 1 ? ['', ''] : [`${name}: `, `${code(name)}: `];
    runner.warning(`${whose}${explain(error).text}`, { title: 'Docs Agent' });
    return [`${whoseCode}${inOurWords(error)}`];
  });
}

/** Links can come late, and a single 404 may be a glitch, so these jobs are checked again. */
function isLate({ look }: Target): boolean {
  return look === 'gone' || (look !== undefined && lacksLink(look));
}

function linkOf({ look }: Target): string | undefined {
  return typeof look === 'object' ? pullRequestOf(look)?.url : undefined;
}

/** Whether a running job might open this pull request: the job names the same repository, or no repository. */
function mayOpen({ look }: Target, pullRequest: string | undefined): boolean {
  if (pullRequest === undefined || typeof look !== 'object' || isTerminal(look.status)) return false;
  const repository = (address: string) => address.match(/([^/:]+\/[^/]+?)(?:\.git)?\/?$/)?.[1]?.toLowerCase();
  const its = look.source?.repository == null ? undefined : repository(look.source.repository);
  return its === undefined || its === repository(pullRequest.replace(/\/pull\/\d+$/, ''));
}
