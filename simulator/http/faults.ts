import type { SimClock } from '../clock/clock.ts';
import { type RequestChoice, RequestFinder } from './choose-request.ts';
import {
  type Answer,
  type Delivery,
  deliveryOf,
  type IncomingRequest,
  jsonAnswer,
  type RecordedRequest,
  type Route,
} from './messages.ts';

/** The forms that servers give a Retry-After; `raw` is sent as it is. */
export type RetryAfter =
  | { readonly form: 'seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly seconds: number }
  | { readonly form: 'raw'; readonly value: string };

/** What the client gets instead of the answer. */
export type FaultKind =
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drip' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: RetryAfter }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'truncated-json' }
  | { readonly kind: 'oversized-json'; readonly bytes?: number }
  | { readonly kind: 'wrong-content-type' }
  | { readonly kind: 'redirect'; readonly status?: number };

/**
 * A fault, and the request that it happens to. `before` (the default): the API never sees the request. `after-handled`: the
 * API does its work, and the client does not get its answer. `half-answer`: half of the body is sent, then the connection
 * breaks.
 */
export type FaultSpec = RequestChoice & {
  /** To how many requests it happens: the chosen one and the matches after it; to one by default. */
  readonly times?: number;
} & (
    | (FaultKind & { readonly when?: 'before' | 'after-handled' })
    | { readonly kind: 'reset'; readonly when: 'half-answer' }
  );

/** The faults that are waiting for their requests. */
export class Faults {
  readonly #waiting: { readonly spec: FaultSpec; readonly finder: RequestFinder; left: number }[] = [];
  readonly #clock: SimClock;
  readonly #routes: readonly Route[];
  readonly #otherUrl: string;

  /** @param otherUrl where redirects point to. */
  constructor(clock: SimClock, routes: readonly Route[], otherUrl: string) {
    this.#clock = clock;
    this.#routes = routes;
    this.#otherUrl = otherUrl;
  }

  add(spec: FaultSpec): void {
    const finder = new RequestFinder(spec, this.#routes);
    this.#waiting.push({ spec, finder, left: spec.times ?? 1 });
  }

  /** How many faults are still to happen. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** The fault that happens to this request, used up by this call; of several, the one that was added first. */
  take(request: RecordedRequest): FaultSpec | undefined {
    const [taken] = this.#waiting.filter(({ finder }) => finder.show(request));
    if (taken === undefined) return undefined;
    taken.left -= 1;
    if (taken.left <= 0) this.#waiting.splice(this.#waiting.indexOf(taken), 1);
    return taken.spec;
  }

  /** What the client gets because of a fault; `answer` is the API's, if it was asked. */
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
        return deliveryOf(errorStatus(fault.status, retryAfterHeader(fault.retryAfter, this.#clock.now())));
      case 'html':
        return deliveryOf(textAnswer(fault.status ?? 200, 'text/html; charset=utf-8', HTML));
      case 'truncated-json':
        return deliveryOf({ ...answer, body: half });
      case 'oversized-json':
        return { kind: 'answer', head: FLOODED, body: flood(fault.bytes ?? 40 * 1024 * 1024) };
      case 'wrong-content-type':
        return deliveryOf({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } });
      case 'redirect': {
        const location = `${this.#otherUrl}/elsewhere`;
        return deliveryOf(textAnswer(fault.status ?? 302, 'text/plain', 'Moved', { location }));
      }
    }
  }
}

/** The Retry-After header, or no header if there is nothing to say. */
function retryAfterHeader(retryAfter: RetryAfter | undefined, nowMs: number): Record<string, string> {
  switch (retryAfter?.form) {
    case undefined:
      return {};
    case 'seconds':
      return { 'retry-after': String(retryAfter.seconds) };
    case 'http-date': {
      // A date has whole seconds: rounded up, so that no client comes back too early.
      const atMs = Math.ceil(nowMs / 1000 + retryAfter.seconds) * 1000;
      return { 'retry-after': new Date(atMs).toUTCString() };
    }
    case 'raw':
      return { 'retry-after': retryAfter.value };
  }
}

/** An error of a gateway in front of both APIs, with the fields that either client looks for. */
function errorStatus(status: number, headers: Record<string, string>): Answer {
  const text = `Simulated fault ${status}`;
  return jsonAnswer(status, { error: text, message: text }, headers);
}

const HTML =
  '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><h1>Checking</h1></body></html>';

function textAnswer(status: number, type: string, text: string, headers: object = {}): Answer {
  return { status, headers: { ...headers, 'content-type': type }, body: Buffer.from(text) };
}

/** An answer that looks like success, for faults that spoil an answer although no API was asked. */
function plausible(): Answer {
  return jsonAnswer(200, { id: 'never-created', status: 'active', note: 'x'.repeat(64) });
}

const FLOODED = { status: 200, headers: { 'content-type': 'application/json' } };
const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A JSON document of about `bytes` bytes, in chunks, so that it is never in memory as a whole. */
function* flood(bytes: number): Generator<Buffer> {
  yield Buffer.from('{"padding":"');
  for (let sent = 0; sent < bytes; sent += FLOOD_CHUNK.length) yield FLOOD_CHUNK;
  yield Buffer.from('"}');
}

/** A server that no client should reach: a client that does has followed a redirect. */
export interface OtherOrigin {
  readonly url: string;
  readonly requests: readonly IncomingRequest[];
}

/** Keeps every request and answers as if all were well: a client that follows redirects is to be noticed, not stopped. */
export function recordingHandler(
  requests: IncomingRequest[],
): (request: IncomingRequest) => Promise<Delivery> {
  return async (request) => {
    requests.push(request);
    return deliveryOf(plausible());
  };
}
