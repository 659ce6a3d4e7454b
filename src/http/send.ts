import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { requestTimeoutMs } from './dispatcher.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole exchange. Default and maximum: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Called once a connection is open, right before the first byte is sent. */
  readonly onSend?: (() => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Lowercase names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** No complete response came: the network failed, or time ran out. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Whether any part of the request may have reached the other side. */
  readonly sent: boolean;
  readonly timedOut: boolean;
  /** The answer is longer than any that is read. */
  readonly tooLong: boolean;

  constructor(cause: unknown, sent: boolean, timedOutAfterMs: number | undefined) {
    // Node's or undici's, such as `ECONNREFUSED`.
    const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
    const code = hasCode ? ` (${cause.code})` : '';
    super(
      timedOutAfterMs === undefined
        ? `${messageOf(cause) || 'the connection failed'}${code}`
        : `no complete response within ${Math.round(timedOutAfterMs / 1000)} s`,
    );
    this.sent = sent;
    this.tooLong = hasCode && cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
    this.timedOut = timedOutAfterMs !== undefined;
  }
}

/**
 * Sends one request and reads the complete response within 30 s. Never follows redirects, so that the key can't be sent
 * anywhere else.
 *
 * @throws TransportError without a complete response; the signal's reason if the signal ended it.
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
      // Most responses are small, and one we can't decompress would leave it open whether the request was accepted.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
      signal: over,
    });
    // undici only listens to a signal once it is connected, which may never happen if a connection hangs.
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
 * undici calls `onRequestStart` once a connection is open and the request is about to be sent. If a request fails before that
 * call (DNS, refused, TLS, connect timeout), nothing has reached the other side.
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
