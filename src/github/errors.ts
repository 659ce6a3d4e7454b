import * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { shortCode } from '../text/markdown.ts';
import { UnexpectedResponse } from './response.ts';

const minuteMs = 60_000;
/** If GitHub names no time for a secondary rate limit, we wait a minute, as its documentation asks ("Rate limits"). */
const unnamedLimitMs = minuteMs;
const longestLimitMs = 180_000;

const notGitHub =
  'A proxy or login page between the runner and GitHub may have responded instead. The debug log shows which field was unexpected.';

type GitHubErrorOptions = ActionErrorOptions &
  Partial<Pick<GitHubError, 'status' | 'limitMs' | 'isFromGitHub'>>;

/** A call to GitHub failed. */
export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined;
  /** How long the rate limit lasts, in milliseconds; `undefined` if the error isn't about a rate limit. */
  readonly limitMs: number | undefined;
  /** Whether the response came from GitHub itself, not from something in between, such as a proxy. */
  readonly isFromGitHub: boolean;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
    this.isFromGitHub = options.isFromGitHub ?? false;
  }

  /** Whether the token lacks a permission or the thread is locked, so that a retry doesn't help. */
  get forbidden(): boolean {
    return this.status === 403 && this.limitMs === undefined && this.isFromGitHub;
  }

  /** Whether the thread is locked. Other threads may still be open for comments. */
  get isLocked(): boolean {
    return this.forbidden && /\blocked\b/i.test(this.message);
  }
}

/** Says which permission the token lacks, or that the thread is locked; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  if (error.isLocked) return 'The thread is locked, so nothing can be written there';
  return 'The token can’t write in this thread: add `issues: write` (on a pull request, `pull-requests: write`) under `permissions:` of this job';
}

/** The error if the `thread` input names a thread that doesn't exist or isn't visible; `undefined` for any other error. */
export function missingThread(cause: unknown, number: number, repository: string): GitHubError | undefined {
  if (!(cause instanceof GitHubError) || (cause.status !== 404 && cause.status !== 410)) return undefined;
  const where = `${number} in ${shortCode(repository)}`;
  return new GitHubError(
    `\`thread\`: there is no issue or pull request ${where}, or the token can’t read it`,
    { status: cause.status, cause },
  );
}

/** Converts the error of a failed octokit call. Any other error is a bug in this action, and isn't converted. */
export function toGitHubError(error: unknown, doing: string, nowMs: number): unknown {
  if (error instanceof GitHubError) return error;
  const unexpected = `${doing}: GitHub’s response doesn’t match its documentation`;
  if (error instanceof UnexpectedResponse) return new GitHubError(unexpected, { hint: notGitHub });
  const { data: refusal } = refusalSchema.safeParse(error);
  if (refusal === undefined) {
    const root = rootOf(error);
    if (!(root instanceof TransportError)) return root;
    const hint = 'Check the runner’s network and proxy, and GitHub’s status. Then run it again.';
    return new GitHubError(`${doing}: GitHub can’t be reached`, { said: root.message, hint });
  }
  const { status, data } = refusal.response;
  const limitMs = limitOf(refusal, nowMs);
  const isFromGitHub = data.documentation_url !== undefined;
  const hint = hintFor(refusal, limitMs, isFromGitHub);
  const answer = { said: data.message, hint, status, limitMs, isFromGitHub };
  return new GitHubError(`${doing}: GitHub responded with ${status}`, answer);
}

/** The shape of octokit's `RequestError` for a status of 400 or more. Without a response, the error has no `response` field. */
const refusalSchema = z.object({
  name: z.literal('HttpError'),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    // GitHub's own errors contain a link to its documentation.
    data: z.catch(z.partial(z.object({ message: z.string(), documentation_url: z.string() })), {}),
  }),
});
type Refusal = z.infer<typeof refusalSchema>;

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/**
 * Primary rate limits appear in `x-ratelimit-*` headers. Secondary limits appear in `retry-after`, status 429, or the message.
 */
function limitOf({ response: { status, headers, data } }: Refusal, nowMs: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining'] === '0')
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - nowMs) || unnamedLimitMs;
  const isInWords = /secondary rate|abuse detection/i.test(data.message ?? '');
  return status === 429 || isInWords ? unnamedLimitMs : undefined;
}

/** The permission needed to read each part of the API ("Permissions required for GitHub Apps"). */
const permissions: Partial<Record<string, string>> = {
  ...{ pulls: 'pull-requests', issues: 'issues', actions: 'actions' },
  ...{ commits: 'contents', compare: 'contents', git: 'contents', releases: 'contents' },
};

function hintFor(
  { request: { method, url }, response: { status } }: Refusal,
  limitMs: number | undefined,
  isFromGitHub: boolean,
): string | undefined {
  if (limitMs !== undefined) {
    const wait = formatDuration(Math.ceil(limitMs / minuteMs) * minuteMs);
    return `GitHub’s rate limit has been reached. Run it again in ${wait}.`;
  }
  const [, part = ''] = url.match(/\/repos\/[^/]+\/[^/]+\/(?:commits\/[^/]+\/(?=pulls))?(\w+)/) ?? [];
  const lacks = method === 'GET' && isFromGitHub && status === 403 ? permissions[part] : undefined;
  if (lacks !== undefined)
    return `The token can’t read this: add \`${lacks}: read\` under \`permissions:\` of this job.`;
  if (status === 401) return 'The `github-token` is wrong or has expired.';
  return isServerError(status) ? 'GitHub is having problems. Run it again later.' : undefined;
}

function isServerError(status: number): boolean {
  return status >= 500 || status === 408;
}

/** How long to wait before a retry; `undefined` if a retry doesn't help. */
export function retryWaitMs({ status, limitMs }: GitHubError, triesSoFar: number): number | undefined {
  if (limitMs !== undefined) return limitMs <= longestLimitMs ? limitMs : undefined;
  return status === undefined || isServerError(status) ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out the request even though the call failed. */
export function isAmbiguous(error: unknown): boolean {
  const { data: refusal } = refusalSchema.safeParse(error);
  if (refusal !== undefined) return isServerError(refusal.response.status);
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}
