import type { DepsWithGitHub } from '../deps.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { PullRequestRef } from '../github/repository.ts';
import type { RunContext } from '../runner/context.ts';
import type { Job } from '../service/schemas.ts';
import { dayMs } from '../text/duration.ts';
import { type Card, jobOf } from './card.ts';
import { isBound, newestJob } from './claims.ts';
import { linksTo, pullRequestOf } from './job.ts';
import type { Left, Owner } from './left.ts';
import { findJob } from './looks.ts';
import type { OpenedPullRequest, Seen } from './next.ts';
import type { Run } from './run.ts';
import { mayBeSigned } from './sign.ts';
import { cardsIn } from './store.ts';

/** How far back comments are searched. Every follow-up to an open pull request edits a comment, so this is enough. */
const sinceMs = 90 * dayMs;
const mostPages = 10;
const mostJobs = 5;
/** We assume that the agent opens a pull request within a day of the request. */
const beforeOpenedMs = dayMs;
const mostPagesSinceOpened = 3;

/** The cards of all threads, newest comment first. GitHub's list is read only once per run. */
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

/** The cards whose job opened this pull request, and the cards of running jobs without a link. Copied cards are ignored. */
export async function findCardsOf(
  { url, createdAtMs }: OpenedPullRequest,
  owners: readonly Owner[],
  { github, signal }: Pick<DepsWithGitHub, 'github' | 'signal'>,
): Promise<{ readonly naming: readonly Left[]; readonly unlinked: readonly Left[] }> {
  const sinceMs = createdAtMs - beforeOpenedMs;
  const options = { sinceMs, maxPages: mostPagesSinceOpened, from: 'oldest' } as const;
  const cards = boundCards((await github.readRepositoryComments(options, signal)).comments, owners);
  return {
    naming: cards.filter(({ card }) => linksTo(jobOf(card), url)),
    unlinked: cards.filter(({ card: { state } }) => state.is === 'working' && state.job.prLink === null),
  };
}

/** The cards that contain their comment's ID, oldest comment first. */
function boundCards(comments: readonly ThreadComment[], owners: readonly Owner[]): Left[] {
  const ours = comments.filter(({ body }) => mayBeSigned(body)).toSorted((one, other) => one.id - other.id);
  return ours.flatMap((comment) =>
    owners.flatMap((owner) => {
      const found = cardsIn([comment], owner.signerOf(comment.thread)).filter(isBound);
      return found.map((one): Left => ({ ...owner, ...one, isOutdated: false }));
    }),
  );
}

/** The newest job of this workflow whose pull request is open. With `continue: repository`, the next prompt goes to this job. */
export async function findOpenJob(cards: readonly Card[], run: Run): Promise<Job | undefined> {
  const { deps } = run;
  const jobs = cards.filter(({ series }) => series === deps.context.workflow).map((card) => jobOf(card)?.id);
  const newest = [...new Set(jobs)].filter((jobId) => jobId !== undefined).slice(0, mostJobs);
  for (const jobId of newest) {
    const job = await findJob(jobId, deps);
    if (job !== undefined && (await isOpen(job, run))) return job;
  }
  return undefined;
}

/**
 * Finds the job that opened the pull request on which a command was posted: the newest job with a link to it, or else a running
 * job that has just opened it. Returns `jobId` without `job` if that job is gone, and neither if no job was found.
 */
export async function findMaker({ pullRequest, deps, owner }: Run): Promise<NonNullable<Seen['target']>> {
  const { github, signal } = deps;
  const none = { jobId: undefined, job: undefined };
  if (pullRequest === undefined || github === undefined) return none;
  const { naming, unlinked } = await findCardsOf(pullRequest, [owner], { github, signal });
  const made = newestJob(naming);
  if (made !== undefined) return { jobId: made, job: await findJob(made, deps) };
  const atWork = new Set(unlinked.toReversed().flatMap(({ card }) => jobOf(card)?.id ?? []));
  for (const jobId of [...atWork].slice(0, mostJobs)) {
    const job = await findJob(jobId, deps);
    if (linksTo(job, pullRequest.url)) return { jobId, job };
  }
  return none;
}

/** Whether a job's pull request still accepts changes. If the token can't see the pull request, we assume that it does. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Run): Promise<boolean> {
  if (job.status === 'archived' || job.status === 'failed') return false;
  // A running job has no link yet but may still open a pull request.
  if (pullRequestOf(job) === undefined) return job.status !== 'completed';
  const ref = pullRequestRef(job, context);
  return ref === undefined || ((await github?.lookAtPullRequest(ref, signal))?.state ?? 'open') === 'open';
}

/** The job's pull request; `undefined` if it isn't on the same server as this repository. */
export function pullRequestRef(
  job: Job | undefined,
  { repositoryUrl }: Pick<RunContext, 'repositoryUrl'>,
): PullRequestRef | undefined {
  const url = pullRequestOf(job)?.url;
  if (url === undefined) return undefined;
  const { origin, pathname } = new URL(url);
  const [, owner, repo, number] = pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin) return undefined;
  return { owner, repo, number: Number(number) };
}
