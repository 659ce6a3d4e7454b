import * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions, messageOf } from '../core/errors.ts';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { shortCode } from '../text/markdown.ts';

const minuteMs = 60_000;
/** GitHub asks for a minute where a secondary rate limit names no time (REST documentation, "Rate limits"). */
const unnamedLimitMs = minuteMs;
const longestLimitMs = 180_000;

const notGitHub =
  'Something between the runner and GitHub may have answered in its place, such as a proxy or a login page.';

/** What a read may lack, in the words of a workflow's `permissions`. */
export type ReadPermission = 'contents: read' | 'issues: read' | 'pull-requests: read';

type GitHubErrorOptions = ActionErrorOptions &
  Partial<Pick<GitHubError, 'status' | 'limitMs' | 'isOwnWords' | 'needs'>>;

/** A call to GitHub that failed. */
export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  /** How long a rate limit keeps us away, in milliseconds; `undefined` where there is none. */
  readonly limitMs: number | undefined;
  /** Whether GitHub itself answered, and not something in between, such as a proxy. */
  readonly isOwnWords: boolean;
  readonly needs: ReadPermission | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
    this.isOwnWords = options.isOwnWords ?? false;
    this.needs = options.needs;
  }

  /** GitHub itself says that the token lacks a permission, or the thread is locked: trying again does not help. */
  get forbidden(): boolean {
    return this.status === 403 && this.limitMs === undefined && this.isOwnWords;
  }

  /** GitHub itself says that the thread is locked: others may still be writable. */
  get isLocked(): boolean {
    return this.forbidden && /\blocked\b/i.test(this.message);
  }
}

/** What a call to GitHub lacked, in the words of a workflow's `permissions`; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  if (error.isLocked) return 'The thread is locked, so nothing can be written there';
  return 'The token can’t write in this thread: add `issues: write` (on a pull request `pull-requests: write`) under `permissions:` of this job';
}

/**
 * The error for a thread, named by the `thread` input, that could not be read: there is none of this number, it was deleted
 * (410), or the token can't see it. `undefined` for any other error.
 */
export function missingThread(cause: unknown, number: number, repository: string): GitHubError | undefined {
  if (!(cause instanceof GitHubError) || (cause.status !== 404 && cause.status !== 410)) return undefined;
  const where = `${number} in ${shortCode(repository)}`;
  return new GitHubError(
    `\`thread\`: there is no issue or pull request ${where}, or the token can’t read it`,
    { status: cause.status, cause },
  );
}

/**
 * The permission that a refused read of the repository lacked; `undefined` for any other error. GitHub answers 403,
 * "Resource not accessible by integration", if it does not hide what is there ("Troubleshooting the REST API"); in a private
 * repository it may answer 404, as for something that does not exist.
 */
export function missingReadPermission(error: unknown): ReadPermission | undefined {
  return error instanceof GitHubError && error.forbidden ? error.needs : undefined;
}

/** What a failed call of octokit means. */
export function meaningOf(error: unknown, doing: string, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error;
  // octokit has errors of its own: this one is from reading an answer that lacks what we read.
  if (error instanceof TypeError)
    return new GitHubError(`${doing}: GitHub’s answer is not in the form it documents`, { hint: notGitHub });
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    const hint = 'Check the runner’s network and proxy, and GitHub’s status; then run again.';
    return new GitHubError(`${doing}: GitHub could not be reached`, { said: messageOf(rootOf(error)), hint });
  }
  const { status, url } = refusal;
  const { message: said, documentation_url: page } = messageSchema.safeParse(refusal.data).data ?? {};
  const limitMs = limitOf(refusal, said ?? '', nowMs);
  return new GitHubError(`${doing}: GitHub answered ${status}`, {
    said,
    hint: hintFor(status, limitMs),
    status,
    limitMs,
    isOwnWords: page !== undefined,
    needs: permissionFor(url),
  });
}

/** octokit's `RequestError` for an answer of status 400 or more. If no answer came, it has no `response`. */
const refusalSchema = z.object({
  name: z.literal('HttpError'),
  response: z.object({
    status: z.number(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    data: z.unknown(),
  }),
});
type Refusal = z.infer<typeof refusalSchema>['response'];

/** GitHub's own errors point to its documentation. */
const messageSchema = z.object({ message: z.string(), documentation_url: z.optional(z.string()) });

function refusalOf(error: unknown): Refusal | undefined {
  return refusalSchema.safeParse(error).data?.response;
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** Primary limits say so in `x-ratelimit-*`, secondary ones by `retry-after`, by a 429, or only in words. */
function limitOf({ status, headers }: Refusal, said: string, nowMs: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining'] === '0')
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - nowMs) || unnamedLimitMs;
  return status === 429 || /secondary rate|abuse detection/i.test(said) ? unnamedLimitMs : undefined;
}

/** What reading a part of the repository takes (GitHub's documentation, "Permissions required for GitHub Apps"). */
function permissionFor(url: string): ReadPermission {
  const [, part] = url.match(/\/repos\/[^/]+\/[^/]+\/(?:commits\/[^/]+\/)?(pulls|issues)\b/) ?? [];
  return part === 'pulls' ? 'pull-requests: read' : part === 'issues' ? 'issues: read' : 'contents: read';
}

/** What to do about an answer, where that does not depend on what was asked. */
function hintFor(status: number, limitMs: number | undefined): string | undefined {
  if (limitMs !== undefined) {
    const wait = formatDuration(Math.ceil(limitMs / minuteMs) * minuteMs);
    return `GitHub’s rate limit is reached: run again in ${wait}.`;
  }
  if (status === 401) return 'The `github-token` is wrong, or has expired.';
  return isItsOwnProblem(status) ? 'GitHub had a problem of its own; run again later.' : undefined;
}

function isItsOwnProblem(status: number): boolean {
  return status >= 500 || status === 408;
}

/** How long to wait before sending again: a rate limit's own time, a backoff for what may pass, else `undefined`. */
export function retryWaitMs({ status, limitMs }: GitHubError, triesSoFar: number): number | undefined {
  if (limitMs !== undefined) return limitMs <= longestLimitMs ? limitMs : undefined;
  return status === undefined || isItsOwnProblem(status) ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out a request that failed so. */
export function isAmbiguous(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return isItsOwnProblem(refusal.status);
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}
