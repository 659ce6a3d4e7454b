import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';
import { retryAfterMs } from '../http/retry.ts';
import type { HttpResponse, TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { shortCode } from '../text/markdown.ts';
import { errorText } from './schemas.ts';

interface ServiceErrorOptions extends ActionErrorOptions {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly transient?: boolean;
  readonly refused?: boolean;
}

/** What the service answered, without secrets. */
export interface Answer extends Omit<HttpResponse, 'text'> {
  /** The parsed body; `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** A call to the documentation service without a usable answer. */
export class ServiceError extends ActionError {
  override readonly name = 'ServiceError';
  readonly status: number | undefined;
  /** How long the service asked us to stay away, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The same request may succeed later. */
  readonly transient: boolean;
  /** The service certainly did not carry the request out: it never got it, or said no. */
  readonly refused: boolean;

  constructor(reason: ErrorReason, what: string, options: ServiceErrorOptions = {}) {
    super(reason, what, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.transient = options.transient ?? false;
    this.refused = options.refused ?? false;
  }
}

/** What it means that no complete answer came. */
export function fromTransport(what: string, origin: string, error: TransportError): ServiceError {
  return new ServiceError(error.timedOut ? 'timeout' : 'unreachable', `${what}: ${howItBroke(error)}`, {
    said: `${origin}: ${error.message}`,
    transient: true,
    refused: !error.sent,
    hint: 'Check `base-url`, the runner’s network and proxy, and the service’s status; then run again.',
  });
}

function howItBroke({ timedOut, sent }: TransportError): string {
  if (!sent) return 'the service could not be reached';
  return timedOut ? 'the service did not answer in time' : 'no whole answer came from the service';
}

/** The request in question, as far as an error describes it. */
export interface Asking {
  /** As a sentence begins: `Creating the job`. */
  readonly what: string;
  readonly method: 'GET' | 'POST';
  /** What a 404 means here, and what to do. */
  readonly isUnknown: string;
}

/** Statuses that prove that nothing was created. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 429]);

function isTransient(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** What an answer outside 2xx means. */
export function fromStatus(asking: Asking, { status, headers, body }: Answer, nowMs: number): ServiceError {
  const said = errorText(body);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const redirect = isRedirect(status)
    ? `, a redirect to ${redirectOrigin(headers.location)}; it was not followed`
    : '';
  const gaveReason = said === undefined ? ', and gave no reason' : '; what it answered says why';
  const [reason, hint] = meaningOf(status, asking, comeBack(waitMs, nowMs), gaveReason);
  return new ServiceError(reason, `${asking.what}: the service answered ${status}${redirect}`, {
    status,
    said,
    hint,
    retryAfterMs: waitMs,
    transient: isTransient(status),
    refused: refusals.has(status),
  });
}

/** The reason and the hint of an answer outside 2xx. */
function meaningOf(
  status: number,
  { method, isUnknown }: Asking,
  comeBack: string,
  gaveReason: string,
): [ErrorReason, string] {
  switch (status) {
    case 401:
      return [
        'unauthorized',
        'The API key is wrong or has expired (keys expire after 90 days by default): create a new admin key in the dashboard and update the secret.',
      ];
    case 403:
      return [
        'forbidden',
        `The key was refused: it may lack the \`${method === 'GET' ? 'read' : 'write'}\` scope, belong to another organisation, or this runner’s address may not be on its allowlist.`,
      ];
    case 404:
      return ['not-found', isUnknown];
    case 429:
      return ['rate-limited', comeBack];
  }
  if (isRedirect(status))
    return [
      'redirected',
      'The API key is sent to `base-url` only. If the service has moved, set `base-url` to its new address.',
    ];
  return isTransient(status)
    ? ['service-error', 'The service had a problem of its own; run again later.']
    : ['bad-request', `The service did not accept the request${gaveReason}.`];
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** A 2xx answer that is not what the interface promises. */
export function invalidResponse(what: string, response: Answer, problem: string): ServiceError {
  const type = response.headers['content-type'] ?? 'no content type';
  return new ServiceError(
    'invalid-response',
    `${what}: the service answered ${response.status} with ${shortCode(type)}, but ${problem}`,
    {
      status: response.status,
      transient: true,
      hint: 'Check that `base-url` is the address of the service’s API, without a page or a login in front of it.',
    },
  );
}

function comeBack(waitMs: number | undefined, nowMs: number): string {
  if (waitMs === undefined) return 'Its hourly limit is reached: try again in an hour at the latest.';
  const from = new Date(nowMs + waitMs);
  const [day, minute] = [from.toISOString().slice(0, 10), from.toISOString().slice(11, 16)];
  const isToday = new Date(nowMs).toISOString().startsWith(day);
  const when = isToday ? `${minute} UTC` : `${minute} UTC on ${day}`;
  return `Its hourly limit is reached: try again after ${when} (in ${formatDuration(Math.max(1, Math.ceil(waitMs / 60_000)) * 60_000)}).`;
}

/** Only the origin: the rest of a location may be secret. */
function redirectOrigin(location: string | undefined): string {
  return location !== undefined && URL.canParse(location)
    ? shortCode(new URL(location).origin)
    : 'another address';
}
