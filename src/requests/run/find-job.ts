import { ActionError } from '../../core/errors.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, jobOf } from '../card/card.ts';
import { linksTo, pullRequestOf, pullRequestRef } from '../card/job.ts';
import { findJob, readJob } from '../follow/observe.ts';
import { newestJob } from '../thread/claims.ts';
import { boundCards, findCardsOf } from '../thread/repository-cards.ts';
import type { Recipient, Step } from './next.ts';
import type { Run } from './run.ts';

/** How far back comments are searched. Every follow-up to an open pull request edits a comment, so this is enough. */
const sinceMs = 90 * dayMs;
const mostPages = 10;
const mostJobs = 5;

/** Finds the job for the prompt. @throws ServiceError `not-found` if the inputs name a job that the service doesn't have. */
export async function findRecipient(
  { jobId, askedAt }: Extract<Step, { do: 'find the recipient' }>,
  run: Run,
): Promise<Recipient> {
  if (jobId !== undefined) {
    const find = run.ask.jobId === undefined ? findJob : readJob;
    return { jobId, askedAt, job: await find(jobId, askedAt, run.deps) };
  }
  if (run.ask.continues === 'thread') return findMaker(run);
  const job = await findOpenJob(await readRepository(run), run);
  return { jobId: job?.id, job };
}

/** The cards of all threads, newest comment first. GitHub's list is read only once per run. */
export async function readRepository(run: Run): Promise<readonly Card[]> {
  const { github, clock, signal, runner } = run.deps;
  if (run.repository !== undefined || github === undefined) return run.repository ?? [];
  const options = { sinceMs: clock.now() - sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal);
  if (!isWhole)
    runner.info(`Only the ${comments.length} most recently edited comments in the repository were searched.`);
  const { cards, unreadable } = boundCards(comments, [run.owner]);
  if (unreadable !== undefined) throw newerVersion(unreadable);
  run.repository = cards.map(({ card }) => card).reverse();
  return run.repository;
}

/** A card that can't be read may be the one that a run searches for, so the run sends nothing. */
function newerVersion({ url }: ThreadComment): ActionError {
  return new ActionError('newer-version', `A newer version wrote [this comment](<${url}>)`);
}

/** The newest job of this workflow whose pull request is open. With `continue: repository`, the next prompt goes to this job. */
export async function findOpenJob(cards: readonly Card[], run: Run): Promise<Job | undefined> {
  const { deps } = run;
  const series = cards.filter((card) => card.series === deps.context.workflow);
  const byJob = Map.groupBy(series, (card) => jobOf(card)?.id);
  byJob.delete(undefined);
  for (const [jobId = '', [newest]] of [...byJob].slice(0, mostJobs)) {
    const job = await findJob(jobId, newest?.askedAt, deps);
    if (job !== undefined && (await isOpen(job, run))) return job;
  }
  return undefined;
}

/**
 * Finds the job that opened the pull request on which a command was posted: the newest job with a link to it, or else a running
 * job that has just opened it. Returns `jobId` without `job` if that job is gone, and neither if no job was found.
 */
export async function findMaker({ pullRequest, deps, owner }: Run): Promise<Recipient> {
  const { github, signal } = deps;
  if (pullRequest === undefined || github === undefined) return {};
  const { naming, unlinked, unreadable } = await findCardsOf(pullRequest, [owner], { github, signal });
  if (unreadable !== undefined) throw newerVersion(unreadable);
  const made = newestJob(naming);
  if (made !== undefined) return { ...made, job: await findJob(made.jobId, made.askedAt, deps) };
  const byJob = new Map(unlinked.toReversed().map(({ card }) => [jobOf(card)?.id ?? '', card]));
  for (const [jobId, { askedAt }] of [...byJob].slice(0, mostJobs)) {
    const job = await findJob(jobId, askedAt, deps);
    if (linksTo(job, pullRequest.url)) return { jobId, askedAt, job };
  }
  return {};
}

/** Whether a job's pull request still accepts changes. If the token can't see the pull request, we assume that it does. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Run): Promise<boolean> {
  if (job.status === 'archived' || job.status === 'failed') return false;
  // A running job has no link yet but may still open a pull request.
  if (pullRequestOf(job) === undefined) return job.status !== 'completed';
  const ref = pullRequestRef(job, context);
  return ref === undefined || ((await github?.readPullRequestState(ref, signal))?.state ?? 'open') === 'open';
}
