import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import { GitHubError } from './errors.ts';
import { type Attempt, meaningOf, retryWaitMs } from './failures.ts';
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
export type Rest = Connection['rest'];

/** What every request carries. */
export interface Common {
  readonly owner: string;
  readonly repo: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: { readonly signal: AbortSignal };
}

/** octokit over our own connections, with our own retries, which a cancellation can end. */
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

    /** Tries until it succeeds or cannot. @throws GitHubError, or the signal's reason. */
    patiently: <T>(
      attempt: Attempt,
      signal: AbortSignal,
      request: (common: Common) => Promise<T>,
    ): Promise<T> => {
      // Later versions of the API have no `merge_commit_sha`.
      const headers = { 'x-github-api-version': '2022-11-28' };
      const once = async () => {
        signal.throwIfAborted();
        return request({ owner, repo, headers, request: { signal } }).catch((error: unknown) => {
          signal.throwIfAborted();
          throw meaningOf(error, attempt, clock.now());
        });
      };
      const waitMs = (error: unknown, triesSoFar: number) =>
        error instanceof GitHubError ? retryWaitMs(error, triesSoFar) : undefined;
      return withRetries(once, { tries, clock, signal, waitMs });
    },
  };
}

/** Returns `undefined` if GitHub itself says, by one of these statuses, that there is no such thing; throws any other error. */
export function unlessMissing(statuses: readonly number[] = [404]) {
  return (error: unknown): undefined => {
    if (!(error instanceof GitHubError && error.isOwnWords)) throw error;
    if (!statuses.some((status) => status === error.status)) throw error;
  };
}
