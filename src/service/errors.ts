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
export interface Answer extends Omit<HttpResponse, 'text'> {
  /** The parsed body; `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** The request in question, as far as an error describes it. */
export interface Asking {
  /** As a sentence begins: `Creating the job`. */
  readonly what: string;
  readonly method: 'GET' | 'POST';
  /** What a 404 means here, and what to do. */
  readonly isUnknown: string;
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
  const transient = status >= 500 || [408, 425, 429].includes(status);
  const isRedirect = status >= 300 && status < 400;
  const where = isRedirect ? `, a redirect to ${redirectOrigin(headers.location)}; it was not followed` : '';
  const known: Partial<Record<number, [ErrorReason, string]>> = {
    401: [
      'unauthorized',
      'The API key is wrong or has expired (keys expire after 90 days by default): create a new admin key in the dashboard and update the secret.',
    ],
    403: [
      'forbidden',
      `The key was refused: it may lack the \`${asking.method === 'GET' ? 'read' : 'write'}\` scope, belong to another organisation, or this runner’s address may not be on its allowlist.`,
    ],
    404: ['not-found', asking.isUnknown],
    429: ['rate-limited', comeBack(waitMs, nowMs)],
  };
  const [reason, hint] = known[status] ?? meaningOf(isRedirect, transient, said);
  return new ServiceError(reason, `${asking.what}: the service answered ${status}${where}`, {
    status,
    said,
    hint,
    retryAfterMs: waitMs,
    transient,
    refused: refusals.has(status),
  });
}

/** The meaning of the statuses that have none of their own. */
function meaningOf(isRedirect: boolean, transient: boolean, said: string | undefined): [ErrorReason, string] {
  if (isRedirect)
    return [
      'redirected',
      'The API key is sent to `base-url` only. If the service has moved, set `base-url` to its new address.',
    ];
  if (transient) return ['service-error', 'The service had a problem of its own; run again later.'];
  const why = said === undefined ? ', and gave no reason' : '; what it answered says why';
  return ['bad-request', `The service did not accept the request${why}.`];
}

/** A 2xx answer that is not what the interface promises. */
export function invalidResponse(what: string, { status, headers }: Answer, problem: string): ServiceError {
  const type = shortCode(headers['content-type'] ?? 'no content type');
  return new ServiceError(
    'invalid-response',
    `${what}: the service answered ${status} with ${type}, but ${problem}`,
    {
      status,
      transient: true,
      hint: 'Check that `base-url` is the address of the service’s API, without a page or a login in front of it.',
    },
  );
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
function redirectOrigin(location = ''): string {
  return URL.canParse(location) ? shortCode(new URL(location).origin) : 'another address';
}
