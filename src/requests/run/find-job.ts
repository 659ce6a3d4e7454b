import { isSamePullRequest } from '../../core/address.ts';
import { ActionError } from '../../core/errors.ts';
import type { PullRequestState } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { dayMs } from '../../text/duration.ts';
import { jobOf, pullRequestOf } from '../card/card.ts';
import { pullOf, pullRequestRef, pullUrlOf } from '../card/pull.ts';
import { whyNew, whyNot } from '../card/remarks.ts';
import { cardsNaming } from '../follow/naming.ts';
import { findJob, readJob } from '../follow/watch.ts';
import { pendingBefore } from '../thread/claims.ts';
import { cardsIn, type Found, find, isBound, merged, type PostedCard } from '../thread/find.ts';
import { isOfSeries, mayOpenPull, newestJob } from '../thread/jobs.ts';
import { type Candidate, candidateFor, choose } from './choose.ts';
import type { Run } from './run.ts';

/* Finds out about the jobs that may get a prompt. */

/** How far back comments are searched. Every follow-up to an open pull request edits a comment, so this is enough. */
const sinceMs = 90 * dayMs;
const [maxPages, maxJobs] = [10, 5];
const unchecked = 'The run continues without checking the pull request.';
/** How often and how long to wait for an earlier command that is still starting its job. */
const [maxWaits, earlierWaitMs] = [4, 5_000];

/** Waits for an earlier command of the thread that is still starting its job, because this prompt goes to the same job. */
export async function waitForEarlier(run: Run): Promise<void> {
  const { comment, sentBefore } = run.card;
  const { ask } = run.plan;
  const { github, clock, runner } = run.deps;
  if (ask.continues !== 'thread' || ask.jobId !== undefined || sentBefore !== undefined) return;
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const earlier = pendingBefore(run.cards, comment?.id ?? 0, clock.now());
    if (earlier === undefined || run.found === undefined) return;
    if (waits === 0)
      runner.info('An earlier command in this thread is still starting its job; waiting for it.');
    await clock.sleep(earlierWaitMs);
    const now = await github?.readComment(earlier.comment.id);
    const others = run.cards.filter((posted) => posted !== earlier);
    const again = now === undefined ? [] : cardsIn([now], [run.plan.owner]).ours;
    run.found = { ...run.found, ours: merged(others, again) };
  }
}

/** Chooses the job that gets the prompt. The job is looked for once, unless the thread has a newer one by now. */
export async function chooseJob(run: Run): Promise<Candidate> {
  const sought = candidateFor(run.card, run.cards, run.plan);
  const last = run.candidate;
  const isSame = last?.sought.in === sought.in && last.sought.jobId === sought.jobId;
  const found = isSame ? last.found : await findCandidate(sought, run);
  run.candidate = { sought, found };
  return choose(found);
}

/** Finds out about a prompt's job. @throws ServiceError `not-found` if the inputs name a job that the service doesn't have. */
async function findCandidate(sought: Candidate, run: Run): Promise<Candidate> {
  const { deps, plan } = run;
  const { in: place, jobId, askedAt } = sought;
  if (place === 'repository') return findOpenJob(await readRepository(run), run);
  if (place === 'pull request') return withPull(await findMaker(run), run);
  if (jobId !== undefined) {
    const find = place === 'inputs' ? readJob : findJob;
    return withPull({ ...sought, job: await find(jobId, askedAt, deps) }, run);
  }
  const hasOtherKeys = plan.ask.continues === 'thread' && (run.found?.ofOtherKeys.length ?? 0) > 0;
  return hasOtherKeys ? { ...sought, why: whyNew.otherKey('in this thread') } : sought;
}

async function withPull(found: Candidate, run: Run): Promise<Candidate> {
  const { job } = found;
  const { pullRequest: here, ask } = run.plan;
  if (job === undefined || ask.prompt === undefined) return found;
  // The context says enough about the pull request that the command is on.
  const { head: headSha, pullState: state } = run.context ?? {};
  if (
    here &&
    headSha !== undefined &&
    state !== undefined &&
    isSamePullRequest(pullRequestOf(job)?.url, here.url)
  )
    return { ...found, pull: { headSha, state } };
  const look = () => readPull(pullRequestOf(job)?.url, run);
  const { value: pull } = await run.bestEffort(look, { meaning: unchecked });
  return { ...found, pull: pull ?? lastPullOf(job, run) };
}

/** The end of a job's pull request, as the thread shows it; `undefined` if it may still be open. */
function lastPullOf(job: Job, { cards }: Run): Candidate['pull'] {
  const pulls = cards.flatMap(({ card }) =>
    jobOf(card)?.id === job.id ? (pullOf(card) ?? []) : [],
  );
  const { state } = pulls.at(-1) ?? {};
  return state === 'merged' || state === 'closed' ? { state, headSha: '' } : undefined;
}

/** A pull request; `undefined` if there is none, or if the token can't see it. */
export async function readPull(
  url: string | undefined,
  run: Run,
): Promise<PullRequestState | undefined> {
  const { github, context } = run.deps;
  const ref = pullRequestRef(url, context);
  if (ref === undefined || github === undefined) return undefined;
  const there = github.at(ref);
  return there.readPullRequestState(ref.number).catch((error: unknown) => {
    // An expired `docs-token` must not stop anything.
    if (there === github || !(error instanceof GitHubError) || !error.isRefusal) throw error;
    run.warn(error, unchecked);
    return undefined;
  });
}

/** The cards of all threads. GitHub's list is read only once per run. */
export async function readRepository(run: Run): Promise<Found> {
  const { clock, runner } = run.deps;
  if (run.repository !== undefined) return run.repository;
  const place = { sinceMs: clock.now() - sinceMs, maxPages };
  const { comments, isWhole, ...found } = await find(place, [run.plan.owner], run.deps);
  if (!isWhole)
    runner.info(
      `Only the ${comments} most recently edited comments in the repository were searched.`,
    );
  expectReadable(found);
  run.repository = { ...found, ours: found.ours.filter(isBound) };
  return run.repository;
}

/** A card that can't be read may be the one that a run searches for, so the run sends nothing. */
function expectReadable({ newer }: Found): void {
  const last = newer.findLast(({ key }) => key === undefined);
  if (last === undefined) return;
  const hint = `The comment: <${last.comment.url}>`;
  throw new ActionError('newer-version', whyNot.newerVersion, { hint });
}

/** The newest jobs that these cards name, as the service has them now; `undefined` for one that is gone. */
async function* newestJobs(cards: readonly PostedCard[], deps: Run['deps']) {
  const byJob = Map.groupBy(cards.toReversed(), ({ card }) => jobOf(card)?.id);
  for (const [jobId = '', [newest]] of [...byJob].slice(0, maxJobs)) {
    const askedAt = newest?.card.askedAt;
    const job = await findJob(jobId, askedAt, deps);
    yield {
      found: { jobId, askedAt, job },
      pullUrl: newest && pullUrlOf(newest.card, deps.context, job),
    };
  }
}

/** This workflow's newest job whose pull request is open. One that the token can't see may have been merged. */
export async function findOpenJob({ ours, ofOtherKeys }: Found, run: Run): Promise<Candidate> {
  const { deps } = run;
  const isOwn = ({ card }: PostedCard) => isOfSeries(card, deps.context);
  const series = ours.filter((posted) => isOwn(posted) && jobOf(posted.card) !== undefined);
  const hasOtherKey = series.length === 0 && ofOtherKeys.some(isOwn);
  let why = hasOtherKey ? whyNew.otherKey('of this workflow') : undefined;
  for await (const { found } of newestJobs(series, deps)) {
    const { job } = found;
    if (job === undefined || job.status === 'archived' || job.status === 'failed') continue;
    const link = pullRequestOf(job);
    // A running job has no link yet but may still open a pull request.
    if (link === undefined && job.status !== 'completed') return { in: 'repository', ...found };
    if (link === undefined) continue;
    const pull = await readPull(pullRequestOf(job)?.url, run);
    if (pull?.state === 'open') return { in: 'repository', ...found, pull };
    if (pull === undefined) why ??= whyNew.unseen(link.url);
  }
  return { in: 'repository', why };
}

/** Finds the job that opened the command's pull request: the newest with a link to it, or a running job that just opened it. */
export async function findMaker({ plan: { pullRequest, owner }, deps }: Run): Promise<Candidate> {
  const place = { in: 'pull request' } as const;
  if (pullRequest === undefined) return place;
  const found = await find({ pullRequests: [pullRequest] }, [owner], deps);
  expectReadable(found);
  const made = newestJob(await cardsNaming(found.ours, [pullRequest], deps));
  if (made !== undefined)
    return { ...place, ...made, job: await findJob(made.jobId, made.askedAt, deps) };
  for await (const maker of newestJobs(found.ours.filter(mayOpenPull), deps))
    if (isSamePullRequest(maker.pullUrl, pullRequest.url)) return { ...place, ...maker.found };
  return place;
}
