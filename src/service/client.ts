import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import type { Clock } from '../core/clock.ts';
import type { accessTo } from '../core/projects.ts';
import { backoffMs, maxRetryAfterMs, type RetryPolicy, withRetries } from '../http/retry.ts';
import { type HttpRequest, send, TransportError } from '../http/send.ts';
import { type Scrub, scrubbed } from '../text/scrub.ts';
import {
  fromStatus,
  fromTransportError,
  invalidResponse,
  type RequestInfo,
  ServiceError,
} from './errors.ts';
import { type AskedPage, type GapsList, gapsSchemas } from './gaps-schemas.ts';
import { acceptedJobSchema, type Job, jobSchema, visitorsPageSchema } from './schemas.ts';

/** Without `tries`, there are four. `beforeSend` is called before each one. If it throws, the call ends. */
export type CallOptions = Pick<HttpRequest, 'onSend' | 'timeoutMs'> &
  Partial<Pick<RetryPolicy, 'onWait' | 'tries'>> & { readonly beforeSend?: () => void };

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
  /** Ends requests, and the client's methods. */
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  /** Removes the key from responses, because the runner doesn't mask it in comments. */
  readonly scrub: Scrub;
}

type Call<T> = RequestInfo & { readonly schema: z.ZodMiniType<T> };

/** Creates a client for one key and one project. */
export function createDocsService(options: ServiceOptions) {
  const { baseUrl, apiKey, clock, signal, dispatcher, scrub } = options;
  const project = encodeURIComponent(options.projectId);
  const jobs = `/v2/agent/${project}/job`;
  const pathOf = (jobId: string) => `${jobs}/${encodeURIComponent(jobId)}`;
  const analyticsPath = (list: string, query: object) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    return `/v1/analytics/${project}/${list}?${new URLSearchParams(given)}`;
  };

  /** Sends one request. @throws ServiceError if the response doesn't have the documented form. */
  async function attempt<T>(call: Call<T>, { beforeSend, onSend, timeoutMs }: CallOptions) {
    beforeSend?.();
    const { what, path, body } = call;
    const url = new URL(`${baseUrl}${path}`);
    const method = body === undefined ? 'GET' : 'POST';
    const headers = {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'user-agent': 'docs-agent-action',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const request = {
      method,
      url,
      headers,
      body: JSON.stringify(body),
      signal,
      timeoutMs,
      onSend,
    } as const;
    const { status, text, ...response } = await send(dispatcher, request).catch(
      (error: unknown) => {
        throw error instanceof TransportError ? fromTransportError(what, url.origin, error) : error;
      },
    );
    const answer = {
      status,
      headers: scrubbed(response.headers, scrub),
      body: bodyOf(text, scrub),
    };
    if (status < 200 || status >= 300) throw fromStatus(call, answer, clock.now());
    const { data, error } = call.schema.safeParse(answer.body);
    if (error !== undefined) throw invalidResponse(what, answer, error);
    return data;
  }

  function read<T>(
    call: Call<T>,
    options: CallOptions = {},
    mayRetry = (_: ServiceError) => true,
  ): Promise<T> {
    const waitMs = (error: unknown, triesSoFar: number) => {
      if (!(error instanceof ServiceError) || !error.transient || !mayRetry(error))
        return undefined;
      const longer = Math.max(backoffMs(triesSoFar), error.retryAfterMs ?? 0);
      return longer <= maxRetryAfterMs ? longer : undefined;
    };
    return withRetries(() => attempt(call, options), { tries: 4, ...options, clock, waitMs });
  }

  /** Retries only if the request was never sent, or if the service says how long to wait. */
  function write(what: string, path: string, prompt: string, options?: CallOptions): Promise<Job> {
    const mayRetry = ({ refused, status, retryAfterMs }: ServiceError) =>
      refused && (status === undefined || retryAfterMs !== undefined);
    const call = { what, path, body: { prompt }, schema: acceptedJobSchema };
    return read(call, options, mayRetry).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.refused) throw error;
      const { what, doing, said, status, reason } = error;
      // Keep only the hints that don't ask the user to run the action again.
      const hint =
        reason === 'redirected' || reason === 'invalid-response' ? error.hint : undefined;
      throw new ServiceError('unconfirmed', what, { doing, said, status, hint });
    });
  }

  return {
    /** If it fails with the reason `unconfirmed`, a job may exist, so the request must not be sent again. */
    createJob: (prompt: string, options?: CallOptions) =>
      write('Creating the job', jobs, prompt, options),
    /** Sends a follow-up. If it fails with the reason `unconfirmed`, the service may have accepted it. */
    sendMessage: (jobId: string, prompt: string, options?: CallOptions) =>
      write('Sending the follow-up', `${pathOf(jobId)}/message`, prompt, options),
    getJob: async (jobId: string, options?: CallOptions) => {
      const job = await read(
        { what: 'Reading the job', path: pathOf(jobId), schema: jobSchema },
        options,
      );
      return { ...job, id: jobId };
    },
    getVisitors: (query: VisitorsQuery, options?: CallOptions) => {
      const path = analyticsPath('visitors', query);
      return read({ what: 'Reading the visitors', path, schema: visitorsPageSchema }, options);
    },
    /** Reads one page of assistant questions, votes, searches, or feedback that no one has handled. */
    getGaps: (list: GapsList, query: GapsQuery, options?: CallOptions) => {
      const path = `${analyticsPath(list, query)}${list === 'feedback' ? '&status=pending' : ''}`;
      return read<AskedPage>(
        { what: `Reading \`${list}\``, path, schema: gapsSchemas[list] },
        options,
      );
    },
    /** The same service with the same key, for another project. */
    forProject: (projectId: string): DocsService => createDocsService({ ...options, projectId }),
    /** The same client, whose requests end with another signal. */
    within: (other: AbortSignal): DocsService =>
      createDocsService({ ...options, signal: other, clock: clock.within(other) }),
  };
}

/** Parses and scrubs a JSON body; `undefined` if it isn't JSON. */
function bodyOf(text: string, scrub: Scrub): unknown {
  try {
    return scrubbed(JSON.parse(text), scrub);
  } catch {
    return undefined;
  }
}
