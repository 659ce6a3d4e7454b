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
  /** Starts a job. Reason `unconfirmed`: nobody can know whether it was created; it must not be sent again. */
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
  /** Whoever answers may repeat the key, and what they say is shown in comments, which nobody masks. */
  readonly scrub: Scrub;
}

interface Call<T> extends Asking {
  readonly path: string;
  readonly body?: unknown;
  readonly schema: z.ZodMiniType<T>;
}

/** The client of the service interface: one key, one project, one origin. */
export function createDocsService(options: ServiceOptions): DocsService {
  const { baseUrl, apiKey, clock, dispatcher, scrub } = options;
  const project = encodeURIComponent(options.projectId);
  const jobs = `/v2/agent/${project}/job`;

  /** One request, one answer in the shape promised, or a `ServiceError`. */
  async function attempt<T>(
    call: Call<T>,
    { signal, beforeSend, onSend, timeoutMs }: CallOptions,
  ): Promise<T> {
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
      ...(onSend === undefined ? {} : { onSend }),
    };
    const response = await send(dispatcher, request).catch((error: unknown) => {
      throw error instanceof TransportError ? fromTransport(call.what, request.url.origin, error) : error;
    });
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, scrub(value)]),
    );
    const answer: Answer = { status: response.status, headers, body: bodyOf(response.text, scrub) };
    if (answer.status < 200 || answer.status >= 300) throw fromStatus(call, answer, clock.now());
    return parse(call, answer);
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
        waitMs: (error, triesSoFar) => {
          if (!(error instanceof ServiceError) || !error.transient || !error.refused) return undefined;
          // The limit is hourly: without a time that the service names, trying again at once only uses it up.
          const isHourly = error.status === 429 && error.retryAfterMs === undefined;
          return isHourly ? undefined : patience(error, triesSoFar);
        },
      });
    } catch (error) {
      if (error instanceof ServiceError && !error.refused) throw unconfirmed(error);
      throw error;
    }
  }

  return {
    createJob: (prompt, call) =>
      write(
        {
          what: 'Creating the job',
          method: 'POST',
          isUnknown: noProject,
          path: jobs,
          body: { prompt },
          schema: takenJobSchema,
        },
        call,
      ),
    sendMessage: (jobId, prompt, call) =>
      write(
        {
          what: 'Sending the message',
          method: 'POST',
          isUnknown: noJob,
          path: `${jobs}/${encodeURIComponent(jobId)}/message`,
          body: { prompt },
          schema: takenJobSchema,
        },
        call,
      ),
    getJob: (jobId, call) =>
      read(
        {
          what: 'Reading the job',
          method: 'GET',
          isUnknown: noJob,
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
          isUnknown: noProject,
          path: `/v1/analytics/${project}/visitors?${query}`,
          schema: visitorsPageSchema,
        },
        call,
      );
    },
    forProject: (projectId) => createDocsService({ ...options, projectId }),
  };
}

/** A body as JSON, without secrets; `undefined` for one that is none, or is nested too deep to be walked. */
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

/** The service's own wish if it can be met, the backoff without one, and `undefined` to give up. */
function patience(error: ServiceError, triesSoFar: number): number | undefined {
  const waitMs = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
  return waitMs <= longestRetryAfterMs ? waitMs : undefined;
}

function unconfirmed(error: ServiceError): ServiceError {
  const { what, said, status, reason, hint } = error;
  // What was asked once more would meet the same.
  const isElsewhere = reason === 'redirected' || reason === 'invalid-response';
  return new ServiceError('unconfirmed', what, {
    said,
    ...(status === undefined ? {} : { status }),
    ...(isElsewhere && hint !== undefined ? { hint } : {}),
  });
}
