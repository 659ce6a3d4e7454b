import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import { GitHubError, type ReadPermission } from './errors.ts';
import { meaningOf, retryWaitMs } from './failures.ts';
import { fetchOver } from './fetch.ts';

const tries = 4;

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
}

/** GitHub's REST API for one repository. */
export type Connection = ReturnType<typeof connect>;

/** What octokit gives for an answer that is no error. */
interface Answer {
  readonly status: number;
  readonly headers: { readonly link?: string };
  readonly data: unknown;
}

/** Octokit over our own connections, with our own waiting, which can be cancelled. */
export function connect({ apiUrl, token, repository, clock, dispatcher }: ConnectionOptions) {
  const { rest } = getOctokit(token, {
    baseUrl: apiUrl,
    userAgent: 'docs-agent-action',
    request: { fetch: fetchOver(dispatcher) },
  });
  const [owner = '', repo = ''] = repository.split('/');

  return {
    rest,
    clock,

    /** What every request carries. Later versions of the API have no `merge_commit_sha`. */
    common: (signal: AbortSignal) => ({
      owner,
      repo,
      headers: { 'x-github-api-version': '2022-11-28' },
      request: { signal },
    }),

    /**
     * Tries until it succeeds or cannot.
     * @param doing what is tried, as a sentence begins: `Writing the comment`.
     * @param needs what a read that is refused lacks.
     * @throws GitHubError, or the signal's reason.
     */
    patiently: <T>(
      doing: string,
      signal: AbortSignal,
      attempt: () => Promise<T>,
      needs?: ReadPermission,
    ): Promise<T> =>
      withRetries(
        async () => {
          signal.throwIfAborted();
          return attempt().catch((error: unknown) => {
            signal.throwIfAborted();
            throw meaningOf(error, { doing, needs }, clock.now());
          });
        },
        {
          tries,
          clock,
          signal,
          waitMs: (error, soFar) => (error instanceof GitHubError ? retryWaitMs(error, soFar) : undefined),
        },
      ),
  };
}

const notGitHub =
  'Something between the runner and GitHub may have answered in its place, such as a proxy or a login page.';

/** The answer in the form promised. @throws GitHubError for any other, redirects included. */
export function parse<T>(schema: z.ZodMiniType<T>, { status, data }: Answer): T {
  if (status >= 300) throw new GitHubError(`GitHub answered ${status}, a redirect`, { hint: notGitHub });
  const parsed = schema.safeParse(data);
  if (!parsed.success)
    throw new GitHubError('GitHub’s answer is not in the form it documents', { hint: notGitHub });
  return parsed.data;
}

/** Makes `undefined` of GitHub's own word that there is no such thing, by one of these statuses; throws every other error. */
export function unlessMissing(statuses: readonly number[] = [404]) {
  return (error: unknown): undefined => {
    if (!(error instanceof GitHubError && error.isOwnWords)) throw error;
    if (!statuses.some((status) => status === error.status)) throw error;
  };
}
