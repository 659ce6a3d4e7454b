import { isSamePullRequest } from '../../core/address.ts';
import { Budget } from '../../core/budget.ts';
import { ActionError, describeError, inOurWords } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps, DepsWithGitHub } from '../../deps.ts';
import { code } from '../../text/markdown.ts';
import { type Card, isTerminal, jobOf, pullRequestOf } from '../card/card.ts';
import { ended, observe, type Sighting, stopped } from '../card/transitions.ts';
import type { PostedCard } from '../thread/find.ts';
import { claimMs, type OpenCards } from '../thread/requests.ts';
import { openSaver } from '../thread/saver.ts';
import { Writer } from '../thread/writer.ts';
import { openFollower, type Publishing } from './pull.ts';
import { type Reminding, remind } from './remind.ts';
import { requestReview } from './request-review.ts';
import { askedAtMs, type Settled } from './settled.ts';
import { againMs, isNotFound, ObservedJob } from './watch.ts';

/** How many times to check again a job that may be missing, or that may still get its link. */
const maxRechecks = 2;
/** How many times to check for the job of a newly opened pull request. With 5 s between checks, this takes a minute. */
const openedRounds = 12;
/** After this many jobs in a row without a response, the run sends no more requests. */
const maxSilences = 2;
/** Fewer tries than usual, so that one unreachable job doesn't use up the budget for the others. */
const tries = 2;
const notFound = 'The service couldn’t find a job. The job may be too new.';

interface SettleOptions extends Publishing {
  /** The most requests to the service, including retries. */
  readonly requests: number;
  /** How long a job may run. */
  readonly sinceMs?: number;
  /** The URL of a pull request that was just opened, so its job may be about to end. */
  readonly opened?: string | undefined;
  /** When to post reminders, if at all. */
  readonly reminding?: Reminding | undefined;
  /** A job that the caller has just checked. */
  readonly known?: { readonly jobId: string; readonly what: Sighting } | undefined;
}

/** A job of some cards. Job IDs may repeat across projects. */
type JobOfProject = { readonly project: Project; readonly job: ObservedJob };

/** Checks the jobs and pull requests of open cards, edits their comments, and posts reminders. Gives up on a job after `sinceMs`. */
export async function settle(cards: OpenCards, options: SettleOptions, deps: DepsWithGitHub) {
  const { sinceMs = Number.POSITIVE_INFINITY } = options;
  const { clock, signal } = deps;
  const jobs = jobsOf(cards.unwatched, deps);
  const whyPostponed = new Set(await observeAll([...jobs.values()], options, deps));
  const writer = new Writer(whyPostponed, deps);
  const saver = openSaver(writer, deps);
  const { follow, problems } = openFollower(options, whyPostponed, deps);
  const settled: Settled[] = [];
  let isCanceled = false;
  try {
    for (const open of cards.unwatched) {
      const what = jobs.get(nameOfJob(open))?.job.what;
      const ageMs = clock.now() - askedAtMs(open);
      const isTooOld = ageMs >= (jobOf(open.card) === undefined ? claimMs : sinceMs);
      const after = afterCheck(open.card, what, clock.now(), isTooOld);
      if (after === undefined && what !== undefined) whyPostponed.add(notFound);
      const { card: followed = open.card, answer } = after === undefined ? {} : await follow(after);
      const pullRequest = typeof answer === 'object' ? answer : undefined;
      const asked = await requestReview(followed, answer, writer, deps);
      const card = asked ?? followed;
      const isUnknown = after === undefined || answer === 'unknown' || asked === undefined;
      const rest = open.card.state.is === 'ended' ? 'waiting' : 'working';
      const is =
        card !== open.card && asked !== undefined
          ? await saver.save(open, card, ageMs >= sinceMs)
          : isUnknown
            ? 'postponed'
            : rest;
      settled.push({ open, card, pullRequest, is });
    }
    for (const posted of cards.obsolete) await saver.delete(posted);
    saver.finish();
  } catch (error) {
    if (!signal.aborted) throw error;
    isCanceled = true;
  }
  const { reminding } = options;
  const isReminding = reminding !== undefined && !isCanceled;
  const reminded = isReminding && (await remind(settled, reminding, saver, writer, deps));
  const { reminders = 0, postponed = [] } = reminded || {};
  return {
    settled: settled.map(
      (each): Settled => (postponed.includes(each) ? { ...each, is: 'postponed' } : each),
    ),
    whyPostponed: [...whyPostponed],
    notes: problems(),
    reminders,
    isCanceled,
  };
}

/** A card after its job was checked; `undefined` if that failed. While the job runs, it stays the same unless it is too old. */
function afterCheck(card: Card, what: Sighting | undefined, nowMs: number, isTooOld = false) {
  if (card.state.is === 'ended') return card;
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  const after = what === undefined ? card : observe(card, what, nowMs);
  // One 404, or two in the first two minutes, say nothing about the job.
  if (typeof what !== 'object' && after === card) return undefined;
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

function jobsOf(cards: readonly PostedCard[], { service, clock }: Deps): Map<string, JobOfProject> {
  const all = cards.flatMap((open) => {
    const { project } = open.owner;
    const jobId = open.card.state.is === 'ended' ? undefined : jobOf(open.card)?.id;
    if (jobId === undefined) return [];
    const job = new ObservedJob(jobId, { service: service.forProject(project.id), clock });
    return [[nameOfJob(open), { project, job }] as const];
  });
  return new Map(all);
}

function nameOfJob({ owner, card }: PostedCard): string {
  return `${owner.project.id}\n${jobOf(card)?.id}`;
}

/**
 * Checks each job, and again if it may be missing or about to change. Returns the reasons for failed checks.
 * @throws ServiceError if the key is wrong (401) or all projects reject it (403); the signal's reason.
 */
async function observeAll(all: readonly JobOfProject[], options: SettleOptions, deps: Deps) {
  const { requests, opened, known } = options;
  const { clock, runner } = deps;
  const jobs = all.slice(0, requests);
  const budget = new Budget(requests);
  for (const { job } of jobs) if (job.id === known?.jobId) job.what = known.what;
  let due = jobs.filter(({ job }) => job.what === undefined);
  let silences = 0;
  for (let rounds = 0; rounds === 0 || due.length > 0; rounds += 1) {
    if (rounds > 0) await clock.sleep(againMs);
    for (const { project, job } of due) {
      if (silences === maxSilences || isRefused(project, jobs)) continue;
      await job.look({ tries, beforeSend: () => budget.spend() }).catch((error: unknown) => {
        if (!(error instanceof ActionError) || error.reason !== 'budget-spent') throw error;
      });
      const reason = job.error?.reason;
      if (reason === 'unauthorized') throw job.error;
      silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
    }
    const isFound = jobs.some(({ job }) => isSamePullRequest(pullRequestOf(job.seen)?.url, opened));
    const isAwaited = opened !== undefined && !isFound && rounds < openedRounds;
    const isDue = ({ job: { what, seen, mayGetLink } }: JobOfProject) =>
      (rounds < maxRechecks && (what === 'unreadable' || mayGetLink)) ||
      (isAwaited && seen !== undefined && !isTerminal(seen.status));
    due = budget.remaining > 0 ? jobs.filter(isDue) : [];
  }
  const why = warnOfErrors(jobs, runner);
  if (budget.remaining <= 0)
    why.push(
      `All the requests that \`max-requests\` allows (currently ${requests}) have been used.`,
    );
  // The next run may be hours away, so a link that is still missing counts as final.
  for (const { job } of jobs)
    if (typeof job.what === 'object') job.what = { ...job.what, isLinkFinal: true };
  return why;
}

/** Whether a response showed that the service rejects all requests for a project. */
function isRefused(project: Project, jobs: readonly JobOfProject[]): boolean {
  const reasons = jobs.map((other) =>
    other.project === project ? other.job.error?.reason : undefined,
  );
  return reasons.includes('forbidden') || reasons.includes('rate-limited');
}

/** Warns about each error and returns the reasons. @throws ServiceError if every project rejects the key. */
function warnOfErrors(jobs: readonly JobOfProject[], runner: Deps['runner']): string[] {
  const projects = new Set(jobs.map(({ project }) => project));
  const refusing = new Set(
    jobs.flatMap(({ project, job }) => (job.error?.reason === 'forbidden' ? project : [])),
  );
  return jobs.flatMap(({ project: { name }, job: { error } }) => {
    if (error === undefined || isNotFound(error)) return [];
    if (refusing.size === projects.size && error.reason === 'forbidden') throw error;
    const [whose, whoseCode] = projects.size === 1 ? ['', ''] : [`${name}: `, `${code(name)}: `];
    runner.info(`${whose}${describeError(error)}`);
    return [`${whoseCode}${inOurWords(error)}`];
  });
}
