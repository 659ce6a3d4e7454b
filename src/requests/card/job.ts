import type { PullRequestRef } from '../../github/repository.ts';
import type { RunContext } from '../../runner/context.ts';
import { type Job, maxLink } from '../../service/schemas.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, type JobState, jobOf } from './card.ts';

/* Questions about a job and its pull request. */

/** How long a job may look unchanged after a follow-up. The service documents no limit, so we allow plenty of time. */
const takeUpMs = 120_000;

/** How long after a merge its checks are read: a later one may fail, and one that failed may be run again. */
const awaitedMs = dayMs;

/** Whether a status means that the job has ended. An undocumented status doesn't. */
export function isTerminal(status: string): boolean {
  return ['completed', 'archived', 'failed'].includes(status);
}

/** Whether an ended job looks the same as before a follow-up, so it may have ended before the follow-up. */
export function isAsBefore(before: JobState, now: Job): boolean {
  return isTerminal(now.status) && before.status === now.status && before.prLink === now.prLink;
}

/** Whether a follow-up was sent so recently that the job may not have picked it up yet. */
export function isTooEarly(askedAt: number | undefined, nowMs: number): boolean {
  return askedAt !== undefined && nowMs - askedAt < takeUpMs;
}

/** Whether a completed job has no pull request link, which may still be added. */
export function lacksLink({ status, prLink }: Job): boolean {
  return status === 'completed' && prLink === null;
}

/** How an ended job ended. A status that isn't documented counts as a failure. */
export function endOf({ status, prLink }: Job): 'pr' | 'none' | 'archived' | 'failed' {
  if (status === 'completed') return prLink === null ? 'none' : 'pr';
  return status === 'archived' ? 'archived' : 'failed';
}

/** A URL that people may be sent to: https, without credentials, and not too long for a comment. */
export function safeUrl(text: string | null | undefined): URL | undefined {
  const url = URL.parse(text ?? '');
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return url.href.length > maxLink ? undefined : url;
}

/** The job's pull request, if its link is safe. `number` is `''` if the URL contains none. */
export function pullRequestOf(job: Job | undefined): { url: string; number: string } | undefined {
  const url = safeUrl(job?.prLink);
  if (url === undefined) return undefined;
  const number = url.pathname.match(
    /\/(?:pull|pulls|-\/merge_requests|merge_requests|pull-requests)\/([1-9]\d{0,14})(?:\/|$)/,
  );
  return { url: url.href, number: number?.[1] ?? '' };
}

/** Whether a job's link leads to this pull request. GitHub ignores upper and lower case in owner and repository names. */
export function linksTo(job: Job | undefined, url: string): boolean {
  return pullRequestOf(job)?.url.toLowerCase() === url.toLowerCase();
}

/** The last known state of the pull request. */
export function pullOf(card: Card): Card['pull'] {
  return card.pull?.url === pullRequestOf(jobOf(card))?.url ? card.pull : undefined;
}

/** The pull request as the `result` output describes it; `null` if there is none. */
export function pullRequestDetails(card: Card) {
  const link = pullRequestOf(jobOf(card));
  const { state, shown } = pullOf(card) ?? {};
  const checks = checksOf(card)?.is;
  if (link === undefined) return null;
  return { ...link, ...(shown && state !== 'unseen' && { state, ...shown }), ...(checks && { checks }) };
}

/** Whether the pull request may still be merged, closed, or reopened, or its merge may still be published. */
export function isFollowed(card: Card, nowMs: number): boolean {
  if (card.state.is !== 'ended' || card.state.how === 'gone' || card.ask === 'reply') return false;
  const { state, mergedAt = 0 } = pullOf(card) ?? {};
  const isAwaited = nowMs - mergedAt < awaitedMs;
  return pullRequestOf(card.state.job) !== undefined && (state !== 'merged' || isAwaited);
}

/** What the checks say about the pull request in its last known state. */
export function checksOf(card: Card) {
  const { state, checks } = pullOf(card) ?? {};
  const isAboutMerge = checks?.is === 'published' || checks?.is === 'not-published';
  return state === (isAboutMerge ? 'merged' : 'open') ? checks : undefined;
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
