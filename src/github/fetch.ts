import type { Dispatcher } from 'undici';
import { type HttpRequest, send } from '../http/send.ts';

interface FetchInit {
  readonly method: HttpRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal: AbortSignal;
}

/** Statuses with which a `Response` may have no body (Fetch standard, "null body status"). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** What octokit needs of `fetch`, over the connections, the time limit and the size limit of both our clients. */
export function fetchOver(dispatcher: Dispatcher) {
  return async (url: string, { method, headers, body, signal }: FetchInit): Promise<Response> => {
    const request = { method, url: new URL(url), headers, ...(body == null ? {} : { body }), signal };
    const { status, headers: answered, text } = await send(dispatcher, request);
    return new Response(withoutBody.has(status) ? null : text, { status, headers: answered });
  };
}
