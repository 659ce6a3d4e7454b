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
  /** Called once a connection is open, right before the first byte is sent. */
  readonly onSend?: (() => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lowercase. Repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** There was no complete response, because the network failed or the time was up. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Whether the server may have received any part of the request. */
  readonly sent: boolean;
  readonly timedOut: boolean;

  constructor(cause: unknown, sent: boolean, timedOutAfterMs?: number) {
    // A code from Node.js or undici, such as `ECONNREFUSED`.
    const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
    const code = hasCode ? ` (${cause.code})` : '';
    super(
      timedOutAfterMs === undefined
        ? `${messageOf(cause) || 'the connection failed'}${code}`
        : `no complete response within ${Math.round(timedOutAfterMs / 1000)} s`,
    );
    this.sent = sent;
    this.timedOut = timedOutAfterMs !== undefined;
  }
}

/** Sends one request and reads the complete response. Redirects aren't followed, so the key can't be sent anywhere else. */
export async function send(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
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
    const answer = observed.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      // Don't ask for compression: if we couldn't decompress a response, we wouldn't know whether the request was accepted.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
      signal: over,
    });
    // undici checks the signal only after it has connected, so a connection that hangs would ignore it.
    const aborted = new Promise<never>((_, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true });
    });
    const response = await Promise.race([answer, aborted]);
    const text = await response.body.text();
    const named = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
    return { status: response.statusCode, headers: Object.fromEntries(named), text };
  } catch (error) {
    signal.throwIfAborted();
    throw new TransportError(error, sent, deadline.aborted ? timeoutMs : undefined);
  }
}
