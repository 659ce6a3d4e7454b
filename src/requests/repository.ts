import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import type { PullRequestRef } from '../github/repository.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import { isBound, newestJob } from './claims.ts';
import { linksTo, pullRequestOf } from './job.ts';
import type { Left, Owner } from './left.ts';
import { findJob } from './looks.ts';
import type { OpenedPullRequest, Seen } from './next.ts';
import type { Run } from './run.ts';
import { mayBeSigned } from './sign.ts';
import { cardsIn } from './store.ts';

/** How far back comments are read. Every follow-up to an open pull request edits one, so this is far enough. */
const sinceMs = 90 * 86_400_000;
const mostPages = 10;
/** How many jobs are checked for one whose pull request is open. */
const mostJobs = 5;
/** The request for a pull request comes shortly before it is opened. */
const beforeOpenedMs = 86_400_000;
const mostPagesSinceOpened = 3;

/** The cards of all threads, newest comment first. They are read only once. */
export async function readRepository(run: Run): Promise<readonly Card[]> {
  const { github, clock, signal, runner } = run.deps;
  if (run.repository !== undefined || github === undefined) return run.repository ?? [];
  const options = { sinceMs: clock.now() - sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal);
  if (!isWhole)
    runner.info(`Only the ${comments.length} most recently edited comments in the repository were searched.`);
  run.repository = boundCards(comments, [run.owner])
    .map(({ card }) => card)
    .reverse();
  return run.repository;
}

/**
 * The cards that name a pull request as their job's, and those of running jobs that have no link yet: oldest comment first.
 * Cards that are forged, copied, or don't name their comment are ignored.
 */
export async function findCardsOf(
  { url, createdAtMs }: OpenedPullRequest,
  owners: readonly Owner[],
  { github, signal }: { readonly github: GitHub; readonly signal: AbortSignal },
): Promise<{ readonly naming: readonly Left[]; readonly unlinked: readonly Left[] }> {
  const sinceMs = createdAtMs - beforeOpenedMs;
  const options = { sinceMs, maxPages: mostPagesSinceOpened, from: 'oldest' } as const;
  const cards = boundCards((await github.readRepositoryComments(options, signal)).comments, owners);
  return {
    naming: cards.filter(({ card }) => howEnded(card) !== 'answered' && linksTo(jobOf(card), url)),
    unlinked: cards.filter(({ card: { state } }) => state.is === 'working' && state.job.prLink === null),
  };
}

/** The cards of all threads that name the comment they are in, oldest comment first. */
function boundCards(comments: readonly RepositoryComment[], owners: readonly Owner[]): Left[] {
  const ours = comments.filter(({ body }) => mayBeSigned(body)).toSorted((one, other) => one.id - other.id);
  return ours.flatMap((comment) => {
    const { thread } = comment;
    return owners
      .flatMap((owner) =>
        cardsIn([comment], owner.signerOf(thread)).map((one) => ({
          ...owner,
          ...one,
          thread,
          isOutdated: false,
        })),
      )
      .filter(isBound);
  });
}

/**
 * The newest job that this workflow started or continued with `continue: repository` and whose pull request is still open, so
 * that one pull request collects the docs for many changes.
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

/**
 * The job that opened the pull request on which a command was posted: the newest job that a card links to that pull request, or
 * else a running job that has just opened it. Returns `jobId` without `job` if the job is gone, and neither if there was none.
 */
export async function findMaker({ pullRequest, deps, owner }: Run): Promise<NonNullable<Seen['target']>> {
  const { github, signal } = deps;
  const none = { jobId: undefined, job: undefined };
  if (pullRequest === undefined || github === undefined) return none;
  const { naming, unlinked } = await findCardsOf(pullRequest, [owner], { github, signal });
  const made = newestJob(naming);
  if (made !== undefined) return { jobId: made, job: await findJob(made, deps, { signal }) };
  const atWork = new Set(unlinked.toReversed().flatMap(({ card }) => jobOf(card)?.id ?? []));
  for (const jobId of [...atWork].slice(0, mostJobs)) {
    const job = await findJob(jobId, deps, { signal });
    if (linksTo(job, pullRequest.url)) return { jobId, job };
  }
  return none;
}

/** Whether a job's pull request still accepts changes. If the token can't see it, we assume so. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Run): Promise<boolean> {
  if (job.status === 'archived' || job.status === 'failed') return false;
  const url = pullRequestOf(job)?.url;
  // The link comes when the job ends; until then there may be one.
  if (url === undefined) return job.status !== 'completed';
  const ref = pullRequestRef(url, context.repositoryUrl);
  return ref === undefined || ((await github?.lookAtPullRequest(ref, signal))?.state ?? 'open') === 'open';
}

/** A pull request on the same server as this repository; `undefined` for one elsewhere. */
export function pullRequestRef(url: string, repositoryUrl: string): PullRequestRef | undefined {
  const { origin, pathname } = new URL(url);
  const [, owner, repo, number] = pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin) return undefined;
  return { owner, repo, number: Number(number) };
}
