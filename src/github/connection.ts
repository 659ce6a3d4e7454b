import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import type { HttpResponse } from '../http/send.ts';
import { type Scrub, type ScrubbedAll, scrubAll } from '../text/scrub.ts';
import { GitHubError, isGone, retryWaitMs, toGitHubError } from './errors.ts';
import { createFetch } from './fetch.ts';
import { required, UnexpectedResponse } from './response.ts';
import type { GitHubTime } from './time.ts';

const maxTries = 4;
/** A workflow's own token gets 1,000 requests an hour ("Rate limits for the REST API"). */
const minRemaining = 200;
export const perPage = 100;
/** Requests `body_text` in addition to `body` ("Media types"). */
export const withText = { headers: { accept: 'application/vnd.github.full+json' } };

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly token: string;
  /** The input that the token is from; `github-token` by default. */
  readonly tokenName?: string;
  /** The repository as `owner/name`, which may be a former name. */
  readonly repository: string;
  /** The ID of the run's own repository; absent or `''` if it is unknown. A new name keeps it. */
  readonly repositoryId?: string | undefined;
  /** The event's thread, and how many comments it had. */
  readonly thread?: { readonly number: number; readonly commentCount: number } | undefined;
  readonly clock: Clock;
  /** Ends requests, and the waits between them. */
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  readonly debug: (message: string) => void;
  /** Removes the key and the token from a text. */
  readonly scrub: Scrub;
}

export type Connection = ReturnType<typeof connect>;
export type Rest = Connection['rest'];

/** What all requests have in common. */
type Common = {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
};

/** A method of octokit. */
type Method<Params, Data> = (
  params: Common & Params,
) => Promise<{ readonly data: Data; readonly headers: { readonly link?: string } }>;

/**
 * Connects to one repository: octokit with our own HTTP client, and with retries. `doing` is the
 * purpose of a request, as the start of a sentence, such as `Writing the comment`. All functions
 * throw `GitHubError`, or the signal's reason.
 */
export function connect(options: ConnectionOptions, limits: Limits, time: GitHubTime) {
  const { signal, scrub, tokenName = 'github-token' } = options;
  const [owner = '', repo = ''] = options.repository.split('/');
  const common: Common = { owner, repo, request: { signal } };
  const learn = (response: HttpResponse, sentAtMs: number) => {
    limits.update(response);
    time.update(response, sentAtMs);
  };
  const { rest, request } = getOctokit(options.token, {
    baseUrl: options.apiUrl,
    userAgent: 'docs-agent-action',
    request: { fetch: createFetch(options.dispatcher, options.clock, learn) },
  });

  /** Calls GitHub, with retries, and scrubs the result. */
  function call<T>(doing: string, attempt: () => Promise<T>): Promise<ScrubbedAll<T>> {
    const attemptOnce = async () => {
      signal.throwIfAborted();
      try {
        const result: T = await attempt();
        return scrubAll(result, scrub);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof UnexpectedResponse) options.debug(`${doing}: ${error.message}`);
        throw toGitHubError(error, { doing, tokenName, scrub, nowMs: options.clock.now() });
      }
    };
    const waitMs = (error: unknown, triesSoFar: number) => {
      if (!(error instanceof GitHubError)) return undefined;
      return limits.takeWait(retryWaitMs(error, triesSoFar));
    };
    return withRetries(attemptOnce, { tries: maxTries, clock: options.clock, waitMs });
  }

  /**
   * Sends one request. `map` also gets the `Link` header, which names the other pages of a list.
   */
  function read<const Params, Data, T>(
    doing: string,
    method: Method<Params, Data>,
    params: Params,
    map: (data: Data, link?: string) => T,
  ): Promise<ScrubbedAll<T>> {
    return call(doing, async () => {
      const response = await method({ ...common, ...params });
      return map(response.data, response.headers.link);
    });
  }

  /** Like `read`, but `undefined` if nothing is there: after an error of GitHub's that `isNothing`. */
  async function find<const Params, Data, T>(
    doing: string,
    method: Method<Params, Data>,
    params: Params,
    map: (data: Data, link?: string) => T,
    isNothing = (error: GitHubError) => isGone(error) || isUnknownCommit(error),
  ): Promise<ScrubbedAll<T> | undefined> {
    try {
      return await read(doing, method, params, map);
    } catch (error) {
      if (!(error instanceof GitHubError) || !error.isFromGitHub) throw error;
      if (error.limitMs !== undefined || !isNothing(error)) throw error;
      return undefined;
    }
  }

  /** Reads a list in GitHub's order, up to its last page or up to `maxPages`. */
  async function list<const Params, Data, T>(
    doing: string,
    method: Method<Params & { per_page: number; page: number }, readonly Data[]>,
    params: Params,
    map: (data: Data) => T,
    maxPages = Number.POSITIVE_INFINITY,
  ): Promise<ScrubbedAll<T>[]> {
    const items: ScrubbedAll<T>[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const pageParams = { ...params, per_page: perPage, page };
      const { answers, isLast } = await read(doing, method, pageParams, (data, link) => {
        const answers = required(data).map(map);
        return { answers, isLast: answers.length < perPage || !hasNext(link) };
      });
      items.push(...answers);
      if (isLast) break;
    }
    return items;
  }

  return { options, common, rest, request, limits, call, read, find, list };
}

export type Limits = ReturnType<typeof createLimits>;

/** How much the connections to a repository may still ask of GitHub, and wait for it. */
export function createLimits() {
  let remainingRequests = Number.POSITIVE_INFINITY;
  let remainingWaitMs = Number.POSITIVE_INFINITY;
  return {
    update({ headers }: HttpResponse) {
      const remaining = headers['x-ratelimit-remaining'];
      if (remaining !== undefined) remainingRequests = Number(remaining);
    },

    /**
     * Whether few requests remain in this hour. All workflows in the repository share GitHub's
     * limit.
     */
    isNearlySpent: () => remainingRequests < minRemaining,

    /** Limits the total time that calls wait between tries from now on. */
    waitAtMost(ms: number) {
      remainingWaitMs = ms;
    },

    /** Takes a wait from that time; `undefined` if there is too little left. */
    takeWait(ms: number | undefined): number | undefined {
      if (ms === undefined || ms > remainingWaitMs) return undefined;
      remainingWaitMs -= ms;
      return ms;
    },
  };
}

/**
 * 409 (empty repository), or 422 (no such commit). A 404 for a commit that is known to exist means
 * that the token can't see the repository ("Troubleshooting the REST API").
 */
export function isUnknownCommit({ status }: GitHubError): boolean {
  return status === 409 || status === 422;
}

export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}
