import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';
import { retryAfterMs } from '../http/retry.ts';
import type { TransportError } from '../http/send.ts';
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
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; `undefined` where it is none. */
  readonly body: unknown;
}

/** A call to the documentation service that brought no usable answer. */
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

/** What a request that got no whole answer means. */
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

/** Answers of 4xx that say nothing of the request itself: it took too long, or came too early. */
const passing: ReadonlySet<number> = new Set([408, 425]);

/** What an answer outside 2xx means: the status codes of the interface, and those that stand before any interface. */
export function fromStatus(
  { what, method, isUnknown }: Asking,
  response: Answer,
  nowMs: number,
): ServiceError {
  const { status, headers } = response;
  const said = errorText(response.body);
  const answered = `${what}: the service answered ${status}`;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (status >= 300 && status < 400) {
    return new ServiceError(
      'redirected',
      `${answered}, a redirect to ${redirectOrigin(headers.location)}; it was not followed`,
      {
        status,
        said,
        hint: 'The API key is sent to `base-url` only. If the service has moved, set `base-url` to its new address.',
      },
    );
  }
  switch (status) {
    case 401:
      return new ServiceError('unauthorized', answered, {
        status,
        said,
        refused: true,
        hint: 'The API key is wrong or has expired (keys expire after 90 days by default): create a new admin key in the dashboard and update the secret.',
      });
    case 403:
      return new ServiceError('forbidden', answered, {
        status,
        said,
        refused: true,
        hint: `The key was refused: it may lack the \`${method === 'GET' ? 'read' : 'write'}\` scope, belong to another organisation, or this runner’s address may not be on its allowlist.`,
      });
    case 404:
      return new ServiceError('not-found', answered, {
        status,
        said,
        refused: true,
        hint: isUnknown,
      });
    case 429:
      return new ServiceError('rate-limited', answered, {
        status,
        said,
        retryAfterMs: waitMs,
        transient: true,
        refused: true,
        hint: comeBack(waitMs, nowMs),
      });
    default:
      if (status >= 400 && status < 500 && !passing.has(status)) {
        return new ServiceError('bad-request', answered, {
          status,
          said,
          refused: true,
          hint: `The service did not accept the request${said === undefined ? ', and gave no reason' : '; what it answered says why'}.`,
        });
      }
      return new ServiceError('service-error', answered, {
        status,
        said,
        retryAfterMs: waitMs,
        transient: status >= 500 || passing.has(status),
        refused: status === 503 && waitMs !== undefined,
        hint: 'The service had a problem of its own; run again later.',
      });
  }
}

/** What was asked, as far as an error tells of it. */
export interface Asking {
  /** As a sentence begins: `Creating the job`. */
  readonly what: string;
  readonly method: 'GET' | 'POST';
  /** What it means that the service does not know what was asked for, and what to do. */
  readonly isUnknown: string;
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

/** Only the origin: a location may carry what nobody should see in a log. */
function redirectOrigin(location: string | undefined): string {
  return location !== undefined && URL.canParse(location)
    ? shortCode(new URL(location).origin)
    : 'another address';
}
