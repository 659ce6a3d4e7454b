import * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import { backoffMs, retryAfterMs } from '../http/retry.ts';
import { TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { code, truncate } from '../text/markdown.ts';
import type { Scrub } from '../text/scrub.ts';
import { UnexpectedResponse } from './response.ts';

const minuteMs = 60_000;
const maxLimitMs = 180_000;
const maxSaid = 1_000;

type GitHubErrorOptions = ActionErrorOptions &
  Partial<Pick<GitHubError, 'status' | 'limitMs' | 'isFromGitHub' | 'lacks'>>;

export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined;
  /**
   * How long the rate limit lasts, in milliseconds; `undefined` if the error isn't about a rate
   * limit.
   */
  readonly limitMs: number | undefined;
  /**
   * Whether the response came from GitHub itself, not from something in between, such as a proxy.
   */
  readonly isFromGitHub: boolean;
  /**
   * What GitHub says is missing. After any other 403, it doesn't accept the token, or refuses for
   * an unknown reason.
   */
  readonly lacks: 'permission' | 'unlocked thread' | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
    this.isFromGitHub = options.isFromGitHub ?? false;
    this.lacks = options.lacks;
  }

  /**
   * Whether GitHub refused the request, so that a retry doesn't help. After a 404, it may: a
   * replica may be out of date.
   */
  get isRefusal(): boolean {
    const { status } = this;
    if (!this.isFromGitHub || this.limitMs !== undefined || status === undefined) return false;
    return status !== 404 && !isServerError(status);
  }
}

/**
 * The reason for stopping early, as a sentence. All workflows in the repository share GitHub's
 * limit.
 */
export const nearlySpent = 'GitHub’s hourly limit has nearly been reached.';

/** Ignores an error of GitHub's, if the caller can do without a result. @throws any other error */
export function ignoreGitHubError(error: unknown): undefined {
  if (!(error instanceof GitHubError)) throw error;
}

/** Whether what the request was about is missing, was deleted, or can't be seen. */
export function isGone(error: unknown): error is GitHubError {
  return error instanceof GitHubError && (error.status === 404 || error.status === 410);
}

/**
 * The error if the `thread` input names a thread that doesn't exist or isn't visible; `undefined`
 * for any other error.
 */
export function missingThread(cause: unknown, number: number, repository: string) {
  if (!isGone(cause)) return undefined;
  const { status } = cause;
  const where = `${number} in ${code(repository)}`;
  const hint = 'Check `thread`, and the `permissions` of this job.';
  const what = `Thread ${where} doesn’t exist, or the token can’t read it`;
  return new GitHubError(what, { status, cause, hint });
}

/** What an error's words depend on. `tokenName` is the input that the token is from. */
interface FailedCall {
  readonly doing: string;
  readonly tokenName: string;
  readonly scrub: Scrub;
  readonly nowMs: number;
}

/**
 * Converts the error of a failed octokit call. Any other error is a bug in this action, and isn't
 * converted.
 */
export function toGitHubError(error: unknown, call: FailedCall): unknown {
  const { doing } = call;
  if (error instanceof GitHubError) return error;
  if (error instanceof UnexpectedResponse)
    return new GitHubError('GitHub’s response doesn’t match its documentation', {
      doing,
      hint: 'Check the runner’s network: a proxy or a login page may have responded instead. The debug log names the field.',
    });
  const refusal = refusalSchema.safeParse(error).data;
  if (refusal !== undefined) return fromRefusal(refusal, call);
  const root = rootOf(error);
  if (!(root instanceof TransportError)) return root;
  return new GitHubError('GitHub can’t be reached', {
    doing,
    said: root.message,
    hint: 'Check the runner’s network and proxy, and GitHub’s status. Then re-run the workflow.',
  });
}

/**
 * The shape of octokit's `RequestError` for a status of 400 or more. Without a response, the error
 * has no `response` field.
 */
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
  if (!(error instanceof Error) || error.cause === undefined) return error;
  return rootOf(error.cause);
}

/** What a refusal means, and what to do about it. */
function fromRefusal(refusal: Refusal, { doing, tokenName, scrub, nowMs }: FailedCall) {
  const { status, data } = refusal.response;
  const { message = '' } = data;
  const limitMs = limitOf(refusal, nowMs);
  const isFromGitHub = data.documentation_url !== undefined;
  const isDenied = status === 403 && limitMs === undefined && isFromGitHub;
  const lacks = isDenied ? findLack(message) : undefined;
  const facts = { status, limitMs, isFromGitHub, lacks };
  if (lacks === 'unlocked thread') {
    const hint = 'Unlock it to get comments there.';
    return new GitHubError('The thread is locked', { ...facts, hint });
  }
  if (lacks === 'permission') {
    const hint = permissionHint(refusal, tokenName);
    if (isInThread(refusal))
      return new GitHubError('The token can’t write in this thread', { ...facts, hint });
    return new GitHubError('The token lacks a permission', { ...facts, doing, hint });
  }

  const said = data.message && truncate(scrub(data.message), maxSaid);
  const returned = { doing: `${doing}: GitHub returned ${status}`, said };
  const fail = (what: string, hint?: string) =>
    new GitHubError(what, { ...facts, ...returned, hint });
  if (limitMs !== undefined) {
    const wait = formatDuration(Math.ceil(limitMs / minuteMs) * minuteMs);
    return fail('GitHub’s rate limit has been reached', `Re-run the workflow in ${wait}.`);
  }
  if (status === 401)
    return fail(`The \`${tokenName}\` is wrong or has expired`, `Replace it, ${ownToken}`);
  const unaccepted = `The organization doesn’t accept the \`${tokenName}\``;
  if (/\bSAML\b/.test(message))
    return fail(unaccepted, `Authorize it for single sign-on, ${ownToken}`);
  if (/\bforbids access via\b/.test(message))
    return fail(unaccepted, `Use another kind of \`${tokenName}\`, ${ownToken}`);
  if (/\bIP allow list\b/i.test(message))
    return fail(unaccepted, 'Use a runner whose address is on its IP allow list.');
  if (isServerError(status)) return fail('GitHub is having problems', 'Re-run the workflow later.');
  if (status === 404)
    return fail(
      'GitHub can’t find what this run asked for, or the token can’t see it',
      visibilityHint(refusal, tokenName),
    );
  return fail('GitHub refused this request', message === '' ? undefined : seeLog);
}

/**
 * Primary limits appear in `x-ratelimit-*` headers, secondary ones in `retry-after`, status 429, or
 * the message.
 */
function limitOf({ response }: Refusal, nowMs: number): number | undefined {
  const { status, headers } = response;
  if (status !== 403 && status !== 429) return undefined;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs !== undefined) return waitMs;
  if (headers['x-ratelimit-remaining'] === '0') {
    const resetMs = Number(headers['x-ratelimit-reset']) * 1000;
    return resetMs > nowMs ? resetMs - nowMs : minuteMs;
  }
  const isInWords = /secondary rate|abuse detection/i.test(response.data.message ?? '');
  // If GitHub names no time, we wait a minute, as its documentation asks ("Rate limits").
  return status === 429 || isInWords ? minuteMs : undefined;
}

function findLack(message: string): GitHubError['lacks'] {
  if (/\b(?:issue|thread|conversation|pull request) is locked\b/i.test(message))
    return 'unlocked thread';
  return /^Resource not accessible by /i.test(message) ? 'permission' : undefined;
}

function isInThread({ request }: Refusal): boolean {
  const { method, url } = request;
  if (/\/issues\/\d+\/comments/.test(url)) return true;
  return method !== 'GET' && !url.includes('/reactions');
}

const contents = '`contents: read`';
/**
 * The permission for each part of the API ("Permissions required for GitHub Apps"). Runs also post
 * in threads that they read.
 */
const permissions: Partial<Record<string, string>> = {
  pulls: '`pull-requests: write`',
  issues: '`issues: write` (on a pull request, `pull-requests: write`)',
  actions: '`actions: read`',
  'check-runs': '`checks: read`',
  collaborators: '`metadata: read`',
  commits: contents,
  compare: contents,
  git: contents,
  releases: contents,
};
const ownToken = 'or remove that input to use the workflow’s own token.';
const anew =
  'A re-run uses the old workflow file: push the fix, then comment again (for a report or a merge, start a new run).';
const seeLog = 'The log has GitHub’s reason.';

/** The part of the API that a request is for, such as `pulls`. */
function partOf({ request }: Refusal): string {
  const path = /\/repos\/[^/]+\/[^/]+\/(?:commits\/[^/]+\/(?=pulls|check-runs))?([\w-]+)/;
  return path.exec(request.url)?.[1] ?? '';
}

/** A 404 doesn't tell what is missing: the thing, the repository, or the permission. */
function visibilityHint(refusal: Refusal, tokenName: string): string {
  const permission = permissions[partOf(refusal)];
  if (permission === undefined) return `Check that the \`${tokenName}\` can see the repository.`;
  return `Check that the \`${tokenName}\` can see the repository, and has ${permission}.`;
}

function permissionHint(refusal: Refusal, tokenName: string): string {
  const { response } = refusal;
  const part = partOf(refusal);
  const permission = permissions[part];
  if (permission === undefined) return seeLog;
  const isPersonal = /personal access token/i.test(response.data.message ?? '');
  // The workflow's own token always has `metadata: read`.
  if (isPersonal || part === 'collaborators')
    return `Give the token in \`${tokenName}\` the permission ${permission}, ${ownToken}`;
  return `Add ${permission} to this job’s \`permissions\`. ${anew}`;
}

function isServerError(status: number): boolean {
  return status >= 500 || status === 408;
}

/** How long to wait before a retry; `undefined` if a retry doesn't help. */
export function retryWaitMs(error: GitHubError, triesSoFar: number): number | undefined {
  const { status, limitMs } = error;
  if (limitMs !== undefined) return limitMs <= maxLimitMs ? limitMs : undefined;
  const mayPass = status === undefined || isServerError(status);
  return mayPass ? backoffMs(triesSoFar) : undefined;
}

/** Whether GitHub may have carried out the request even though the call failed. */
export function isAmbiguous(error: unknown): boolean {
  const refusal = refusalSchema.safeParse(error).data;
  if (refusal !== undefined) return isServerError(refusal.response.status);
  const root = rootOf(error);
  return !(root instanceof TransportError) || root.sent;
}

/**
 * Throws if GitHub doesn't have what a run is about. @param permission what the token needs to see
 * it, as Markdown
 */
export function requireFound<T extends object>(
  answer: T | undefined,
  name: string,
  permission: string,
): T {
  if (answer) return answer;
  const hint = `To see it, the token needs ${permission} on this repository.`;
  throw new GitHubError(`There is no ${name}, or the token can’t see it`, { hint });
}
