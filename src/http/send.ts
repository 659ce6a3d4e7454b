import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';

const maxTimeoutMs = 30_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds until the response must be complete. Default and maximum: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Called once a connection is open, right before sending. After that, the server may have the request. */
  readonly onSend?: (() => void) | undefined;
}

/** The names of headers are in lowercase. Repeated headers are joined with a comma. */
export type HttpResponse = Readonly<Awaited<ReturnType<typeof send>>>;

/** There was no complete response, because the network failed or the time was up. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Whether the server may have received any part of the request. */
  readonly sent: boolean;
  readonly timedOut: boolean;

  constructor(cause: unknown, sent: boolean, timedOutAfterMs?: number) {
    const timedOut = timedOutAfterMs !== undefined;
    // A code from Node.js or undici, such as `ECONNREFUSED`.
    const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
    const broke = `${messageOf(cause) || 'the connection failed'}${hasCode ? ` (${cause.code})` : ''}`;
    super(timedOut ? `no complete response within ${Math.round(timedOutAfterMs / 1000)} s` : broke);
    this.sent = sent;
    this.timedOut = timedOut;
  }
}

/** Sends one request and reads the complete response. Redirects aren't followed, so the key can't be sent anywhere else. */
export async function send(dispatcher: Dispatcher, request: HttpRequest) {
  const { method, url, body, signal } = request;
  signal.throwIfAborted();
  const timeoutMs = Math.min(maxTimeoutMs, request.timeoutMs ?? maxTimeoutMs);
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  const over = AbortSignal.any([signal, deadline]);
  let sent = false;
  try {
    const observed = dispatcher.compose((dispatch) => (options, handler) => {
      const { onRequestStart } = handler;
      // If a request fails before this, the server has received nothing.
      handler.onRequestStart = (controller, context) => {
        over.throwIfAborted();
        request.onSend?.();
        sent = true;
        onRequestStart?.call(handler, controller, context);
      };
      return dispatch(options, handler);
    });
    const { origin, pathname, search } = url;
    const path = `${pathname}${search}`;
    // Don't ask for compression: if we couldn't decompress a response, we wouldn't know whether the request was accepted.
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const answer = observed.request({
      origin,
      path,
      method,
      headers,
      body: body ?? null,
      signal: over,
    });
    // undici checks the signal only after it has connected, so a connection that hangs would ignore it.
    const aborted = new Promise<never>((_, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true });
    });
    const response = await Promise.race([answer, aborted]);
    const text = await response.body.text();
    const named = Object.entries(response.headers).map(([name, value]) => [
      name,
      [value].flat().join(', '),
    ]);
    const received: Readonly<Record<string, string>> = Object.fromEntries(named);
    return { status: response.statusCode, headers: received, text };
  } catch (error) {
    signal.throwIfAborted();
    throw new TransportError(error, sent, deadline.aborted ? timeoutMs : undefined);
  }
}
