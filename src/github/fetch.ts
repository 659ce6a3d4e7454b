import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { type HttpRequest, type HttpResponse, send, TransportError } from '../http/send.ts';
import type { Scrub } from '../text/scrub.ts';
import { GitHubError } from './errors.ts';

/** Creates a `fetch` with the parts that octokit needs. A real `Response` would copy every body. */
export function createFetch(
  dispatcher: Dispatcher,
  scrub: Scrub,
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
    const newUrl = renamedTo(response, url);
    if (newUrl !== undefined) {
      if (init.method !== 'GET')
        throw new GitHubError(
          'The repository was renamed or moved, so GitHub redirects this request',
          {
            status: response.status,
            isFromGitHub: true,
            hint: 'Comment again or start a new run, which uses the new name.',
          },
        );
      response = await request(init, newUrl);
    }
    if (isRedirect(response)) {
      const problem = `it responded with a redirect (${response.status}), which is not followed`;
      throw new TransportError(problem, true);
    }
    return toFetched(response, address, scrub);
  };
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400;
}

/** A renamed repository redirects. The token is sent only to the same server. */
function renamedTo(response: HttpResponse, url: URL): URL | undefined {
  if (!isRedirect(response)) return undefined;
  const target = URL.parse(response.headers.location ?? '', url.href);
  return target?.origin === url.origin ? target : undefined;
}

function toFetched(response: HttpResponse, url: string, scrub: Scrub) {
  const { status } = response;
  // An error may repeat the token. It is removed before the text is cut anywhere, because a part of
  // it wouldn't be recognized.
  const text = status < 400 ? response.text : scrub(response.text);
  // octokit reads an unknown content type as an ArrayBuffer, but we need it only to see that it
  // isn't JSON.
  const read = async () => text;
  // octokit only looks headers up, or lists them. A `Headers` would load all of Node's fetch, which
  // takes 40 ms.
  const headers = new Map(Object.entries(response.headers));
  return { status, url, headers, text: read, arrayBuffer: read };
}
