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

/** The service's response, with all secrets removed. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly body?: unknown;
}

/** The facts about a request that its errors mention. */
export interface RequestInfo {
  /** The start of a sentence, such as `Creating the job`. */
  readonly what: string;
  readonly path: string;
  /** Sent as JSON with POST. Without a body, the request is a GET. */
  readonly body?: unknown;
}

const noProject =
  'There is no such project, or the key belongs to a different organization. Compare `project-id` with the dashboard’s API keys page.';
const noJob =
  'This project has no such job. Check `project-id`, and `job-id` if you set it. The job may have been deleted.';

/** A call to the documentation service failed or got an unusable response. */
export class ServiceError extends ActionError {
  override readonly name = 'ServiceError';
  readonly status: number | undefined;
  /** How long the service asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;
  /** Whether the service definitely didn't carry out the request, because it never got it or rejected it. */
  readonly refused: boolean;

  constructor(reason: ErrorReason, what: string, options: ServiceErrorOptions = {}) {
    super(reason, what, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.transient = options.transient ?? false;
    this.refused = options.refused ?? false;
  }
}

/** The error for a request without a complete response. */
export function fromTransportError(what: string, origin: string, error: TransportError): ServiceError {
  const { timedOut, tooLong, sent, message } = error;
  if (tooLong) {
    const problem = `${what}: the response is too long`;
    return new ServiceError('invalid-response', problem, { said: message, transient: true });
  }
  const late = timedOut ? 'the service didn’t respond in time' : 'the service’s response was incomplete';
  const broke = sent ? late : 'the service can’t be reached';
  return new ServiceError(timedOut ? 'timeout' : 'unreachable', `${what}: ${broke}`, {
    said: `${origin}: ${message}`,
    transient: true,
    refused: !sent,
    hint: 'Check `base-url`, the runner’s network and proxy, and the service’s status. Then run it again.',
  });
}

/** The error for a response outside 2xx. */
export function fromStatus(request: RequestInfo, { status, headers, body }: Answer, nowMs: number) {
  const said = errorText(body);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const isRedirect = status >= 300 && status < 400;
  const transient = status >= 500 || [408, 425, 429].includes(status);
  const scope = request.body === undefined ? 'read' : 'write';
  const why = said === undefined ? ' and gave no reason' : '; its response says why';
  const refused: [ErrorReason, string] = [
    'forbidden',
    `The key was refused: it may lack the \`${scope}\` scope or belong to a different organization, its allowlist may not include this runner’s IP address, or your plan may not include API access.`,
  ];
  const meanings: Partial<Record<number, [ErrorReason, string]>> = {
    300: [
      'redirected',
      'The API key is sent only to `base-url`. If the service has moved, set `base-url` to its new URL.',
    ],
    401: [
      'unauthorized',
      'The API key is wrong or has expired (keys expire after 90 days by default). Create a new admin key in the dashboard and update the secret. Your plan must include API access.',
    ],
    402: refused,
    403: refused,
    404: ['not-found', request.path.includes('/job/') ? noJob : noProject],
    429: ['rate-limited', tryAgain(waitMs, nowMs)],
    500: ['service-error', 'The service is having problems. Run it again later.'],
  };
  const kind = isRedirect ? 300 : transient && status !== 429 ? 500 : status;
  const [reason, hint] = meanings[kind] ?? ['bad-request', `The service rejected the request${why}.`];
  // Only the origin is shown, because the rest of the URL may contain a secret.
  const origin = URL.parse(headers.location ?? '')?.origin;
  const place = origin === undefined ? 'a different URL' : shortCode(origin);
  const where = isRedirect ? `, a redirect to ${place}, which was not followed` : '';
  return new ServiceError(reason, `${request.what}: the service answered ${status}${where}`, {
    status,
    said,
    hint,
    retryAfterMs: waitMs,
    transient,
    // These statuses prove that nothing was created.
    refused: [400, 401, 402, 403, 404, 413, 429].includes(status),
  });
}

/** The error for a 2xx response in an undocumented form. @param issue zod's message about the first bad field. */
export function invalidResponse(
  what: string,
  { status, headers, body }: Answer,
  issue: z.core.$ZodIssue | undefined,
): ServiceError {
  const type = shortCode(headers['content-type'] ?? 'no content type');
  const field = shortCode(issue?.path.join('.') || 'the body');
  const isNot = `${field} doesn’t match the API documentation (${issue?.message})`;
  const problem = body === undefined ? 'the body is not JSON' : isNot;
  const text = `${what}: the service answered ${status} with ${type}, but ${problem}`;
  const hint = 'Check that `base-url` is the URL of the service’s API, not of a web page or a login page.';
  return new ServiceError('invalid-response', text, { status, transient: true, hint });
}

function tryAgain(waitMs: number | undefined, nowMs: number): string {
  if (waitMs === undefined) return 'The hourly limit has been reached. Try again in an hour.';
  const [day = '', time = ''] = new Date(nowMs + waitMs).toISOString().split('T');
  const isToday = new Date(nowMs).toISOString().startsWith(day);
  const when = `${time.slice(0, 5)} UTC${isToday ? '' : ` on ${day}`}`;
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  return `The hourly limit has been reached. Try again after ${when} (in ${formatDuration(minutes * 60_000)}).`;
}
