import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import type { Clock } from '../core/clock.ts';
import { backoffMs, longestRetryAfterMs, withRetries } from '../http/retry.ts';
import { type HttpRequest, send, TransportError } from '../http/send.ts';
import { shortCode } from '../text/markdown.ts';
import { type Scrub, scrubbed } from '../text/scrub.ts';
import {
  type Answer,
  type Asking,
  fromStatus,
  fromTransport,
  invalidResponse,
  ServiceError,
} from './errors.ts';
import { type Job, jobSchema, takenJobSchema, type VisitorsPage, visitorsPageSchema } from './schemas.ts';

const tries = 4;

const noProject =
  'There is no such project, or the key is of another organisation: check `project-id` (on the dashboard’s API keys page).';
const noJob =
  'The service knows no such job of this project: check `project-id`, and `job-id` where it is set. A job may also have been deleted.';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called before every request that is sent, retries included; what it throws ends the call. */
  readonly beforeSend?: () => void;
  /** Called when a connection is up, right before a request is written to it: from then on it may have arrived. */
  readonly onSend?: () => void;
  /** Called before a wait for the next try, with what failed and the length of the wait in milliseconds. */
  readonly onWait?: (error: unknown, waitMs: number) => void;
  /** Tries in all, for a caller that does its own waiting. Default 4. */
  readonly tries?: number;
  /** Milliseconds one try may take. Default and most 30 s. */
  readonly timeoutMs?: number;
}

export interface VisitorsQuery {
  /** `YYYY-MM-DD`, inclusive. */
  readonly dateFrom: string;
  /** `YYYY-MM-DD`, exclusive. */
  readonly dateTo: string;
  readonly limit: number;
  readonly offset: number;
}

/** The documentation service, as the modes use it. Every method throws `ServiceError`, or the signal's reason. */
export interface DocsService {
  /** Starts a job. Reason `unconfirmed`: it may have been created, so it must not be sent again. */
  createJob(prompt: string, options: CallOptions): Promise<Job>;
  /** Sends a follow-up message to a job; `unconfirmed` as in `createJob`. */
  sendMessage(jobId: string, prompt: string, options: CallOptions): Promise<Job>;
  getJob(jobId: string, options: CallOptions): Promise<Job>;
  getVisitors(query: VisitorsQuery, options: CallOptions): Promise<VisitorsPage>;
  /** The same service, asked with the same key about another project. */
  forProject(projectId: string): DocsService;
}

export interface ServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** Answers may repeat the key, and the runner does not mask comments. */
  readonly scrub: Scrub;
}

interface Call<T> extends Omit<Asking, 'method'> {
  readonly path: string;
  /** Sent as JSON by POST; a call without one is a GET. */
  readonly body?: unknown;
  readonly schema: z.ZodMiniType<T>;
}

/** The client of the service interface: one key, one project, one origin. */
export function createDocsService(options: ServiceOptions): DocsService {
  const { baseUrl, apiKey, clock, dispatcher, scrub } = options;
  const project = encodeURIComponent(options.projectId);
  const jobs = `/v2/agent/${project}/job`;
  const pathOf = (jobId: string) => `${jobs}/${encodeURIComponent(jobId)}`;

  /** One request, one answer in the documented form, or a `ServiceError`. */
  async function attempt<T>(call: Call<T>, { signal, beforeSend, onSend, timeoutMs }: CallOptions) {
    beforeSend?.();
    const isRead = call.body === undefined;
    const request: HttpRequest = {
      method: isRead ? 'GET' : 'POST',
      url: new URL(`${baseUrl}${call.path}`),
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(isRead ? {} : { 'content-type': 'application/json' }),
      },
      ...(isRead ? {} : { body: JSON.stringify(call.body) }),
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(onSend === undefined ? {} : { onSend }),
    };
    const { status, ...response } = await send(dispatcher, request).catch((error: unknown) => {
      throw error instanceof TransportError ? fromTransport(call.what, request.url.origin, error) : error;
    });
    const headers = scrubbed(response.headers, scrub) as Answer['headers'];
    const answer: Answer = { status, headers, body: bodyOf(response.text, scrub) };
    if (status >= 200 && status < 300) return parse(call, answer);
    throw fromStatus({ ...call, method: isRead ? 'GET' : 'POST' }, answer, clock.now());
  }

  function patiently<T>(
    call: Call<T>,
    options: CallOptions,
    mayRetry: (error: ServiceError) => boolean,
  ): Promise<T> {
    return withRetries(() => attempt(call, options), {
      tries: options.tries ?? tries,
      clock,
      signal: options.signal,
      onWait: options.onWait,
      waitMs: (error, triesSoFar) =>
        error instanceof ServiceError && error.transient && mayRetry(error)
          ? patience(error, triesSoFar)
          : undefined,
    });
  }

  function read<T>(call: Call<T>, options: CallOptions): Promise<T> {
    return patiently(call, options, () => true);
  }

  /** Sends again only what was not sent, or what the service refused until a time it names: its limit is hourly. */
  async function write<T>(call: Call<T>, options: CallOptions): Promise<T> {
    const mayRetry = ({ refused, status, retryAfterMs }: ServiceError) =>
      refused && (status === undefined || retryAfterMs !== undefined);
    try {
      return await patiently(call, options, mayRetry);
    } catch (error) {
      if (error instanceof ServiceError && !error.refused) throw unconfirmed(error);
      throw error;
    }
  }

  return {
    createJob: (prompt, options) => {
      const about = { what: 'Creating the job', isUnknown: noProject };
      return write({ ...about, path: jobs, body: { prompt }, schema: takenJobSchema }, options);
    },
    sendMessage: (jobId, prompt, options) => {
      const about = { what: 'Sending the message', isUnknown: noJob };
      const path = `${pathOf(jobId)}/message`;
      return write({ ...about, path, body: { prompt }, schema: takenJobSchema }, options);
    },
    getJob: (jobId, options) => {
      const about = { what: 'Reading the job', isUnknown: noJob };
      return read({ ...about, path: pathOf(jobId), schema: jobSchema }, options);
    },
    getVisitors: ({ dateFrom, dateTo, limit, offset }, options) => {
      const about = { what: 'Reading the visitors', isUnknown: noProject };
      const query = new URLSearchParams({ dateFrom, dateTo, limit: `${limit}`, offset: `${offset}` });
      const path = `/v1/analytics/${project}/visitors?${query}`;
      return read({ ...about, path, schema: visitorsPageSchema }, options);
    },
    forProject: (projectId) => createDocsService({ ...options, projectId }),
  };
}

/** A body as JSON, without secrets; `undefined` if it is not JSON. */
function bodyOf(text: string, scrub: Scrub): unknown {
  try {
    return scrubbed(JSON.parse(text), scrub);
  } catch {
    return undefined;
  }
}

function parse<T>(call: Call<T>, response: Answer): T {
  if (response.body === undefined) throw invalidResponse(call.what, response, 'the body is no JSON');
  const parsed = call.schema.safeParse(response.body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'the body';
  throw invalidResponse(
    call.what,
    response,
    `${shortCode(field)} is not as the interface has it (${issue?.message ?? 'unknown'})`,
  );
}

/** The wait that the service asks for, at least a backoff; `undefined` to give up. */
function patience(error: ServiceError, triesSoFar: number): number | undefined {
  const waitMs = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
  return waitMs <= longestRetryAfterMs ? waitMs : undefined;
}

function unconfirmed(error: ServiceError): ServiceError {
  const { what, said, status, reason, hint } = error;
  // Only these hints still help: the others say to run again.
  const isElsewhere = reason === 'redirected' || reason === 'invalid-response';
  return new ServiceError('unconfirmed', what, {
    said,
    ...(status === undefined ? {} : { status }),
    ...(isElsewhere && hint !== undefined ? { hint } : {}),
  });
}
