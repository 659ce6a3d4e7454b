import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import { backoffMs, longestRetryAfterMs, withRetries } from '../http/retry.ts';
import { type HttpRequest, type HttpResponse, send, TransportError } from '../http/send.ts';
import type { Clock } from '../lib/clock.ts';
import { fromStatus, fromTransport, invalidResponse, ServiceError } from './errors.ts';
import { type Job, jobSchema, type VisitorsPage, visitorsPageSchema } from './schemas.ts';

const tries = 4;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called before every request that is sent, retries included; what it throws ends the call. */
  readonly beforeSend?: () => void;
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
  /** Starts a job. Reason `unconfirmed`: nobody can know whether it was created; it must not be sent again. */
  createJob(prompt: string, options: CallOptions): Promise<Job>;
  /** Sends a follow-up message to a job; `unconfirmed` as in `createJob`. */
  sendMessage(jobId: string, prompt: string, options: CallOptions): Promise<Job>;
  getJob(jobId: string, options: CallOptions): Promise<Job>;
  getVisitors(query: VisitorsQuery, options: CallOptions): Promise<VisitorsPage>;
}

export interface ServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
}

interface Call<T> {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly schema: z.ZodMiniType<T>;
}

/** The client of the service interface: one key, one project, one origin. */
export function createDocsService(options: ServiceOptions): DocsService {
  const { baseUrl, apiKey, clock, dispatcher } = options;
  const project = encodeURIComponent(options.projectId);
  const jobs = `/v2/agent/${project}/job`;

  /** One request, one answer in the shape promised, or a `ServiceError`. */
  async function attempt<T>(call: Call<T>, { signal, beforeSend, timeoutMs }: CallOptions): Promise<T> {
    beforeSend?.();
    const request: HttpRequest = {
      method: call.method,
      url: new URL(`${baseUrl}${call.path}`),
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    const response = await send(dispatcher, request).catch((error: unknown) => {
      throw error instanceof TransportError ? fromTransport(call.what, request.url.origin, error) : error;
    });
    if (response.status < 200 || response.status >= 300) throw fromStatus(call.what, response, clock.now());
    return parse(call, response);
  }

  /** Reads may be sent again after anything that may pass. */
  function read<T>(call: Call<T>, options: CallOptions): Promise<T> {
    return withRetries(() => attempt(call, options), {
      tries: options.tries ?? tries,
      clock,
      signal: options.signal,
      onWait: options.onWait,
      waitMs: (error, triesSoFar) =>
        error instanceof ServiceError && error.transient ? patience(error, triesSoFar) : undefined,
    });
  }

  /** Writes are sent again only when the service certainly did not carry them out; else they are `unconfirmed`. */
  async function write<T>(call: Call<T>, options: CallOptions): Promise<T> {
    try {
      return await withRetries(() => attempt(call, options), {
        tries: options.tries ?? tries,
        clock,
        signal: options.signal,
        onWait: options.onWait,
        waitMs: (error, triesSoFar) =>
          error instanceof ServiceError && error.transient && error.refused
            ? patience(error, triesSoFar)
            : undefined,
      });
    } catch (error) {
      if (error instanceof ServiceError && !error.refused) throw unconfirmed(error);
      throw error;
    }
  }

  return {
    createJob: (prompt, call) =>
      write(
        { what: 'Creating the job', method: 'POST', path: jobs, body: { prompt }, schema: jobSchema },
        call,
      ),
    sendMessage: (jobId, prompt, call) =>
      write(
        {
          what: 'Sending the message',
          method: 'POST',
          path: `${jobs}/${encodeURIComponent(jobId)}/message`,
          body: { prompt },
          schema: jobSchema,
        },
        call,
      ),
    getJob: (jobId, call) =>
      read(
        {
          what: 'Reading the job',
          method: 'GET',
          path: `${jobs}/${encodeURIComponent(jobId)}`,
          schema: jobSchema,
        },
        call,
      ),
    getVisitors: ({ dateFrom, dateTo, limit, offset }, call) => {
      const query = new URLSearchParams({ dateFrom, dateTo, limit: `${limit}`, offset: `${offset}` });
      return read(
        {
          what: 'Reading the visitors',
          method: 'GET',
          path: `/v1/analytics/${project}/visitors?${query}`,
          schema: visitorsPageSchema,
        },
        call,
      );
    },
  };
}

function parse<T>(call: Call<T>, response: HttpResponse): T {
  let raw: unknown;
  try {
    raw = JSON.parse(response.text);
  } catch {
    throw invalidResponse(call.what, response, 'the body is no JSON');
  }
  const parsed = call.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'the body';
  throw invalidResponse(
    call.what,
    response,
    `${field} is not as the interface has it (${issue?.message ?? 'unknown'})`,
  );
}

/** The service's own wish if it can be met, the backoff without one, and `undefined` to give up. */
function patience(error: ServiceError, triesSoFar: number): number | undefined {
  const waitMs = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
  return waitMs <= longestRetryAfterMs ? waitMs : undefined;
}

function unconfirmed(error: ServiceError): ServiceError {
  return new ServiceError(
    'unconfirmed',
    `${error.message}. Whether the service carried it out cannot be known`,
    {
      ...(error.status === undefined ? {} : { status: error.status }),
      hint: 'Look into the dashboard before asking again: a second request could make a second pull request.',
    },
  );
}
