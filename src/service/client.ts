import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import type { Clock } from '../core/clock.ts';
import { backoffMs, longestRetryAfterMs, withRetries } from '../http/retry.ts';
import { send, TransportError } from '../http/send.ts';
import { type Scrub, scrubbed } from '../text/scrub.ts';
import {
  type Answer,
  fromStatus,
  fromTransportError,
  invalidResponse,
  type RequestInfo,
  ServiceError,
} from './errors.ts';
import { type AskedPage, type GapsList, gapsSchemas } from './gaps-schemas.ts';
import { acceptedJobSchema, type Job, jobSchema, type VisitorsPage, visitorsPageSchema } from './schemas.ts';

const tries = 4;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called before every request, including retries. If it throws, the call ends. */
  readonly beforeSend?: () => void;
  /** Called once a connection is open, right before a request is sent. From then on, it may have arrived. */
  readonly onSend?: () => void;
  /** Called before each wait for another try, with the error and the wait in milliseconds. */
  readonly onWait?: (error: unknown, waitMs: number) => void;
  /** Total tries, for callers that do their own waiting. Default: 4. */
  readonly tries?: number;
  /** Milliseconds for one try. Default and maximum: 30 s. */
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

export interface GapsQuery extends Pick<VisitorsQuery, 'dateFrom' | 'dateTo' | 'limit'> {
  /** Where the page begins; `undefined` for the first. */
  readonly cursor: string | undefined;
}

/** The documentation service. Every method throws `ServiceError`, or the signal's reason. */
export interface DocsService {
  /** Starts a job. If it fails as `unconfirmed`, a job may exist, so the request must not be sent again. */
  createJob(prompt: string, options: CallOptions): Promise<Job>;
  /** Sends a follow-up message to a job; `unconfirmed` means the same as in `createJob`. */
  sendMessage(jobId: string, prompt: string, options: CallOptions): Promise<Job>;
  getJob(jobId: string, options: CallOptions): Promise<Job>;
  getVisitors(query: VisitorsQuery, options: CallOptions): Promise<VisitorsPage>;
  /** A page of what readers asked for. */
  getGaps(list: GapsList, query: GapsQuery, options: CallOptions): Promise<AskedPage>;
  /** The same service and key, for another project. */
  forProject(projectId: string): DocsService;
}

export interface ServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** Responses may repeat the key, and the runner doesn't mask comments. */
  readonly scrub: Scrub;
}

interface Call<T> extends RequestInfo {
  readonly schema: z.ZodMiniType<T>;
}

/** A client of the service, for one key, one project, and one origin. */
export function createDocsService(options: ServiceOptions): DocsService {
  const { baseUrl, apiKey, clock, dispatcher, scrub } = options;
  const project = encodeURIComponent(options.projectId);
  const jobs = `/v2/agent/${project}/job`;
  const pathOf = (jobId: string) => `${jobs}/${encodeURIComponent(jobId)}`;

  /** Sends one request. Returns a response in the documented form, or throws a `ServiceError`. */
  async function attempt<T>(call: Call<T>, { signal, beforeSend, onSend, timeoutMs }: CallOptions) {
    beforeSend?.();
    const { what, path, body } = call;
    const url = new URL(`${baseUrl}${path}`);
    const request = {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: JSON.stringify(body),
      signal,
      timeoutMs,
      onSend,
    } as const;
    const { status, text, ...response } = await send(dispatcher, request).catch((error: unknown) => {
      throw error instanceof TransportError ? fromTransportError(what, url.origin, error) : error;
    });
    const headers = scrubbed(response.headers, scrub) as Answer['headers'];
    const answer = { status, headers, body: bodyOf(text, scrub) };
    if (status < 200 || status >= 300) throw fromStatus(call, answer, clock.now());
    const { data, error } = call.schema.safeParse(answer.body);
    if (error !== undefined) throw invalidResponse(what, answer, error.issues[0]);
    return data;
  }

  function read<T>(call: Call<T>, options: CallOptions, mayRetry = (_: ServiceError) => true): Promise<T> {
    const waitMs = (error: unknown, triesSoFar: number) => {
      if (!(error instanceof ServiceError) || !error.transient || !mayRetry(error)) return undefined;
      // Wait as long as the service asks, but at least a backoff.
      const longer = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
      return longer <= longestRetryAfterMs ? longer : undefined;
    };
    return withRetries(() => attempt(call, options), { tries, ...options, clock, waitMs });
  }

  /** Retries only if nothing was sent, or if the service named a time to try again: its limit is hourly. */
  function write(what: string, path: string, prompt: string, options: CallOptions): Promise<Job> {
    const mayRetry = ({ refused, status, retryAfterMs }: ServiceError) =>
      refused && (status === undefined || retryAfterMs !== undefined);
    const call = { what, path, body: { prompt }, schema: acceptedJobSchema };
    return read(call, options, mayRetry).catch((error: unknown) => {
      throw error instanceof ServiceError && !error.refused ? unconfirmed(error) : error;
    });
  }

  return {
    createJob: (prompt, options) => write('Creating the job', jobs, prompt, options),
    sendMessage: (jobId, prompt, options) =>
      write('Sending the message', `${pathOf(jobId)}/message`, prompt, options),
    getJob: (jobId, options) =>
      read({ what: 'Reading the job', path: pathOf(jobId), schema: jobSchema }, options),
    getVisitors: (query, options) => {
      const { dateFrom, dateTo, limit, offset } = query;
      const asked = new URLSearchParams({ dateFrom, dateTo, limit: `${limit}`, offset: `${offset}` });
      const path = `/v1/analytics/${project}/visitors?${asked}`;
      return read({ what: 'Reading the visitors', path, schema: visitorsPageSchema }, options);
    },
    getGaps: (list, { dateFrom, dateTo, limit, cursor }, options) => {
      const page = { limit: `${limit}`, ...(cursor === undefined ? {} : { cursor }) };
      const path = `/v1/analytics/${project}/${list}?${new URLSearchParams({ dateFrom, dateTo, ...page })}`;
      return read({ what: `Reading \`${list}\``, path, schema: gapsSchemas[list] }, options);
    },
    forProject: (projectId) => createDocsService({ ...options, projectId }),
  };
}

/** A body as JSON, without secrets; `undefined` if it isn't JSON. */
function bodyOf(text: string, scrub: Scrub): unknown {
  try {
    return scrubbed(JSON.parse(text), scrub);
  } catch {
    return undefined;
  }
}

function unconfirmed({ what, said, status, reason, hint }: ServiceError): ServiceError {
  // Only these hints still help. The others say to run again.
  const isElsewhere = reason === 'redirected' || reason === 'invalid-response';
  return new ServiceError('unconfirmed', what, { said, status, hint: isElsewhere ? hint : undefined });
}
