import * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { shortCode } from '../text/markdown.ts';
import { UnexpectedResponse } from './response.ts';

const minuteMs = 60_000;
const maxLimitMs = 180_000;

type GitHubErrorOptions = ActionErrorOptions &
  Partial<Pick<GitHubError, 'status' | 'limitMs' | 'isFromGitHub' | 'lacks'>>;

export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined;
  /** How long the rate limit lasts, in milliseconds; `undefined` if the error isn't about a rate limit. */
  readonly limitMs: number | undefined;
  /** Whether the response came from GitHub itself, not from something in between, such as a proxy. */
  readonly isFromGitHub: boolean;
  /** What GitHub says is missing. After any other 403, it doesn't accept the token, or refuses for an unknown reason. */
  readonly lacks: 'permission' | 'unlocked thread' | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    ({ status: this.status, limitMs: this.limitMs, lacks: this.lacks } = options);
    this.isFromGitHub = options.isFromGitHub ?? false;
  }

  /** Whether GitHub refused the request, so that a retry doesn't help. After a 404, it may: a replica may be out of date. */
  get isRefusal(): boolean {
    const mayPass =
      this.limitMs !== undefined || this.status === 404 || isServerError(this.status ?? 500);
    return this.isFromGitHub && !mayPass;
  }
}

/** The reason for stopping early, as a sentence. All workflows in the repository share GitHub's limit. */
export const nearlySpent = 'GitHub’s hourly limit has nearly been reached.';

/** Ignores an error of GitHub's, if the caller can do without a result. @throws any other error */
export function ignoreGitHubError(error: unknown): undefined {
  if (!(error instanceof GitHubError)) throw error;
}

/** The error if the `thread` input names a thread that doesn't exist or isn't visible; `undefined` for any other error. */
export function missingThread(
  cause: unknown,
  number: number,
  repository: string,
): GitHubError | undefined {
  if (!(cause instanceof GitHubError) || (cause.status !== 404 && cause.status !== 410))
    return undefined;
  const where = `${number} in ${shortCode(repository)}`;
  return new GitHubError(`Thread ${where} doesn’t exist, or the token can’t read it`, {
    ...{ status: cause.status, cause },
    hint: 'Check `thread`, and the `permissions` of this job.',
  });
}

/** Converts the error of a failed octokit call. `tokenName` is the input that the token is from. Any other error is a bug in this action, and isn't converted. */
export function toGitHubError(
  error: unknown,
  doing: string,
  tokenName: string,
  nowMs: number,
): unknown {
  if (error instanceof GitHubError) return error;
  if (error instanceof UnexpectedResponse)
    return new GitHubError('GitHub’s response doesn’t match its documentation', {
      doing,
      hint: 'Check the runner’s network: a proxy or a login page may have responded instead. The debug log names the field.',
    });
  const { data: refusal } = refusalSchema.safeParse(error);
  if (refusal === undefined) {
    const root = rootOf(error);
    if (!(root instanceof TransportError)) return root;
    const hint =
      'Check the runner’s network and proxy, and GitHub’s status. Then re-run the workflow.';
    return new GitHubError('GitHub can’t be reached', { doing, said: root.message, hint });
  }
  const { status, data } = refusal.response;
  const limitMs = limitOf(refusal, nowMs);
  const isFromGitHub = data.documentation_url !== undefined;
  const lacks =
    status === 403 && limitMs === undefined && isFromGitHub ? lackIn(data.message) : undefined;
  const [what, hint] = refusalMeaning(refusal, tokenName, { limitMs, lacks });
  const answer = { hint, status, limitMs, isFromGitHub, lacks };
  const returned = `${doing}: GitHub returned ${status}`;
  if (lacks === undefined)
    return new GitHubError(what, { ...answer, doing: returned, said: data.message });
  if (lacks === 'unlocked thread')
    return new GitHubError('The thread is locked', {
      ...answer,
      hint: 'Unlock it to get comments there.',
    });
  const { method, url } = refusal.request;
  const isInThread =
    /\/issues\/\d+\/comments/.test(url) || (method !== 'GET' && !url.includes('/reactions'));
  if (!isInThread) return new GitHubError(cannot, { ...answer, doing });
  return new GitHubError('The token can’t write in this thread', answer);
}

function lackIn(message = ''): GitHubError['lacks'] {
  if (/\b(?:issue|thread|conversation|pull request) is locked\b/i.test(message))
    return 'unlocked thread';
  return /^Resource not accessible by /i.test(message) ? 'permission' : undefined;
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

/** Primary limits appear in `x-ratelimit-*` headers, secondary ones in `retry-after`, status 429, or the message. */
function limitOf(
  { response: { status, headers, data } }: Refusal,
  nowMs: number,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining'] === '0')
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - nowMs) || minuteMs;
  const isInWords = /secondary rate|abuse detection/i.test(data.message ?? '');
  // If GitHub names no time, we wait a minute, as its documentation asks ("Rate limits").
  return status === 429 || isInWords ? minuteMs : undefined;
}

const contents = '`contents: read`';
/** The permission for each part of the API ("Permissions required for GitHub Apps"). Runs also post in threads that they read. */
const permissions: Partial<Record<string, string>> = {
  pulls: '`pull-requests: write`',
  issues: '`issues: write` (on a pull request, `pull-requests: write`)',
  ...{ actions: '`actions: read`', collaborators: '`metadata: read`' },
  ...{ commits: contents, compare: contents, git: contents, releases: contents },
};
const cannot = 'The token lacks a permission';
const ownToken = 'or remove that input to use the workflow’s own token.';
const anew =
  'A re-run uses the old workflow file: push the fix, then comment again or start a new run.';

function refusalMeaning(
  { request: { url }, response: { status, data } }: Refusal,
  tokenName: string,
  { limitMs, lacks }: Pick<GitHubError, 'limitMs' | 'lacks'>,
): readonly [cause: string, hint?: string | undefined] {
  if (limitMs !== undefined) {
    const wait = formatDuration(Math.ceil(limitMs / minuteMs) * minuteMs);
    return ['GitHub’s rate limit has been reached', `Re-run the workflow in ${wait}.`];
  }
  const [, part = ''] =
    url.match(/\/repos\/[^/]+\/[^/]+\/(?:commits\/[^/]+\/(?=pulls))?(\w+)/) ?? [];
  const says = data.message ?? '';
  const refused = `The organization doesn’t accept the \`${tokenName}\``;
  const needs = lacks === 'permission' ? permissions[part] : undefined;
  // The workflow's own token always has `metadata: read`.
  if (needs !== undefined && (/personal access token/i.test(says) || part === 'collaborators'))
    return [cannot, `Give the token in \`${tokenName}\` the permission ${needs}, ${ownToken}`];
  if (needs !== undefined) return [cannot, `Add ${needs} to this job’s \`permissions\`. ${anew}`];
  if (status === 401)
    return [`The \`${tokenName}\` is wrong or has expired`, `Replace it, ${ownToken}`];
  if (/\bSAML\b/.test(says)) return [refused, `Authorize it for single sign-on, ${ownToken}`];
  if (/\bforbids access via\b/.test(says))
    return [refused, `Use another kind of \`${tokenName}\`, ${ownToken}`];
  if (/\bIP allow list\b/i.test(says))
    return [refused, 'Use a runner whose address is on its IP allow list.'];
  if (isServerError(status)) return ['GitHub is having problems', 'Re-run the workflow later.'];
  const unseen = 'GitHub can’t find what this run asked for, or the token can’t see it';
  if (status === 404) return [unseen, 'Check the `permissions` of this job.'];
  return ['GitHub refused this request', says === '' ? undefined : 'The log has GitHub’s reason.'];
}

function isServerError(status: number): boolean {
  return status >= 500 || status === 408;
}

/** How long to wait before a retry; `undefined` if a retry doesn't help. */
export function retryWaitMs(
  { status, limitMs }: GitHubError,
  triesSoFar: number,
): number | undefined {
  if (limitMs !== undefined) return limitMs <= maxLimitMs ? limitMs : undefined;
  return status === undefined || isServerError(status) ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out the request even though the call failed. */
export function isAmbiguous(error: unknown): boolean {
  const { data: refusal } = refusalSchema.safeParse(error);
  if (refusal !== undefined) return isServerError(refusal.response.status);
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}
