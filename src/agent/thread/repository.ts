import { accessTo } from '../../core/inputs/projects.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { createMarkers, type Marker } from '../../requests/marker.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import type { Session } from '../session.ts';
import { pullRequestOf } from '../tell/ending.ts';

/** How far back comments are read. An open pull request's last follow-up has edited one. */
const sinceMs = 90 * 86_400_000;
const mostPages = 10;
/** How many jobs are looked at for one whose pull request is open. */
const mostJobs = 5;

/** What the verified markers of all threads say, the newest comment first. Read once a run. */
export async function readRepository(session: Session): Promise<readonly Marker[]> {
  const { deps, known, learn, config } = session;
  const { github, clock, context, signal } = deps;
  if (known.repository !== undefined || github === undefined) return known.repository ?? [];
  const options = { sinceMs: clock.now() - sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal);
  if (!isWhole)
    deps.runner.info(
      `Of the repository’s comments the last ${comments.length} that were edited were looked through.`,
    );
  const repository = comments
    .toSorted((one, other) => other.id - one.id)
    .flatMap((comment) => {
      const scope = { service: accessTo(config), repositoryId: context.repositoryId, thread: comment.thread };
      const marker = createMarkers(scope).read(comment);
      // One that does not name its comment may be a copy.
      return marker?.comment === comment.id ? [marker] : [];
    });
  learn({ repository });
  return repository;
}

/**
 * The newest job that this workflow began or went on with by `continue: repository` and whose pull request is still open, so
 * that one pull request gathers what many changes ask for; `undefined` where there is none.
 */
export async function findOpenJob(session: Session): Promise<Job | undefined> {
  const { deps } = session;
  const markers = await readRepository(session);
  const jobs = markers.filter(({ series }) => series === deps.context.workflow).map(({ job }) => job);
  const newest = [...new Set(jobs)].filter((jobId) => jobId !== undefined).slice(0, mostJobs);
  for (const jobId of newest) {
    const job = await deps.service.getJob(jobId, { signal: deps.signal }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.reason === 'not-found') return undefined;
      throw error;
    });
    if (job !== undefined && (await isOpen(job, session))) return job;
  }
  return undefined;
}

/** Whether a job's pull request still takes changes. One that the token cannot see counts as open. */
async function isOpen(job: Job, { deps: { github, context, signal } }: Session): Promise<boolean> {
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
