import { ActionError } from '../../core/errors.ts';
import type { PullRequestState, ThreadComment } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, jobOf } from '../card/card.ts';
import { linksTo, pullOf, pullRequestOf, pullRequestRef } from '../card/job.ts';
import { findJob, readJob } from '../follow/observe.ts';
import { newestJob } from '../thread/claims.ts';
import { boundCards, findCardsOf } from '../thread/repository-cards.ts';
import { type Known, type Recipient, replacedKey, type Step } from './next.ts';
import type { RepositoryCards, Run } from './run.ts';

/** How far back comments are searched. Every follow-up to an open pull request edits a comment, so this is enough. */
const sinceMs = 90 * dayMs;
const maxPages = 10;
const maxJobs = 5;

/** Finds the job for the prompt. @throws ServiceError `not-found` if the inputs name a job that the service doesn't have. */
export async function findRecipient(
  { jobId, askedAt }: Extract<Step, { do: 'find the recipient' }>,
  known: Known,
  run: Run,
): Promise<Recipient> {
  if (jobId === undefined && run.ask.continues === 'repository')
    return findOpenJob(await readRepository(run), run);
  const find = run.ask.jobId === undefined ? findJob : readJob;
  const found =
    jobId === undefined
      ? await findMaker(run)
      : { jobId, askedAt, job: await find(jobId, askedAt, run.deps) };
  if (found.job === undefined || run.ask.prompt === undefined) return found;
  const { pullRequest: here } = run;
  const { head: headSha } = known.context ?? {};
  // The event and the context say enough about the pull request that the command is on.
  if (here?.isClosed === false && headSha !== undefined && linksTo(found.job, here.url))
    return { ...found, pull: { headSha, state: 'open' } };
  let pull: PullRequestState | undefined;
  const check = async () => {
    pull = await pullRequestFor(found.job, run);
  };
  await run.bestEffort(check, { meaning: 'The run continues without checking the pull request.' });
  return { ...found, pull: pull ?? lastPullOf(found.job, known) };
}

/** The end of a job's pull request, as the thread shows it; `undefined` if it may still be open. */
function lastPullOf(job: Job, { cards = [] }: Known): Recipient['pull'] {
  const pulls = cards.flatMap(({ card }) => (jobOf(card)?.id === job.id ? (pullOf(card) ?? []) : []));
  const { state } = pulls.at(-1) ?? {};
  return state === 'merged' || state === 'closed' ? { state, headSha: '' } : undefined;
}

/** The job's pull request; `undefined` if there is none, or if the token can't see it. */
async function pullRequestFor(job: Job | undefined, { deps: { github, context, signal } }: Run) {
  const ref = pullRequestRef(job, context);
  return ref && github?.readPullRequestState(ref, signal);
}

/** The cards of all threads, newest comment first. GitHub's list is read only once per run. */
export async function readRepository(run: Run): Promise<RepositoryCards> {
  const { github, clock, signal, runner } = run.deps;
  if (run.repository !== undefined) return run.repository;
  if (github === undefined) return { cards: [], unverified: [] };
  const options = { sinceMs: clock.now() - sinceMs, maxPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal);
  if (!isWhole)
    runner.info(`Only the ${comments.length} most recently edited comments in the repository were searched.`);
  const { cards, unverified, unreadable } = boundCards(comments, [run.owner]);
  if (unreadable !== undefined) throw newerVersion(unreadable);
  run.repository = { cards: cards.map(({ card }) => card).reverse(), unverified };
  return run.repository;
}

/** A card that can't be read may be the one that a run searches for, so the run sends nothing. */
function newerVersion({ url }: ThreadComment): ActionError {
  const what = `A newer version of this action wrote [this comment](<${url}>), which this version can’t read`;
  return new ActionError('newer-version', what);
}

/**
 * For `continue: repository`: this workflow's newest job whose pull request is open. A pull request that the token can't see may
 * have been merged, so it isn't continued.
 */
export async function findOpenJob({ cards, unverified }: RepositoryCards, run: Run): Promise<Recipient> {
  const { deps } = run;
  const isOfSeries = ({ series }: Card) => series === deps.context.workflow;
  const byJob = Map.groupBy(cards.filter(isOfSeries), (card) => jobOf(card)?.id);
  byJob.delete(undefined);
  const hasOtherKey = byJob.size === 0 && unverified.some(isOfSeries);
  let whyNew = hasOtherKey ? replacedKey('of this workflow') : undefined;
  for (const [jobId = '', [newest]] of [...byJob].slice(0, maxJobs)) {
    const askedAt = newest?.askedAt;
    const job = await findJob(jobId, askedAt, deps);
    if (job === undefined || job.status === 'archived' || job.status === 'failed') continue;
    const link = pullRequestOf(job);
    // A running job has no link yet but may still open a pull request.
    if (link === undefined && job.status !== 'completed') return { jobId, job, askedAt };
    if (link === undefined) continue;
    const pull = await pullRequestFor(job, run);
    if (pull?.state === 'open') return { jobId, job, askedAt, pull };
    if (pull === undefined)
      whyNew ??= `The token can’t see [the last pull request](<${link.url}>), so this is a new job. To add later changes to one pull request, pass a \`github-token\` that can read it.`;
  }
  return whyNew === undefined ? {} : { whyNew };
}

/** Finds the job that opened the command's pull request: the newest with a link to it, or a running job that just opened it. */
export async function findMaker({ pullRequest, deps, owner }: Run): Promise<Recipient> {
  const { github, signal } = deps;
  if (pullRequest === undefined || github === undefined) return {};
  const { naming, unlinked, unreadable } = await findCardsOf([pullRequest], [owner], { github, signal });
  if (unreadable !== undefined) throw newerVersion(unreadable);
  const made = newestJob(naming);
  if (made !== undefined) return { ...made, job: await findJob(made.jobId, made.askedAt, deps) };
  const byJob = new Map(unlinked.toReversed().map(({ card }) => [jobOf(card)?.id ?? '', card]));
  for (const [jobId, { askedAt }] of [...byJob].slice(0, maxJobs)) {
    const job = await findJob(jobId, askedAt, deps);
    if (linksTo(job, pullRequest.url)) return { jobId, askedAt, job };
  }
  return {};
}
