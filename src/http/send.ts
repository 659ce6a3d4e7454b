import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { requestTimeoutMs } from './dispatcher.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole exchange. Default and most 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Called when a connection is up, right before the first byte is written to it. */
  readonly onSend?: (() => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** No whole answer came: the network failed, or the time ran out. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Whether any part of the request may have reached the other side. */
  readonly sent: boolean;
  readonly timedOut: boolean;

  constructor(cause: unknown, sent: boolean, timedOutAfterMs: number | undefined) {
    // Node's or undici's, such as `ECONNREFUSED`.
    const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
    const code = hasCode ? ` (${cause.code})` : '';
    super(
      timedOutAfterMs === undefined
        ? `${messageOf(cause) || 'the connection failed'}${code}`
        : `no whole answer within ${Math.round(timedOutAfterMs / 1000)} s`,
    );
    this.sent = sent;
    this.timedOut = timedOutAfterMs !== undefined;
  }
}

/**
 * Sends one request and reads its whole answer within 30 s. Follows no redirect: a bearer key goes where it was meant to
 * go and nowhere else.
 *
 * @throws TransportError without a whole answer; the signal's reason when the signal ended it.
 */
export async function send(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
  signal.throwIfAborted();
  const timeoutMs = Math.min(requestTimeoutMs, request.timeoutMs ?? requestTimeoutMs);
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  const over = AbortSignal.any([signal, deadline]);
  let sent = false;
  try {
    const onStart = () => {
      over.throwIfAborted();
      request.onSend?.();
      sent = true;
    };
    const answer = dispatcher.compose(observingStart(onStart)).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      // Most answers are small, and one that can't be read leaves open whether the request was accepted.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
      signal: over,
    });
    // undici listens to a signal only once it is connected, and a connection that hangs may never be.
    const aborted = new Promise<never>((_, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true });
    });
    const response = await Promise.race([answer, aborted]);
    const text = await response.body.text();
    return { status: response.statusCode, headers: joined(response.headers), text };
  } catch (error) {
    signal.throwIfAborted();
    throw new TransportError(error, sent, deadline.aborted ? timeoutMs : undefined);
  }
}

/**
 * undici calls `onRequestStart` when a connection is up and the request is about to be written to it: before that call
 * (DNS, refused, TLS, connect timeout) nothing can have reached the other side.
 */
function observingStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { onRequestStart } = handler;
    handler.onRequestStart = (controller, context) => {
      onStart();
      onRequestStart?.call(handler, controller, context);
    };
    return dispatch(options, handler);
  };
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
