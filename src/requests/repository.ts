import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import type { PullRequestRef } from '../github/repository.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import { type Found, isBound, newestJob } from './claims.ts';
import { pullRequestOf } from './job.ts';
import type { Owner } from './left.ts';
import { findJob } from './looks.ts';
import type { OpenedPullRequest, Seen } from './next.ts';
import type { Run } from './run.ts';
import { mayBeSigned } from './sign.ts';
import { cardsIn } from './store.ts';

/** How far back comments are read. An open pull request's last follow-up has edited one. */
const sinceMs = 90 * 86_400_000;
const mostPages = 10;
/** How many jobs are looked at for one whose pull request is open. */
const mostJobs = 5;
/** A pull request was asked for shortly before it was opened. */
const beforeOpenedMs = 86_400_000;
const mostPagesSinceOpened = 3;

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
  run.repository = boundCards(comments, [{ signerOf }])
    .map(({ card }) => card)
    .reverse();
  return run.repository;
}

/** Whose cards are looked through. */
type Keeper = Pick<Owner, 'signerOf'>;
/** A card with its keeper and the number of the issue or pull request that it is in. */
type Kept<K extends Keeper> = Found & K & { readonly thread: number };

/**
 * The cards that name a pull request as their job's, and those of jobs at work that have no link yet: the oldest comment first. A
 * card that is forged, copied or does not name its comment counts for neither.
 */
export async function findCardsOf<K extends Keeper>(
  { url, createdAtMs }: OpenedPullRequest,
  keepers: readonly K[],
  { github, signal }: { readonly github: GitHub; readonly signal: AbortSignal },
): Promise<{ readonly naming: readonly Kept<K>[]; readonly unlinked: readonly Kept<K>[] }> {
  const sinceMs = createdAtMs - beforeOpenedMs;
  const options = { sinceMs, maxPages: mostPagesSinceOpened, from: 'oldest' } as const;
  const cards = boundCards((await github.readRepositoryComments(options, signal)).comments, keepers);
  return {
    naming: cards.filter(
      ({ card }) => howEnded(card) !== 'answered' && pullRequestOf(jobOf(card))?.url === url,
    ),
    unlinked: cards.filter(({ card: { state } }) => state.is === 'working' && state.job.prLink === null),
  };
}

/** The cards of all threads that name the comment they are in, the oldest comment first. */
function boundCards<K extends Keeper>(
  comments: readonly RepositoryComment[],
  keepers: readonly K[],
): Kept<K>[] {
  const ours = comments.filter(({ body }) => mayBeSigned(body)).toSorted((one, other) => one.id - other.id);
  return ours
    .flatMap((comment) =>
      keepers.flatMap((keeper) =>
        cardsIn([comment], keeper.signerOf(comment.thread)).map((one) => ({
          ...keeper,
          ...one,
          thread: comment.thread,
        })),
      ),
    )
    .filter(isBound);
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

/**
 * The job that made the pull request which a command is on: the newest that a card names with it, or else a job at work that has
 * made it meanwhile; `jobId` without `job` if it is gone, and nothing if none made it.
 */
export async function findMaker({ pullRequest, deps, signerOf }: Run): Promise<NonNullable<Seen['target']>> {
  const { github, signal } = deps;
  const none = { jobId: undefined, job: undefined };
  if (pullRequest === undefined || github === undefined) return none;
  const { naming, unlinked } = await findCardsOf(pullRequest, [{ signerOf }], { github, signal });
  const made = newestJob(naming);
  if (made !== undefined) return { jobId: made, job: await findJob(made, deps, { signal }) };
  const atWork = new Set(unlinked.toReversed().flatMap(({ card }) => jobOf(card)?.id ?? []));
  for (const jobId of [...atWork].slice(0, mostJobs)) {
    const job = await findJob(jobId, deps, { signal });
    if (pullRequestOf(job)?.url === pullRequest.url) return { jobId, job };
  }
  return none;
}

/** Whether a job's pull request still takes changes. One that the token cannot see counts as open. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Run): Promise<boolean> {
  if (job.status === 'archived' || job.status === 'failed') return false;
  const url = pullRequestOf(job)?.url;
  // The link comes with the end: until then there may be one.
  if (url === undefined) return job.status !== 'completed';
  const ref = pullRequestRef(url, context.repositoryUrl);
  return ref === undefined || ((await github?.lookAtPullRequest(ref, signal))?.state ?? 'open') === 'open';
}

/** A pull request on the server of this repository; `undefined` for one elsewhere. */
export function pullRequestRef(url: string, repositoryUrl: string): PullRequestRef | undefined {
  const { origin, pathname } = new URL(url);
  const [, owner, repo, number] = pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin) return undefined;
  return { owner, repo, number: Number(number) };
}
