import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import type { Clock } from '../core/clock.ts';
import type { accessTo } from '../core/projects.ts';
import { backoffMs, maxRetryAfterMs, type RetryPolicy, withRetries } from '../http/retry.ts';
import { type HttpRequest, send, TransportError } from '../http/send.ts';
import { type Scrub, scrubAll } from '../text/scrub.ts';
import {
  fromStatus,
  fromTransportError,
  invalidResponse,
  type RequestInfo,
  ServiceError,
} from './errors.ts';
import { type AskedPage, type GapsList, gapsSchemas } from './gaps-schemas.ts';
import { acceptedJobSchema, type Job, jobSchema, visitorsPageSchema } from './schemas.ts';

const defaultTries = 4;

/**
 * Without `tries`, there are four. `beforeSend` is called before each one. If it throws, the call
 * ends.
 */
export type CallOptions = Pick<HttpRequest, 'onSend' | 'timeoutMs'> &
  Partial<Pick<RetryPolicy, 'onWait' | 'tries'>> & {
    readonly beforeSend?: () => void | Promise<void>;
  };

/** From one day (`YYYY-MM-DD`, inclusive) to another (exclusive). */
export type VisitorsQuery = Readonly<{
  dateFrom: string;
  dateTo: string;
  limit: number;
  offset: number;
}>;
/** `cursor`: where the page starts; `undefined` for the first page. */
type GapsQuery = Omit<VisitorsQuery, 'offset'> & { readonly cursor: string | undefined };

/** The documentation service. Every method throws `ServiceError`, or the signal's reason. */
export interface DocsService extends ReturnType<typeof createDocsService> {}

export interface ServiceOptions extends ReturnType<typeof accessTo> {
  readonly clock: Clock;
  /** Ends requests, and the waits between them. */
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  /** Removes the key from responses, because the runner doesn't mask it in comments. */
  readonly scrub: Scrub;
}

type Call<T> = RequestInfo & { readonly schema: z.ZodMiniType<T> };

/** Creates a client for one key and one project. */
export function createDocsService(options: ServiceOptions) {
  const { baseUrl, clock, scrub } = options;
  const project = encodeURIComponent(options.projectId);
  const jobsPath = `/v2/agent/${project}/job`;
  const pathOfJob = (jobId: string) => `${jobsPath}/${encodeURIComponent(jobId)}`;
  const pathOfAnalytics = (list: string, query: object) => {
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
    return `/v1/analytics/${project}/${list}?${new URLSearchParams(parameters)}`;
  };

  function headersOf(body: unknown): HttpRequest['headers'] {
    const headers = {
      authorization: `Bearer ${options.apiKey}`,
      accept: 'application/json',
      'user-agent': 'docs-agent-action',
    };
    return body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  }

  /** Sends one request. @throws ServiceError if the response doesn't have the documented form. */
  async function attempt<T>(call: Call<T>, callOptions: CallOptions): Promise<T> {
    await callOptions.beforeSend?.();
    const { what, body } = call;
    const url = new URL(`${baseUrl}${call.path}`);
    const request: HttpRequest = {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: headersOf(body),
      body: JSON.stringify(body),
      signal: options.signal,
      timeoutMs: callOptions.timeoutMs,
      onSend: callOptions.onSend,
    };
    const response = await send(options.dispatcher, request).catch((error: unknown) => {
      throw error instanceof TransportError ? fromTransportError(what, url.origin, error) : error;
    });
    const answer = {
      status: response.status,
      headers: scrubAll(response.headers, scrub),
      body: parseBody(response.text, scrub),
    };
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (!isSuccess) throw fromStatus(call, answer, clock.now());
    const { data, error } = call.schema.safeParse(answer.body);
    if (error !== undefined) throw invalidResponse(what, answer, error);
    return data;
  }

  function sendCall<T>(
    call: Call<T>,
    callOptions: CallOptions = {},
    mayRetry = (_: ServiceError) => true,
  ): Promise<T> {
    const waitMs = (error: unknown, triesSoFar: number) => {
      if (!(error instanceof ServiceError) || !error.transient || !mayRetry(error))
        return undefined;
      const longerMs = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
      return longerMs <= maxRetryAfterMs ? longerMs : undefined;
    };
    const policy = { tries: defaultTries, ...callOptions, clock, waitMs };
    return withRetries(() => attempt(call, callOptions), policy);
  }

  /**
   * Sends a prompt. If it may have been accepted despite an error, the error has the reason
   * `unconfirmed`.
   */
  async function sendPrompt(
    what: string,
    path: string,
    prompt: string,
    callOptions?: CallOptions,
  ): Promise<Job> {
    const call = { what, path, body: { prompt }, schema: acceptedJobSchema };
    try {
      return await sendCall(call, callOptions, mayResend);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.refused) throw error;
      throw unconfirmed(error);
    }
  }

  return {
    /**
     * If it fails with the reason `unconfirmed`, a job may exist, so the request must not be sent
     * again.
     */
    createJob: (prompt: string, callOptions?: CallOptions) =>
      sendPrompt('Creating the job', jobsPath, prompt, callOptions),
    /**
     * Sends a follow-up. If it fails with the reason `unconfirmed`, the service may have accepted
     * it.
     */
    sendMessage: (jobId: string, prompt: string, callOptions?: CallOptions) =>
      sendPrompt('Sending the follow-up', `${pathOfJob(jobId)}/message`, prompt, callOptions),
    getJob: async (jobId: string, callOptions?: CallOptions) => {
      const call = { what: 'Reading the job', path: pathOfJob(jobId), schema: jobSchema };
      return { ...(await sendCall(call, callOptions)), id: jobId };
    },
    getVisitors: (query: VisitorsQuery, callOptions?: CallOptions) => {
      const path = pathOfAnalytics('visitors', query);
      const call = { what: 'Reading the visitors', path, schema: visitorsPageSchema };
      return sendCall(call, callOptions);
    },
    /**
     * Reads one page of assistant questions, votes, searches, or feedback that no one has handled.
     */
    getGaps: (list: GapsList, query: GapsQuery, callOptions?: CallOptions) => {
      const parameters = list === 'feedback' ? { ...query, status: 'pending' } : query;
      const path = pathOfAnalytics(list, parameters);
      const call = { what: `Reading \`${list}\``, path, schema: gapsSchemas[list] };
      return sendCall<AskedPage>(call, callOptions);
    },
    /** The same service with the same key, for another project. */
    forProject: (projectId: string): DocsService => createDocsService({ ...options, projectId }),
    /** The same client, whose requests end with another signal. */
    within: (signal: AbortSignal): DocsService =>
      createDocsService({ ...options, signal, clock: clock.within(signal) }),
  };
}

/**
 * Whether a prompt is sent again: only if it was never sent, or if the service says how long to
 * wait.
 */
function mayResend(error: ServiceError): boolean {
  if (!error.refused) return false;
  return error.status === undefined || error.retryAfterMs !== undefined;
}

function unconfirmed(error: ServiceError): ServiceError {
  // Keep only the hints that don't ask the user to run the action again.
  const isHintKept = error.reason === 'redirected' || error.reason === 'invalid-response';
  return new ServiceError('unconfirmed', error.what, {
    doing: error.doing,
    said: error.said,
    status: error.status,
    hint: isHintKept ? error.hint : undefined,
  });
}

/** Parses and scrubs a JSON body; `undefined` if it isn't JSON. */
function parseBody(text: string, scrub: Scrub): unknown {
  try {
    return scrubAll(JSON.parse(text), scrub);
  } catch {
    return undefined;
  }
}
