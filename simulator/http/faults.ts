import type { SimClock } from '../clock/clock.ts';
import { finderOf, type RequestChoice } from './choose-request.ts';
import type { Handle, RecordedRequest, Route } from './messages.ts';
import {
  type Answer,
  type Delivery,
  deliveryOf,
  type IncomingRequest,
  jsonAnswer,
} from './messages.ts';

/** The Retry-After header: seconds, a text, or a function that returns a date for the current time. */
export type RetryAfter = number | string | ((nowMs: number) => string);

/** An error response. With `says`, it comes from the API itself; otherwise, from a gateway in front of both APIs. */
export interface ErrorAnswer {
  readonly status: number;
  readonly says?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfter?: RetryAfter;
}

/** What the client gets instead of the response. */
export type FaultKind =
  | { readonly kind: 'reset' | 'hang' | 'drip' | 'truncated-json' | 'wrong-content-type' }
  | ({ readonly kind: 'status' } & ErrorAnswer)
  | { readonly kind: 'html' | 'redirect'; readonly status?: number }
  | { readonly kind: 'oversized-json'; readonly bytes?: number };

/**
 * A fault, and when it happens. `before` (the default): the API never sees the request. `after-handled`: the API does its
 * work, but the client doesn't get the response. `half-answer`: the connection breaks halfway through the body.
 */
export type TimedFault =
  | (FaultKind & { readonly when?: 'before' | 'after-handled' })
  | { readonly kind: 'reset'; readonly when: 'half-answer' };

/** A fault, and the requests it affects: the selected one and later matches, `times` in all (one by default). */
export type FaultSpec = RequestChoice & TimedFault & { readonly times?: number };

type Refusing = Omit<ErrorAnswer, 'status'> & Pick<FaultSpec, 'nth' | 'times'>;

export type Faults = ReturnType<typeof createFaults>;

/**
 * Keeps the faults that haven't happened yet.
 *
 * @param otherUrl the target of redirects.
 */
export function createFaults(clock: SimClock, routes: readonly Route[], otherUrl: string) {
  const waiting: {
    readonly spec: FaultSpec;
    readonly isFound: ReturnType<typeof finderOf>;
    left: number;
  }[] = [];

  const add = (spec: FaultSpec): void => {
    waiting.push({ spec, isFound: finderOf(spec, routes), left: spec.times ?? 1 });
  };

  return {
    add,

    /** Adds a fault: the API itself refuses the request. */
    refuse(at: RequestChoice['at'], status: number, more: Refusing = {}): void {
      add({ at, kind: 'status', status, says: `Simulated refusal ${status}`, ...more });
    },

    get pending(): number {
      return waiting.reduce((sum, { left }) => sum + left, 0);
    },

    clear(): void {
      waiting.length = 0;
    },

    /** Returns the fault for this request, and uses it up. If there are several, the one added first is used. */
    take(request: RecordedRequest): FaultSpec | undefined {
      const [taken] = waiting.filter(({ isFound }) => isFound(request));
      if (taken === undefined) return undefined;
      taken.left -= 1;
      if (taken.left <= 0) waiting.splice(waiting.indexOf(taken), 1);
      return taken.spec;
    },

    /** What the client gets because of a fault. `answer` is the API's response, if there is one. */
    deliver(fault: FaultSpec, answer: Answer = plausible()): Delivery {
      const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
      if (fault.when === 'half-answer') return deliveryOf(answer, { kind: 'reset', body: [half] });
      switch (fault.kind) {
        case 'reset':
        case 'hang':
          return { kind: fault.kind };
        case 'drip':
          return deliveryOf(answer, { kind: 'drip' });
        case 'status':
          return deliveryOf(errorAnswer(fault, clock.now()));
        case 'html':
          return deliveryOf(textAnswer(fault.status ?? 200, 'text/html; charset=utf-8', HTML));
        case 'truncated-json':
          return deliveryOf({ ...answer, body: half });
        case 'oversized-json':
          return { kind: 'answer', head: FLOODED, body: flood(fault.bytes ?? 40 * 1024 * 1024) };
        case 'wrong-content-type':
          return deliveryOf({
            ...answer,
            headers: { ...answer.headers, 'content-type': 'text/plain' },
          });
        case 'redirect': {
          const location = `${otherUrl}/elsewhere`;
          return deliveryOf(textAnswer(fault.status ?? 302, 'text/plain', 'Moved', { location }));
        }
      }
    },
  };
}

/** An error with the fields that both clients look for. GitHub's own errors also link to its documentation. */
function errorAnswer(
  { status, says, headers = {}, retryAfter }: ErrorAnswer,
  nowMs: number,
): Answer {
  const text = says ?? `Simulated fault ${status}`;
  const own = says === undefined ? {} : { documentation_url: 'https://docs.github.com/rest' };
  const value = typeof retryAfter === 'function' ? retryAfter(nowMs) : retryAfter;
  const wait = value === undefined ? {} : { 'retry-after': String(value) };
  return jsonAnswer(status, { error: text, message: text, ...own }, { ...headers, ...wait });
}

const HTML =
  '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><h1>Checking</h1></body></html>';

function textAnswer(status: number, type: string, text: string, headers: object = {}): Answer {
  return { status, headers: { ...headers, 'content-type': type }, body: Buffer.from(text) };
}

/** A response that looks successful, for faults that happen before a request reaches its API. */
function plausible(): Answer {
  return jsonAnswer(200, { id: 'never-created', status: 'active', note: 'x'.repeat(64) });
}

const FLOODED = { status: 200, headers: { 'content-type': 'application/json' } };
const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x');

/** Generates a JSON document of about `bytes` bytes in chunks, to save memory. */
function* flood(bytes: number): Generator<Buffer> {
  yield Buffer.from('{"padding":"');
  for (let sent = 0; sent < bytes; sent += FLOOD_CHUNK.length) yield FLOOD_CHUNK;
  yield Buffer.from('"}');
}

/** A server that clients can reach only by following a redirect, which they shouldn't do. */
export interface OtherOrigin {
  readonly url: string;
  readonly requests: readonly IncomingRequest[];
}

/** Records every request and pretends that all is well, so that tests notice a client that follows redirects. */
export function recordingHandler(requests: IncomingRequest[]): Handle {
  return async (request) => {
    requests.push(request);
    return deliveryOf(plausible());
  };
}
