import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import { type HttpRequest, send } from '../http/send.ts';
import { type Attempt, GitHubError, meaningOf, retryWaitMs } from './errors.ts';

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
interface Common {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
}

type Request<Data> = (common: Common) => Promise<{ readonly data: Data }>;

/** octokit over our own connections, with our own retries, which a cancellation can end. */
export function connect({ apiUrl, token, repository, clock, dispatcher }: ConnectionOptions) {
  const { rest } = getOctokit(token, {
    baseUrl: apiUrl,
    userAgent: 'docs-agent-action',
    request: { fetch: fetchOver(dispatcher) },
  });
  const [owner = '', repo = ''] = repository.split('/');

  /** Tries until it succeeds or cannot. @throws GitHubError, or the signal's reason. */
  function patiently<T>(attempt: Attempt, request: (common: Common) => Promise<T>): Promise<T> {
    const { signal } = attempt;
    const once = async () => {
      signal.throwIfAborted();
      return request({ owner, repo, request: { signal } }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw meaningOf(error, attempt, clock.now());
      });
    };
    const waitMs = (error: unknown, triesSoFar: number) =>
      error instanceof GitHubError ? retryWaitMs(error, triesSoFar) : undefined;
    return withRetries(once, { tries, clock, signal, waitMs });
  }

  function read<Data, T>(attempt: Attempt, request: Request<Data>, map: (data: Data) => T): Promise<T> {
    return patiently(attempt, async (common) => map((await request(common)).data));
  }

  /** The same; `undefined` if GitHub itself says, by one of these statuses, that there is no such thing. */
  async function find<Data, T>(
    { gone = [404], ...attempt }: Attempt & { readonly gone?: readonly number[] },
    request: Request<Data>,
    map: (data: Data) => T,
  ): Promise<T | undefined> {
    return read(attempt, request, map).catch((error: unknown) => {
      const isGone = error instanceof GitHubError && error.isOwnWords && error.limitMs === undefined;
      if (!isGone || !gone.some((status) => status === error.status)) throw error;
      return undefined;
    });
  }

  return { rest, clock, patiently, read, find };
}

/**
 * What octokit needs of `fetch`, over the connections, the time limit and the size limit of both our clients. Its answer is
 * what octokit needs of a `Response`, which would copy every body.
 */
function fetchOver(dispatcher: Dispatcher) {
  return async (address: string, init: Omit<HttpRequest, 'url'>) => {
    // Later versions of the API have no `merge_commit_sha`.
    const headers = { ...init.headers, 'x-github-api-version': '2022-11-28' };
    const {
      status,
      headers: answered,
      text,
    } = await send(dispatcher, { ...init, url: new URL(address), headers });
    if (status >= 300 && status < 400)
      throw new Error(`it answered ${status}, a redirect, which is not followed`);
    return {
      status,
      url: address,
      headers: new Headers(answered),
      text: async () => text,
      arrayBuffer: () => new Response(text).arrayBuffer(),
    };
  };
}
