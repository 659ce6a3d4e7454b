import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { type HttpRequest, type HttpResponse, send } from '../http/send.ts';
import { GitHubError } from './errors.ts';

/** Creates a `fetch` with the parts that octokit needs. A real `Response` would copy every body. */
export function createFetch(
  dispatcher: Dispatcher,
  clock: Pick<Clock, 'now'>,
  onResponse: (response: HttpResponse, sentAtMs: number) => void,
) {
  async function request(init: Omit<HttpRequest, 'url'>, url: URL): Promise<HttpResponse> {
    // Later versions of GitHub's API have no `merge_commit_sha`.
    const headers = { ...init.headers, 'x-github-api-version': '2022-11-28' };
    const sentAtMs = clock.now();
    const response = await send(dispatcher, { ...init, headers, url });
    onResponse(response, sentAtMs);
    return response;
  }

  return async (address: string, init: Omit<HttpRequest, 'url'>) => {
    const url = new URL(address);
    let response = await request(init, url);
    const newUrl = movedTo(response, url);
    if (newUrl !== undefined && init.method === 'GET') response = await request(init, newUrl);
    if (isRedirect(response)) throw redirectError(response, url);
    return toFetched(response, address);
  };
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400;
}

/** A redirect is permanent: a retry would get the same one. */
function redirectError(response: HttpResponse, url: URL) {
  const { status } = response;
  if (movedTo(response, url) === undefined)
    return new GitHubError('GitHub redirects this request to another server', {
      status,
      hint: 'Check the runner’s network: a proxy or a login page may have responded instead.',
    });
  return new GitHubError(
    'GitHub redirects this request, because the repository was renamed, or the thread was transferred',
    {
      status,
      isFromGitHub: true,
      hint: 'Comment again in the new place, or start a new run. If `thread` has the number of an issue that was transferred, change it.',
    },
  );
}

/**
 * A renamed repository redirects, and so does an issue that was transferred. The token is sent only
 * to the same server.
 */
function movedTo(response: HttpResponse, url: URL): URL | undefined {
  if (!isRedirect(response)) return undefined;
  const target = URL.parse(response.headers.location ?? '', url.href);
  return target?.origin === url.origin ? target : undefined;
}

function toFetched({ status, text, ...response }: HttpResponse, url: string) {
  // octokit reads an unknown content type as an ArrayBuffer, but we need it only to see that it
  // isn't JSON.
  const read = async () => text;
  // octokit only looks headers up, or lists them. A `Headers` would load all of Node's fetch, which
  // takes 40 ms.
  const headers = new Map(Object.entries(response.headers));
  return { status, url, headers, text: read, arrayBuffer: read };
}
