import type { Dispatcher } from 'undici';
import { type HttpRequest, send } from '../http/send.ts';

interface FetchInit {
  readonly method: HttpRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal: AbortSignal;
}

/**
 * What octokit needs of `fetch`, over the connections, the time limit and the size limit of both our clients. Its answer is
 * what octokit needs of a `Response`, which would copy every body.
 */
export function fetchOver(dispatcher: Dispatcher) {
  return async (url: string, { method, headers, body, signal }: FetchInit) => {
    const request = { method, url: new URL(url), headers, ...(body == null ? {} : { body }), signal };
    const { status, headers: answered, text } = await send(dispatcher, request);
    if (status >= 300 && status < 400)
      throw new Error(`it answered ${status}, a redirect, which is not followed`);
    return {
      status,
      url,
      headers: new Headers(answered),
      text: async () => text,
      arrayBuffer: () => new Response(text).arrayBuffer(),
    };
  };
}
