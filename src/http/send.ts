import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { decompress } from './decompress.ts';

const maxTimeoutMs = 30_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal: AbortSignal;
  /** Milliseconds until the response must be complete. Default and maximum: 30 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called once a connection is open, right before sending. After that, the server may have the
   * request.
   */
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
    super(describeCause(cause, timedOutAfterMs));
    this.sent = sent;
    this.timedOut = timedOutAfterMs !== undefined;
  }
}

function describeCause(cause: unknown, timedOutAfterMs?: number): string {
  if (timedOutAfterMs !== undefined)
    return `no complete response within ${Math.round(timedOutAfterMs / 1000)} s`;
  const text = messageOf(cause) || 'the connection failed';
  // A code from Node.js or undici, such as `ECONNREFUSED`.
  const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  return hasCode ? `${text} (${cause.code})` : text;
}

/**
 * Sends one request and reads the complete response. Redirects aren't followed, so the key can't be
 * sent anywhere else.
 */
export async function send(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { signal } = request;
  signal.throwIfAborted();
  const timeoutMs = Math.min(maxTimeoutMs, request.timeoutMs ?? maxTimeoutMs);
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  const end = AbortSignal.any([signal, deadline]);
  let sent = false;
  const observed = dispatcher.compose(
    observeStart(() => {
      end.throwIfAborted();
      request.onSend?.();
      sent = true;
    }),
  );
  try {
    return await exchange(observed, request, end);
  } catch (error) {
    signal.throwIfAborted();
    throw new TransportError(error, sent, deadline.aborted ? timeoutMs : undefined);
  }
}

async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  end: AbortSignal,
): Promise<HttpResponse> {
  const { url } = request;
  const pending = dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method,
    // Don't ask for compression: if we couldn't decompress a response, we wouldn't know whether the
    // request was accepted.
    headers: { ...request.headers, 'accept-encoding': 'identity' },
    body: request.body ?? null,
    signal: end,
  });
  // undici checks the signal only after it has connected, so a connection that hangs would ignore
  // it.
  const aborted = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(end.reason), { once: true });
  });
  const response = await Promise.race([pending, aborted]);
  const headers = joinRepeated(response.headers);
  const body = Buffer.from(await response.body.arrayBuffer());
  const text = new TextDecoder().decode(decompress(body, headers['content-encoding']));
  return { status: response.statusCode, headers, text };
}

/**
 * Calls `onStart` once a connection is open. If a request fails before that, the server has
 * received nothing.
 */
function observeStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { onRequestStart } = handler;
    handler.onRequestStart = (controller, context) => {
      onStart();
      onRequestStart?.call(handler, controller, context);
    };
    return dispatch(options, handler);
  };
}

function joinRepeated(headers: Dispatcher.ResponseData['headers']): HttpResponse['headers'] {
  const joined = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(joined);
}
