import { isSamePullRequest } from '../../core/address.ts';
import { ActionError } from '../../core/errors.ts';
import type { OpenedPull, PullRequestState } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { dayMs } from '../../text/duration.ts';
import { jobOf, pullRequestOf } from '../card/card.ts';
import { isElsewhere, pullOf, pullRequestRef, pullUrlOf } from '../card/pull.ts';
import { whyNew, whyNot } from '../card/remarks.ts';
import { findCardsNaming } from '../follow/naming.ts';
import { findJob, readJob } from '../follow/observed-job.ts';
import { pendingBefore } from '../thread/claims.ts';
import {
  cardsIn,
  type Found,
  findCards,
  isBound,
  mergeReads,
  type PostedCard,
} from '../thread/find.ts';
import { isOfSeries, mayOpenPull, newestJob } from '../thread/jobs.ts';
import { type Candidate, candidateFor, choose } from './choose.ts';
import type { Run } from './run.ts';

/* Finds out about the jobs that may get a prompt. */

/**
 * How far back comments are searched. Every follow-up to an open pull request edits a comment, so
 * this is enough.
 */
const sinceMs = 90 * dayMs;
const maxPages = 10;
/** How many of the newest jobs are read to find one. */
const maxJobs = 5;
/** How often and how long to wait for an earlier command that is still starting its job. */
const maxWaits = 4;
const earlierWaitMs = 5_000;
const unchecked = 'The run continues without checking the pull request.';

/**
 * Waits for an earlier command of the thread that is still starting its job, because this prompt
 * goes to the same job.
 */
export async function waitForEarlierCommand(run: Run): Promise<void> {
  const { ask } = run.plan;
  if (ask.continues !== 'thread' || ask.jobId !== undefined) return;
  if (run.card.sentBefore !== undefined) return;
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const commentId = run.card.comment?.id ?? 0;
    const earlier = pendingBefore(run.cards, commentId, run.deps.clock.now());
    if (earlier === undefined) return;
    if (waits === 0)
      run.deps.runner.info(
        'An earlier command in this thread is still starting its job; waiting for it.',
      );
    await run.deps.clock.sleep(earlierWaitMs);
    await readCardAgain(earlier, run);
  }
}

async function readCardAgain(posted: PostedCard, run: Run): Promise<void> {
  if (run.found === undefined) return;
  const comment = await run.deps.github?.readComment(posted.comment.id);
  const others = run.found.ours.filter((other) => other !== posted);
  const comments = comment === undefined ? [] : [comment];
  const { ours } = cardsIn(comments, [run.plan.owner]);
  run.found = { ...run.found, ours: mergeReads(others, ours) };
}

/** Chooses the job that gets the prompt. */
export async function chooseJob(run: Run): Promise<Candidate> {
  const sought = candidateFor(run.card, run.cards, run.plan);
  return choose(await findCandidate(sought, run));
}

/**
 * Finds out about a prompt's job.
 * @throws ServiceError `not-found` if the inputs name a job that the service doesn't have
 */
async function findCandidate(sought: Candidate, run: Run): Promise<Candidate> {
  const { jobId, askedAt } = sought;
  if (sought.in === 'repository') return findOpenJob(await readRepository(run), run);
  if (sought.in === 'pull request') {
    const maker = await findMaker(run);
    if (maker.in === 'pull request') return withPull(maker, run);
  }
  if (jobId !== undefined) {
    const read = sought.in === 'inputs' ? readJob : findJob;
    return withPull({ ...sought, job: await read(jobId, askedAt, run.deps) }, run);
  }
  const others = run.found?.ofOtherKeys ?? [];
  if (run.plan.ask.continues !== 'thread' || others.length === 0) return { in: 'nowhere' };
  return { in: 'nowhere', why: whyNew.otherKey('in this thread') };
}

/** Adds the state of the job's pull request. */
async function withPull(candidate: Candidate, run: Run): Promise<Candidate> {
  const { job } = candidate;
  if (job === undefined || run.plan.ask.prompt === undefined) return candidate;
  const url = pullUrlIn(candidate, run);
  const pull = pullInContext(url, run);
  if (pull !== undefined) return { ...candidate, pull };
  let seen: Candidate['pull'];
  await run.tryTo(async () => {
    seen = await readPull(url, run);
  }, unchecked);
  return { ...candidate, pull: seen ?? lastPullOf(job, run) };
}

/** Where the pull request of a candidate's job is now. */
function pullUrlIn({ card, job }: Candidate, run: Run): string | undefined {
  if (card === undefined) return pullRequestOf(job)?.url;
  return pullUrlOf(card, run.deps.context, job);
}

/** The pull request that the command is on, if it's the job's. The context says enough about it. */
function pullInContext(url: string | undefined, run: Run): Candidate['pull'] {
  const { pullRequest } = run.plan;
  if (pullRequest === undefined) return undefined;
  if (!isSamePullRequest(url, pullRequest.url)) return undefined;
  return run.context?.pull;
}

/** The end of a job's pull request, as the thread shows it; `undefined` if it may still be open. */
function lastPullOf(job: Job, run: Run): Candidate['pull'] {
  const ofJob = run.cards.filter(({ card }) => jobOf(card)?.id === job.id);
  const state = ofJob.map(({ card }) => pullOf(card)?.state).findLast((known) => known);
  if (state !== 'merged' && state !== 'closed') return undefined;
  return { state, headSha: '' };
}

/** A pull request; `undefined` if there is none, or if the token can't see it. */
export async function readPull(
  url: string | undefined,
  run: Run,
): Promise<PullRequestState | undefined> {
  const { github } = run.deps;
  const ref = pullRequestRef(url, run.deps.context);
  if (ref === undefined || github === undefined) return undefined;
  try {
    return await github.at(ref).readPullRequestState(ref.number);
  } catch (error) {
    // An expired `docs-token` must not stop anything.
    if (!isElsewhere(ref, run.deps.context) || !(error instanceof GitHubError) || !error.isRefusal)
      throw error;
    run.warn(error, unchecked);
    return undefined;
  }
}

/** The cards of all threads. GitHub's list is read only once per run. */
export async function readRepository(run: Run): Promise<Found> {
  if (run.repository !== undefined) return run.repository;
  const place = { sinceMs: run.deps.clock.now() - sinceMs, maxPages };
  const found = await findCards(place, [run.plan.owner], run.deps);
  if (!found.isWhole)
    run.deps.runner.info(
      `Only the ${found.comments} most recently edited comments in the repository were searched.`,
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

/** The newest jobs of these cards, each with its newest card, and as the service has it now. */
async function* readNewestJobs(cards: readonly PostedCard[], deps: Run['deps']) {
  const newestOfJob = new Map<string, PostedCard>();
  for (const posted of cards.toReversed()) {
    const jobId = jobOf(posted.card)?.id;
    if (jobId !== undefined && !newestOfJob.has(jobId)) newestOfJob.set(jobId, posted);
  }
  for (const [jobId, { card }] of [...newestOfJob].slice(0, maxJobs)) {
    const job = await findJob(jobId, card.askedAt, deps);
    yield { jobId, card, job };
  }
}

/**
 * This workflow's newest job whose pull request is open. One that the token can't see may have been
 * merged.
 */
export async function findOpenJob(found: Found, run: Run): Promise<Candidate> {
  const isOwn = ({ card }: PostedCard) => isOfSeries(card, run.deps.context);
  const series = found.ours.filter(isOwn).filter(({ card }) => jobOf(card) !== undefined);
  let why: string | undefined;
  if (series.length === 0 && found.ofOtherKeys.some(isOwn))
    why = whyNew.otherKey('of this workflow');
  for await (const { jobId, card, job } of readNewestJobs(series, run.deps)) {
    if (job === undefined || job.status === 'archived' || job.status === 'failed') continue;
    const candidate = { in: 'repository', jobId, askedAt: card.askedAt, card, job } as const;
    const url = pullUrlIn(candidate, run);
    if (url === undefined) {
      // A running job has no link yet but may still open a pull request.
      if (job.status !== 'completed') return candidate;
      continue;
    }
    const pull = await readPull(url, run);
    if (pull?.state === 'open') return { ...candidate, pull };
    if (pull === undefined) why ??= whyNew.unseen(url);
  }
  return { in: 'repository', why };
}

/** Finds the job that opened the command's pull request. */
export async function findMaker(run: Run): Promise<Candidate> {
  const { pullRequest } = run.plan;
  const nothing: Candidate = { in: 'nowhere' };
  if (pullRequest === undefined || (await isFromFork(pullRequest, run))) return nothing;
  const maker = (await findMakers([pullRequest], run)).get(pullRequest.url);
  // The job of a person's own pull request needs no reason.
  if (maker === undefined) return pullRequest.isByBot ? { in: 'pull request' } : nothing;
  const job = maker.job ?? (await findJob(maker.jobId, maker.askedAt, run.deps));
  return { in: 'pull request', ...maker, job };
}

/** The agent opens its pull requests from branches of the repository. */
async function isFromFork({ url }: OpenedPull, run: Run): Promise<boolean> {
  const pull = run.context?.pull ?? (await readPull(url, run));
  // If the token can't see it, a card may still name it.
  return pull?.isFromFork === true;
}

/**
 * Finds the agent's own among these pull requests, and returns their URLs. Our cards tell, not the
 * authors: the service opens some in the name of a person.
 */
export async function findOwnPulls(
  pulls: readonly OpenedPull[],
  run: Run,
): Promise<ReadonlySet<string>> {
  const { continues } = run.plan.ask;
  const known = continues === 'repository' ? (await readRepository(run)).ours : run.cards;
  const own = new Set<string>();
  const others: OpenedPull[] = [];
  for (const pull of pulls) {
    const naming = await findCardsNaming(known, [pull], run.deps);
    if (naming.length > 0) own.add(pull.url);
    else others.push(pull);
  }
  // Once a thread has a job, its commands don't search other threads.
  const isEnough = run.card.isCommand && newestJob(run.cards) !== undefined;
  if (others.length === 0 || isEnough) return own;
  const makers = await findMakers(others, run);
  for (const { url } of others) if (makers.get(url) !== undefined) own.add(url);
  return own;
}

/**
 * Finds the jobs that opened these pull requests: the newest with a link to each, or a running job
 * that just opened it.
 */
async function findMakers(pulls: readonly OpenedPull[], run: Run): Promise<Run['makers']> {
  const { deps, makers } = run;
  const unknown = pulls.filter(({ url }) => !makers.has(url));
  if (unknown.length === 0) return makers;
  const found = await findCards({ pullRequests: unknown }, [run.plan.owner], deps);
  expectReadable(found);
  for (const pull of unknown)
    makers.set(pull.url, newestJob(await findCardsNaming(found.ours, [pull], deps)));
  const unlinked = unknown.filter(({ url }) => makers.get(url) === undefined);
  if (unlinked.length === 0) return makers;
  for await (const maker of readNewestJobs(found.ours.filter(mayOpenPull), deps)) {
    const { jobId, card, job } = maker;
    const link = pullUrlOf(card, deps.context, job);
    const opened = unlinked.find(({ url }) => isSamePullRequest(link, url));
    if (opened === undefined) continue;
    makers.set(opened.url, { jobId, askedAt: card.askedAt, card, job });
    if (unlinked.length === 1) break;
  }
  return makers;
}
