import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import type { Scrub } from '../text/scrub.ts';
import { GitHubError, retryWaitMs, toGitHubError } from './errors.ts';
import { createFetch } from './fetch.ts';
import { Limits } from './limits.ts';
import { required, UnexpectedResponse } from './response.ts';

const maxTries = 4;
export const perPage = 100;
/** Requests `body_text` in addition to `body` ("Media types"). */
export const withText = { headers: { accept: 'application/vnd.github.full+json' } };

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly token: string;
  /** The input that the token is from; `github-token` by default. */
  readonly tokenName?: string;
  /** The repository as `owner/name`. */
  readonly repository: string;
  readonly clock: Clock;
  /** Ends requests, and the waits between them. */
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  readonly debug: (message: string) => void;
  /** Removes the key and the token from a text. */
  readonly scrub: Scrub;
}

export type Rest = ReturnType<typeof getOctokit>['rest'];

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

type Page = { readonly per_page: number; readonly page: number };

/**
 * Octokit for one repository, with our own HTTP client and with retries. `doing` is the purpose of a request, as the start of a
 * sentence, such as `Writing the comment`. All methods throw `GitHubError`, or the signal's reason.
 */
export class Connection {
  readonly rest: Rest;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly scrub: Scrub;
  readonly repository: string;
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions, limits = new Limits()) {
    this.#options = options;
    this.limits = limits;
    this.clock = options.clock;
    this.scrub = options.scrub;
    this.repository = options.repository;
    const fetch = createFetch(options.dispatcher, options.scrub, limits);
    const userAgent = 'docs-agent-action';
    const octokit = getOctokit(options.token, {
      baseUrl: options.apiUrl,
      userAgent,
      request: { fetch },
    });
    this.rest = octokit.rest;
  }

  /** The same connection with the same limits, whose requests and waits end with another signal. */
  within(signal: AbortSignal): Connection {
    const clock = this.clock.within(signal);
    return new Connection({ ...this.#options, signal, clock }, this.limits);
  }

  /** Calls GitHub, with retries. */
  call<T>(doing: string, attempt: (common: Common) => Promise<T>): Promise<T> {
    return withRetries(() => this.#attempt(doing, attempt), {
      tries: maxTries,
      clock: this.clock,
      waitMs: (error, triesSoFar) => {
        if (!(error instanceof GitHubError)) return undefined;
        return this.limits.takeWait(retryWaitMs(error, triesSoFar));
      },
    });
  }

  async #attempt<T>(doing: string, attempt: (common: Common) => Promise<T>): Promise<T> {
    const { signal, debug, tokenName = 'github-token' } = this.#options;
    const [owner = '', repo = ''] = this.repository.split('/');
    signal.throwIfAborted();
    try {
      return await attempt({ owner, repo, request: { signal } });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UnexpectedResponse) debug(`${doing}: ${error.message}`);
      throw toGitHubError(error, doing, tokenName, this.clock.now());
    }
  }

  /** Sends one request. `map` also gets the `Link` header, which names the other pages of a list. */
  read<const Params, Data, T>(
    doing: string,
    method: Method<Params, Data>,
    params: Params,
    map: (data: Data, link?: string) => T,
  ): Promise<T> {
    return this.call(doing, async (common) => {
      const response = await method({ ...common, ...params });
      return map(response.data, response.headers.link);
    });
  }

  /** Like `read`, but `undefined` if nothing is there. */
  async find<const Params, Data, T>(
    doing: string,
    method: Method<Params, Data>,
    params: Params,
    map: (data: Data, link?: string) => T,
    isGone = isMissing,
  ): Promise<T | undefined> {
    try {
      return await this.read(doing, method, params, map);
    } catch (error) {
      if (!(error instanceof GitHubError) || !error.isFromGitHub) throw error;
      if (error.limitMs !== undefined || !isGone(error)) throw error;
      return undefined;
    }
  }

  /** Reads a list in GitHub's order, up to its last page or up to `maxPages`. */
  async list<const Params, Data, T>(
    doing: string,
    method: Method<Params & Page, readonly Data[]>,
    params: Params,
    map: (data: Data) => T,
    maxPages = Number.POSITIVE_INFINITY,
  ): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const pageParams = { ...params, per_page: perPage, page };
      const isLast = await this.read(doing, method, pageParams, (data, link) => {
        const answers = required(data);
        items.push(...answers.map(map));
        return answers.length < perPage || !hasNext(link);
      });
      if (isLast) break;
    }
    return items;
  }
}

/** 404, 410 (deleted), 409 (empty repository), or 422 (no such commit). */
function isMissing({ status = 0 }: GitHubError): boolean {
  return [404, 409, 410, 422].includes(status);
}

export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}
