import type * as z from 'zod/mini';
import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';
import { retryAfterMs } from '../http/retry.ts';
import type { HttpResponse, TransportError } from '../http/send.ts';
import { formatDuration } from '../text/duration.ts';
import { code, shortCode } from '../text/markdown.ts';
import type { ScrubbedAll, ScrubbedData } from '../text/scrub.ts';
import { errorText } from './schemas.ts';

type ServiceErrorOptions = ActionErrorOptions &
  Partial<Pick<ServiceError, 'status' | 'retryAfterMs' | 'transient' | 'refused'>>;

/** The service's response, with all secrets removed. */
interface Answer extends ScrubbedAll<Pick<HttpResponse, 'status' | 'headers'>> {
  /** `undefined` if it isn't JSON. */
  readonly body: ScrubbedData | undefined;
}

/**
 * `what` is the start of a sentence, such as `Creating the job`. A `body` is sent as JSON with
 * POST.
 */
export type RequestInfo = { readonly what: string; readonly path: string; readonly body?: unknown };

/** A call to the documentation service failed or got an unusable response. */
export class ServiceError extends ActionError {
  override readonly name = 'ServiceError';
  readonly status: number | undefined;
  /** How long the service asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;
  /**
   * Whether the service definitely didn't carry out the request, because it never got it or
   * rejected it.
   */
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
export function fromTransportError(what: string, origin: string, error: TransportError) {
  const hint =
    'Check `base-url`, the runner’s network and proxy, and the service’s status. ' +
    'Then re-run the workflow.';
  return new ServiceError(error.timedOut ? 'timeout' : 'unreachable', describeBreak(error), {
    doing: what,
    said: `${origin}: ${error.message}`,
    hint,
    transient: true,
    refused: !error.sent,
  });
}

function describeBreak({ sent, timedOut }: TransportError): string {
  if (!sent) return 'The service can’t be reached';
  if (timedOut) return 'The service didn’t respond in time';
  return 'The service’s response was incomplete';
}

/** The error for a response outside 2xx: what the status means, and what to do about it. */
export function fromStatus(request: RequestInfo, answer: Answer, nowMs: number): ServiceError {
  const { status, headers } = answer;
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const isTransient = status >= 500 || [408, 425, 429].includes(status);
  const fail = (reason: ErrorReason, what: string, hint: string) =>
    new ServiceError(reason, what, {
      doing: `${request.what}: the service returned ${status}`,
      said: errorText(answer.body),
      hint,
      status,
      retryAfterMs: waitMs,
      transient: isTransient,
      // These statuses prove that nothing was created.
      refused: [400, 401, 402, 403, 404, 413, 429].includes(status),
    });

  switch (status) {
    case 400:
    case 413:
      return fail(
        'bad-request',
        'The service rejected the request',
        'Check the inputs of this step.',
      );
    case 401:
      return fail(
        'unauthorized',
        'The API key is wrong or has expired',
        'Create an admin key in the dashboard and update the secret. ' +
          'Keys expire after 90 days by default. Your plan must include API access.',
      );
    case 402:
      return fail(
        'forbidden',
        'The service asks for payment',
        'Your plan may not include this request, or its credits are used up. ' +
          'Check both in the dashboard.',
      );
    case 403: {
      const scope = request.body === undefined ? 'read' : 'write';
      return fail(
        'forbidden',
        'The API key isn’t allowed to do this',
        `In the dashboard, check that it has \`${scope}\` scope, belongs to the project’s ` +
          'organization, and allows this runner’s IP address, ' +
          'and that your plan includes API access.',
      );
    }
    case 404: {
      if (request.path.includes('/job/'))
        return fail(
          'not-found',
          'This project has no such job',
          'Check `project-id`, and `job-id` if you set it. The job may have been deleted.',
        );
      const project = code(decodeURIComponent(request.path.split('/')[3] ?? ''));
      return fail(
        'not-found',
        `There is no project ${project} for this API key`,
        'Check `project-id` on the dashboard’s API keys page.',
      );
    }
    case 429:
      return fail(
        'rate-limited',
        'The service’s hourly limit has been reached',
        tryAgain(waitMs, nowMs),
      );
  }
  if (isTransient)
    return fail('service-error', 'The service is having problems', 'Try again later.');
  if (status >= 300 && status < 400)
    return fail(
      'redirected',
      `The service redirects to ${shownOrigin(headers.location)}`,
      'The API key is sent only to `base-url`. ' +
        'If the service has moved, set `base-url` to its new URL.',
    );
  return fail(
    'bad-request',
    'The service responded in a way that its documentation doesn’t mention',
    'Check `base-url` and the service’s status.',
  );
}

/** Only the origin is shown, because the rest of the URL may contain a secret. */
function shownOrigin(location = ''): string {
  const origin = URL.parse(location)?.origin;
  return origin === undefined ? 'a different URL' : code(origin);
}

/** The error for a 2xx response in an undocumented form. `error` says which field is bad. */
export function invalidResponse(what: string, answer: Answer, error: z.core.$ZodError) {
  const { status } = answer;
  const given = answer.headers['content-type'];
  const type = given === undefined ? 'no content type' : shortCode(given);
  const field = code(error.issues[0]?.path.join('.') || 'the body');
  const isJson = answer.body !== undefined;
  const problem = isJson ? `${field} isn’t as documented` : 'the body is not JSON';
  return new ServiceError(
    'invalid-response',
    'The service’s response doesn’t match its documentation',
    {
      doing: `${what}: the service returned ${status} with ${type}, but ${problem}`,
      status,
      transient: true,
      hint: 'Check that `base-url` is the URL of the service’s API, not of a web page or a login page.',
    },
  );
}

function tryAgain(waitMs: number | undefined, nowMs: number): string {
  if (waitMs === undefined) return 'Try again in an hour.';
  const [today = ''] = new Date(nowMs).toISOString().split('T');
  const [day = '', time = ''] = new Date(nowMs + waitMs).toISOString().split('T');
  const onDay = day === today ? '' : ` on ${day}`;
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  const wait = formatDuration(minutes * 60_000);
  return `Try again after ${time.slice(0, 5)} UTC${onDay} (in ${wait}).`;
}
