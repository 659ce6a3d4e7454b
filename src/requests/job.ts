import { type Job, longestLink } from '../service/schemas.ts';

/** The documented statuses that end a job. */
const terminal: ReadonlySet<string> = new Set(['completed', 'archived', 'failed']);

/** How long a job may look unchanged after a message before we accept that as its end. Undocumented, so generous. */
const takeUpMs = 120_000;

/** A completed job may get its link a little later: we check twice more, 5 s apart. */
export const lateLinkLooks = 2;
export const lateLinkMs = 5_000;

/** What is compared to learn whether a job has picked up a message. */
export type JobState = Readonly<Pick<Job, 'status' | 'prLink'>>;

/** Whether a status ends a job. An undocumented status doesn't. */
export function isTerminal(status: string): boolean {
  return terminal.has(status);
}

/** Whether a status is documented. */
export function isDocumented(status: string): boolean {
  return status === 'active' || terminal.has(status);
}

/** Whether a job that has ended looks the same as before a message, so it may have ended before the message. */
export function isAsBefore(before: JobState, now: Job): boolean {
  return isTerminal(now.status) && before.status === now.status && before.prLink === now.prLink;
}

/** Whether a message is so recent that its job may not have picked it up yet. */
export function isTooEarly(askedAt: number | undefined, nowMs: number): boolean {
  return askedAt !== undefined && nowMs - askedAt < takeUpMs;
}

/** Whether a completed job lacks a link, which may come a little later. */
export function lacksLink({ status, prLink }: Job): boolean {
  return status === 'completed' && prLink === null;
}

/**
 * The job's pull request, if its link is an https URL without credentials; the number comes from a GitHub-, GitLab- or
 * Bitbucket-shaped path, and is `''` without one.
 */
export function pullRequestOf(job: Job | undefined): { url: string; number: string } | undefined {
  const link = job?.prLink ?? undefined;
  if (link === undefined || !URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  if (url.href.length > longestLink) return undefined;
  const number = url.pathname.match(
    /\/(?:pull|pulls|-\/merge_requests|merge_requests|pull-requests)\/([1-9]\d{0,14})(?:\/|$)/,
  );
  return { url: url.href, number: number?.[1] ?? '' };
}

/** Whether a job's link leads to this pull request. GitHub ignores the case of owners and repositories. */
export function linksTo(job: Job | undefined, url: string): boolean {
  return pullRequestOf(job)?.url.toLowerCase() === url.toLowerCase();
}
