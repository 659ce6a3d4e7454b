import type { PullRequestRef } from '../github/repository.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, jobOf } from './card.ts';
import { isBound } from './claims.ts';
import { pullRequestOf } from './job.ts';
import { findJob } from './looks.ts';
import type { Run } from './run.ts';
import { cardsIn } from './store.ts';

/** How far back comments are read. An open pull request's last follow-up has edited one. */
const sinceMs = 90 * 86_400_000;
const mostPages = 10;
/** How many jobs are looked at for one whose pull request is open. */
const mostJobs = 5;

/** The cards of all threads, the newest comment first. They are read once. */
export async function readRepository(run: Run): Promise<readonly Card[]> {
  const { deps, signerOf } = run;
  const { github, clock, signal, runner } = deps;
  if (run.repository !== undefined || github === undefined) return run.repository ?? [];
  const options = { sinceMs: clock.now() - sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal);
  if (!isWhole)
    runner.info(
      `Of the repository’s comments the last ${comments.length} that were edited were looked through.`,
    );
  run.repository = comments
    .toSorted((one, other) => other.id - one.id)
    .flatMap((comment) => cardsIn([comment], signerOf(comment.thread)))
    .filter(isBound)
    .map(({ card }) => card);
  return run.repository;
}

/**
 * The newest job that this workflow began or continued by `continue: repository` and whose pull request is still open, so that
 * one pull request gathers what many changes ask for; `undefined` if there is none.
 */
export async function findOpenJob(cards: readonly Card[], run: Run): Promise<Job | undefined> {
  const { deps } = run;
  const jobs = cards.filter(({ series }) => series === deps.context.workflow).map((card) => jobOf(card)?.id);
  const newest = [...new Set(jobs)].filter((jobId) => jobId !== undefined).slice(0, mostJobs);
  for (const jobId of newest) {
    const job = await findJob(jobId, deps, { signal: deps.signal });
    if (job !== undefined && (await isOpen(job, run))) return job;
  }
  return undefined;
}

/** Whether a job's pull request still takes changes. One that the token cannot see counts as open. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Run): Promise<boolean> {
  if (job.status === 'archived' || job.status === 'failed') return false;
  const url = pullRequestOf(job)?.url;
  // The link comes with the end: until then there may be one.
  if (url === undefined) return job.status !== 'completed';
  const ref = pullRequestRef(url, context.repositoryUrl);
  return ref === undefined || (await github?.isPullRequestOpen(ref, signal)) !== 'closed';
}

/** A pull request on the server of this repository; `undefined` for one elsewhere. */
function pullRequestRef(url: string, repositoryUrl: string): PullRequestRef | undefined {
  const { origin, pathname } = new URL(url);
  const [, owner, repo, number] = pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin) return undefined;
  return { owner, repo, number: Number(number) };
}
