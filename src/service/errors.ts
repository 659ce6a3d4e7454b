import type * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';
import { retryAfterMs } from '../http/retry.ts';
import type { HttpResponse, TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { shortCode } from '../text/markdown.ts';
import { errorText } from './schemas.ts';

type ServiceErrorOptions = ActionErrorOptions &
  Partial<Pick<ServiceError, 'status' | 'retryAfterMs' | 'transient' | 'refused'>>;

/** What the service answered, without secrets. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  /** The parsed body; `undefined` if it is not JSON. */
  readonly body?: unknown;
}

/** The request in question, as far as an error describes it. */
export interface Asking {
  /** As a sentence begins: `Creating the job`. */
  readonly what: string;
  readonly path: string;
  /** Sent as JSON by POST; a request without is a GET. */
  readonly body?: unknown;
}

const noProject =
  'There is no such project, or the key is of another organisation: check `project-id` (on the dashboard’s API keys page).';
const noJob =
  'The service knows no such job of this project: check `project-id`, and `job-id` where it is set. A job may also have been deleted.';

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
  const { timedOut, sent, message } = error;
  const late = timedOut ? 'the service did not answer in time' : 'no whole answer came from the service';
  const broke = sent ? late : 'the service could not be reached';
  return new ServiceError(timedOut ? 'timeout' : 'unreachable', `${what}: ${broke}`, {
    said: `${origin}: ${message}`,
    transient: true,
    refused: !sent,
    hint: 'Check `base-url`, the runner’s network and proxy, and the service’s status; then run again.',
  });
}

/** Statuses that prove that nothing was created. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 429]);

/** What an answer outside 2xx means. */
export function fromStatus(asking: Asking, { status, headers, body }: Answer, nowMs: number): ServiceError {
  const said = errorText(body);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const isRedirect = status >= 300 && status < 400;
  const transient = status >= 500 || [408, 425, 429].includes(status);
  const scope = asking.body === undefined ? 'read' : 'write';
  const why = said === undefined ? ', and gave no reason' : '; what it answered says why';
  const meanings: Partial<Record<number, [ErrorReason, string]>> = {
    300: [
      'redirected',
      'The API key is sent to `base-url` only. If the service has moved, set `base-url` to its new address.',
    ],
    401: [
      'unauthorized',
      'The API key is wrong or has expired (keys expire after 90 days by default): create a new admin key in the dashboard and update the secret.',
    ],
    403: [
      'forbidden',
      `The key was refused: it may lack the \`${scope}\` scope, belong to another organisation, or this runner’s address may not be on its allowlist.`,
    ],
    404: ['not-found', asking.path.includes('/job/') ? noJob : noProject],
    429: ['rate-limited', comeBack(waitMs, nowMs)],
    500: ['service-error', 'The service had a problem of its own; run again later.'],
  };
  const kind = isRedirect ? 300 : transient && status !== 429 ? 500 : status;
  const [reason, hint] = meanings[kind] ?? ['bad-request', `The service did not accept the request${why}.`];
  const where = isRedirect ? `, a redirect to ${originOf(headers.location)}; it was not followed` : '';
  return new ServiceError(reason, `${asking.what}: the service answered ${status}${where}`, {
    status,
    said,
    hint,
    retryAfterMs: waitMs,
    transient,
    refused: refusals.has(status),
  });
}

/** A 2xx answer that is not what the interface promises. @param issue what zod says of the first field that is not. */
export function invalidResponse(
  what: string,
  { status, headers, body }: Answer,
  issue: z.core.$ZodIssue | undefined,
): ServiceError {
  const type = shortCode(headers['content-type'] ?? 'no content type');
  const field = shortCode(issue?.path.join('.') || 'the body');
  const isNot = `${field} is not as the interface has it (${issue?.message})`;
  const problem = body === undefined ? 'the body is no JSON' : isNot;
  const text = `${what}: the service answered ${status} with ${type}, but ${problem}`;
  const hint =
    'Check that `base-url` is the address of the service’s API, without a page or a login in front of it.';
  return new ServiceError('invalid-response', text, { status, transient: true, hint });
}

function comeBack(waitMs: number | undefined, nowMs: number): string {
  if (waitMs === undefined) return 'Its hourly limit is reached: try again in an hour at the latest.';
  const [day = '', time = ''] = new Date(nowMs + waitMs).toISOString().split('T');
  const isToday = new Date(nowMs).toISOString().startsWith(day);
  const when = `${time.slice(0, 5)} UTC${isToday ? '' : ` on ${day}`}`;
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  return `Its hourly limit is reached: try again after ${when} (in ${formatDuration(minutes * 60_000)}).`;
}

/** Only the origin: the rest of a location may be secret. */
function originOf(location = ''): string {
  const origin = URL.parse(location)?.origin;
  return origin === undefined ? 'another address' : shortCode(origin);
}
