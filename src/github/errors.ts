import { RequestError } from '@octokit/request-error';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { ActionError, type ActionErrorOptions, messageOf } from '../lib/errors.ts';

/** GitHub asks for a minute where a secondary rate limit names no time (REST documentation, "Rate limits"). */
const unnamedLimitMs = 60_000;
const longestLimitMs = 180_000;

interface GitHubErrorOptions extends ActionErrorOptions {
  readonly status?: number | undefined;
  readonly limitMs?: number | undefined;
}

/** A call to GitHub that did not succeed. */
export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  /** How long a rate limit keeps us away, in milliseconds; `undefined` where there is none. */
  readonly limitMs: number | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
  }

  /** The token lacks a permission, or the thread is locked: trying again does not help. */
  get forbidden(): boolean {
    return this.status === 403 && this.limitMs === undefined;
  }
}

/** What an error of octokit's request means. */
export function fromRequestError(what: string, error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error;
  if (!(error instanceof RequestError) || error.response === undefined) {
    return new GitHubError(`${what}: GitHub could not be reached: ${messageOf(rootOf(error))}`);
  }
  const { status, headers, data } = error.response;
  const said = isMessage(data) ? data.message : '';
  return new GitHubError(`${what}: GitHub answered ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
    limitMs: status === 403 || status === 429 ? limitOf(status, headers, said, nowMs) : undefined,
  });
}

/** How long to wait before sending again: a rate limit's own time, a backoff for what may pass, else `undefined`. */
export function retryWaitMs({ status, limitMs }: GitHubError, triesSoFar: number): number | undefined {
  if (limitMs !== undefined) return limitMs <= longestLimitMs ? limitMs : undefined;
  return status === undefined || status >= 500 || status === 408 ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out a request that failed so. */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof RequestError && error.response !== undefined)
    return error.status >= 500 || error.status === 408;
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}

/** Primary limits say so in `x-ratelimit-*`, secondary ones by `retry-after`, by a 429, or only in words. */
function limitOf(
  status: number,
  headers: Readonly<Record<string, string | number | undefined>>,
  said: string,
  nowMs: number,
): number | undefined {
  const waitMs = retryAfterMs(headers['retry-after']?.toString(), nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining']?.toString() === '0') {
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - nowMs) || unnamedLimitMs;
  }
  return status === 429 || /secondary rate|abuse detection/i.test(said) ? unnamedLimitMs : undefined;
}

function isMessage(data: unknown): data is { message: string } {
  return typeof data === 'object' && data !== null && 'message' in data && typeof data.message === 'string';
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** What a call to GitHub lacked, in the words of a workflow's `permissions`; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  return 'The token may not write in this thread: it needs `issues: write` (on a pull request `pull-requests: write` will do), and the thread must not be locked';
}
