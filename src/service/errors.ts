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
type Answer = Pick<HttpResponse, 'status' | 'headers'> & { readonly body?: unknown };

/** `what` is the start of a sentence, such as `Creating the job`. A `body` is sent as JSON with POST. */
export type RequestInfo = { readonly what: string; readonly path: string; readonly body?: unknown };

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
export function fromTransportError(
  what: string,
  origin: string,
  error: TransportError,
): ServiceError {
  const { timedOut, sent, message } = error;
  const late = timedOut
    ? 'The service didn’t respond in time'
    : 'The service’s response was incomplete';
  const broke = sent ? late : 'The service can’t be reached';
  const reason = timedOut ? 'timeout' : 'unreachable';
  const said = `${origin}: ${message}`;
  const hint =
    'Check `base-url`, the runner’s network and proxy, and the service’s status. Then re-run the workflow.';
  return new ServiceError(reason, broke, {
    doing: what,
    said,
    hint,
    transient: true,
    refused: !sent,
  });
}

/** The error for a response outside 2xx. */
export function fromStatus(request: RequestInfo, { status, headers, body }: Answer, nowMs: number) {
  const said = errorText(body);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const isRedirect = status >= 300 && status < 400;
  const transient = status >= 500 || [408, 425, 429].includes(status);
  // Only the origin is shown, because the rest of the URL may contain a secret.
  const origin = URL.parse(headers.location ?? '')?.origin;
  const place = origin === undefined ? 'a different URL' : shortCode(origin);
  const rejected = status === 413 ? 400 : status;
  const kind = isRedirect ? 300 : transient && status !== 429 ? 500 : rejected;
  const [reason, what, hint] = statusMeaning(kind, request, place, tryAgain(waitMs, nowMs));
  const doing = `${request.what}: the service returned ${status}`;
  // These statuses prove that nothing was created.
  const refused = [400, 401, 402, 403, 404, 413, 429].includes(status);
  const facts = { status, retryAfterMs: waitMs, transient, refused };
  return new ServiceError(reason, what, { doing, said, hint, ...facts });
}

type Meaning = readonly [reason: ErrorReason, what: string, hint: string];

/** What a status means, and what to do about it. */
function statusMeaning(
  status: number,
  { path, body }: RequestInfo,
  place: string,
  tryAgain: string,
) {
  const scope = body === undefined ? 'read' : 'write';
  const project = shortCode(decodeURIComponent(path.split('/')[3] ?? ''));
  const moved =
    'The API key is sent only to `base-url`. If the service has moved, set `base-url` to its new URL.';
  const expired =
    'Create an admin key in the dashboard and update the secret. Keys expire after 90 days by default. Your plan must include API access.';
  const unpaid =
    'Your plan may not include this request, or its credits are used up. Check both in the dashboard.';
  const forbidden = `In the dashboard, check that it has \`${scope}\` scope, belongs to the project’s organization, and allows this runner’s IP address, and that your plan includes API access.`;
  const noJob = 'Check `project-id`, and `job-id` if you set it. The job may have been deleted.';
  const noProject = 'Check `project-id` on the dashboard’s API keys page.';
  const meanings: Readonly<Partial<Record<number, Meaning>>> = {
    300: ['redirected', `The service redirects to ${place}`, moved],
    400: ['bad-request', 'The service rejected the request', 'Check the inputs of this step.'],
    401: ['unauthorized', 'The API key is wrong or has expired', expired],
    402: ['forbidden', 'The service asks for payment', unpaid],
    403: ['forbidden', 'The API key isn’t allowed to do this', forbidden],
    404: path.includes('/job/')
      ? ['not-found', 'This project has no such job', noJob]
      : ['not-found', `There is no project ${project} for this API key`, noProject],
    429: ['rate-limited', 'The service’s hourly limit has been reached', tryAgain],
    500: ['service-error', 'The service is having problems', 'Try again later.'],
  };
  const unknown = 'The service responded in a way that its documentation doesn’t mention';
  const otherwise: Meaning = ['bad-request', unknown, 'Check `base-url` and the service’s status.'];
  return meanings[status] ?? otherwise;
}

/** The error for a 2xx response in an undocumented form. `error` says which field is bad. */
export function invalidResponse(
  what: string,
  { status, headers, body }: Answer,
  error: z.core.$ZodError,
) {
  const type = shortCode(headers['content-type'] ?? 'no content type');
  const field = shortCode(error.issues[0]?.path.join('.') || 'the body');
  const problem = body === undefined ? 'the body is not JSON' : `${field} isn’t as documented`;
  const doing = `${what}: the service returned ${status} with ${type}, but ${problem}`;
  const hint =
    'Check that `base-url` is the URL of the service’s API, not of a web page or a login page.';
  const cause = 'The service’s response doesn’t match its documentation';
  return new ServiceError('invalid-response', cause, { doing, status, transient: true, hint });
}

function tryAgain(waitMs: number | undefined, nowMs: number): string {
  if (waitMs === undefined) return 'Try again in an hour.';
  const [day = '', time = ''] = new Date(nowMs + waitMs).toISOString().split('T');
  const isToday = new Date(nowMs).toISOString().startsWith(day);
  const when = `${time.slice(0, 5)} UTC${isToday ? '' : ` on ${day}`}`;
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  return `Try again after ${when} (in ${formatDuration(minutes * 60_000)}).`;
}
