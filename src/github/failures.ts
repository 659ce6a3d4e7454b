import * as z from 'zod/mini';
import { messageOf } from '../core/errors.ts';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { GitHubError, type ReadPermission } from './errors.ts';

const minuteMs = 60_000;
/** GitHub asks for a minute where a secondary rate limit names no time (REST documentation, "Rate limits"). */
const unnamedLimitMs = minuteMs;
const longestLimitMs = 180_000;

/** octokit's `RequestError` for an answer of status 400 or more. If no answer came, it has no `response`. */
const refusalSchema = z.object({
  name: z.literal('HttpError'),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    data: z.unknown(),
  }),
});
/** GitHub's own errors point to its documentation. */
const messageSchema = z.object({ message: z.string(), documentation_url: z.optional(z.string()) });

type Refusal = z.infer<typeof refusalSchema>['response'];

const notGitHub =
  'Something between the runner and GitHub may have answered in its place, such as a proxy or a login page.';

/** What was tried. */
export interface Attempt {
  /** As a sentence begins: `Writing the comment`. */
  readonly doing: string;
  readonly needs?: ReadPermission | undefined;
}

/** What a failed call of octokit means. */
export function meaningOf(error: unknown, { doing, needs }: Attempt, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error;
  // octokit has errors of its own: this one is from reading an answer that lacks what we read.
  if (error instanceof TypeError) {
    const what = `${doing}: GitHub’s answer is not in the form it documents`;
    return new GitHubError(what, { said: error.message, hint: notGitHub });
  }
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    const hint = 'Check the runner’s network and proxy, and GitHub’s status; then run again.';
    return new GitHubError(`${doing}: GitHub could not be reached`, { said: messageOf(rootOf(error)), hint });
  }
  const { message: said, documentation_url: page } = messageSchema.safeParse(refusal.data).data ?? {};
  const limitMs = limitOf(refusal, said ?? '', nowMs);
  const hint = hintFor(refusal.status, limitMs);
  return new GitHubError(`${doing}: GitHub answered ${refusal.status}`, {
    said,
    status: refusal.status,
    limitMs,
    isOwnWords: page !== undefined,
    needs,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What to do about an answer, where that does not depend on what was asked. */
function hintFor(status: number, limitMs: number | undefined): string | undefined {
  if (limitMs !== undefined) {
    const wait = formatDuration(Math.ceil(limitMs / minuteMs) * minuteMs);
    return `GitHub’s rate limit is reached: run again in ${wait}.`;
  }
  if (status === 401) return 'The `github-token` is wrong, or has expired.';
  return status >= 500 || status === 408 ? 'GitHub had a problem of its own; run again later.' : undefined;
}

/** How long to wait before sending again: a rate limit's own time, a backoff for what may pass, else `undefined`. */
export function retryWaitMs({ status, limitMs }: GitHubError, triesSoFar: number): number | undefined {
  if (limitMs !== undefined) return limitMs <= longestLimitMs ? limitMs : undefined;
  return status === undefined || status >= 500 || status === 408 ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out a request that failed so. */
export function isAmbiguous(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal.status >= 500 || refusal.status === 408;
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}

function refusalOf(error: unknown): Refusal | undefined {
  return refusalSchema.safeParse(error).data?.response;
}

/** Primary limits say so in `x-ratelimit-*`, secondary ones by `retry-after`, by a 429, or only in words. */
function limitOf({ status, headers }: Refusal, said: string, nowMs: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining'] === '0') {
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - nowMs) || unnamedLimitMs;
  }
  return status === 429 || /secondary rate|abuse detection/i.test(said) ? unnamedLimitMs : undefined;
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
