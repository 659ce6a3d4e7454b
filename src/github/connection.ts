import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { withRetries } from '../http/retry.ts';
import { type HttpRequest, type HttpResponse, send, TransportError } from '../http/send.ts';
import type { Scrub } from '../text/scrub.ts';
import { GitHubError, retryWaitMs, toGitHubError } from './errors.ts';
import { required, UnexpectedResponse } from './response.ts';

const tries = 4;
export const perPage = 100;
/** A workflow's own token gets 1,000 requests an hour ("Rate limits for the REST API"). */
const fewRequests = 200;

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly token: string;
  /** The input that the token is from; `github-token` by default. */
  readonly tokenName?: string;
  /** The repository as `owner/name`. */
  readonly repository: string;
  readonly clock: Clock;
  /** Ends requests, and the client's methods. */
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  readonly debug: (message: string) => void;
  /** Removes the key and the token from a text. */
  readonly scrub: Scrub;
}

export type Connection = ReturnType<ReturnType<typeof connect>>;
export type Rest = Connection['rest'];

type Common = {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
};

type Method<Given, Data> = (
  params: Common & Given,
) => Promise<{ readonly data: Data; readonly headers: { readonly link?: string } }>;

/** One request: its purpose (the start of a sentence, such as `Writing the comment`), method, and parameters. */
type Asked<Given, Data> = readonly [string, Method<Given, Data>, Given];
type Listed<Given, Data> = readonly [string, Method<Given & Page, readonly Data[]>, Given];
type Page = { readonly per_page: number; readonly page: number };

/** Sets up octokit with our own HTTP client. Returns a function that binds the connection to a signal; the limits stay the same. */
export function connect(options: ConnectionOptions) {
  const {
    apiUrl,
    token,
    tokenName = 'github-token',
    repository,
    dispatcher,
    debug,
    scrub,
  } = options;
  let remainingRequests = Number.POSITIVE_INFINITY;
  let patienceMs = Number.POSITIVE_INFINITY;
  const onAnswer = ({ headers }: HttpResponse) => {
    remainingRequests = Number(headers['x-ratelimit-remaining'] ?? remainingRequests);
  };
  const { rest } = getOctokit(token, {
    baseUrl: apiUrl,
    userAgent: 'docs-agent-action',
    request: { fetch: fetchOver(dispatcher, onAnswer, scrub) },
  });
  const [owner = '', repo = ''] = repository.split('/');

  const limits = {
    /** Whether few requests remain in this hour. All workflows in the repository share GitHub's limit. */
    isNearlySpent: () => remainingRequests < fewRequests,

    /** Limits the total time that calls wait between tries from now on. */
    waitAtMost: (ms: number) => {
      patienceMs = ms;
    },
  };
  return (signal: AbortSignal) => {
    const clock = options.clock.within(signal);

    /** Calls GitHub, with retries. @throws GitHubError, or the signal's reason. */
    function callGitHub<T>(doing: string, attempt: (common: Common) => Promise<T>) {
      const once = async () => {
        signal.throwIfAborted();
        return attempt({ owner, repo, request: { signal } }).catch((error: unknown) => {
          signal.throwIfAborted();
          if (error instanceof UnexpectedResponse) debug(`${doing}: ${error.message}`);
          throw toGitHubError(error, doing, tokenName, clock.now());
        });
      };
      const waitMs = (error: unknown, triesSoFar: number) => {
        const ms = error instanceof GitHubError ? retryWaitMs(error, triesSoFar) : undefined;
        if (ms === undefined || ms > patienceMs) return undefined;
        patienceMs -= ms;
        return ms;
      };
      return withRetries(once, { tries, clock, waitMs });
    }

    function read<Given, Data, T>(
      [doing, method, given]: Asked<Given, Data>,
      map: (data: Data, link?: string) => T,
    ): Promise<T> {
      return callGitHub(doing, async (common) => {
        const { data, headers } = await method({ ...common, ...given });
        return map(data, headers.link);
      });
    }

    /** Like `read`, but `undefined` if nothing is there: 404, 410 (deleted), 409 (empty repository), or 422 (no such commit). */
    async function find<Given, Data, T>(
      asked: Asked<Given, Data>,
      map: (data: Data, link?: string) => T,
      isGone = ({ status = 0 }: GitHubError) => [404, 409, 410, 422].includes(status),
    ): Promise<T | undefined> {
      return read(asked, map).catch((error: unknown) => {
        const isAnswer =
          error instanceof GitHubError && error.isFromGitHub && error.limitMs === undefined;
        if (!isAnswer || !isGone(error)) throw error;
        return undefined;
      });
    }

    /** Reads a list in GitHub's order, up to its last page or up to `most` pages. */
    async function list<Given, Data, T>(
      [doing, method, given]: Listed<Given, Data>,
      map: (data: Data) => T,
      most = Number.POSITIVE_INFINITY,
    ): Promise<T[]> {
      const items: T[] = [];
      let isLast = false;
      for (let page = 1; page <= most && !isLast; page += 1) {
        await read([doing, method, { ...given, per_page: perPage, page }], (data, link) => {
          const answers = required(data);
          isLast = answers.length < perPage || !hasNext(link);
          items.push(...answers.map(map));
        });
      }
      return items;
    }

    return { repository, rest, clock, callGitHub, read, find, list, limits };
  };
}

export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}

/** The parts of `fetch` that octokit needs. A real `Response` would copy every body. */
function fetchOver(dispatcher: Dispatcher, onAnswer: (answer: HttpResponse) => void, scrub: Scrub) {
  return async (address: string, init: Omit<HttpRequest, 'url'>) => {
    // Later versions of GitHub's API have no `merge_commit_sha`.
    const headers = { ...init.headers, 'x-github-api-version': '2022-11-28' };
    const sendTo = (url: URL) => send(dispatcher, { ...init, url, headers });
    const url = new URL(address);
    let answer = await sendTo(url);
    const isRedirect = () => answer.status >= 300 && answer.status < 400;
    const moved = URL.parse(answer.headers.location ?? '', address);
    // A renamed repository redirects. The token is sent only to the same server.
    const isRenamed = isRedirect() && moved?.origin === url.origin;
    if (isRenamed && init.method === 'GET') answer = await sendTo(moved);
    const { status } = answer;
    // An error may repeat the token. It is removed before the text is cut anywhere, because a part of it wouldn't be recognized.
    const text = status < 400 ? answer.text : scrub(answer.text);
    onAnswer(answer);
    if (isRenamed && init.method !== 'GET')
      throw new GitHubError(
        'The repository was renamed or moved, so GitHub redirects this request',
        {
          ...{
            status,
            isFromGitHub: true,
            hint: 'Comment again or start a new run, which uses the new name.',
          },
        },
      );
    if (isRedirect())
      throw new TransportError(
        `it responded with a redirect (${status}), which is not followed`,
        true,
      );
    // octokit reads an unknown content type as an ArrayBuffer, but we need it only to see that it isn't JSON.
    const read = async () => text;
    // octokit only looks headers up, or lists them. A `Headers` would load all of Node's fetch, which takes 40 ms.
    const received = new Map(Object.entries(answer.headers));
    return { status, url: address, headers: received, text: read, arrayBuffer: read };
  };
}
