import type { Hono } from 'hono';

import type { SimClock } from '../clock/clock.ts';
import type { Faults } from './faults.ts';

/** One request as it came in, counted from 1 over both APIs. */
export interface RecordedRequest {
  readonly n: number;
  readonly to: 'service' | 'github';
  readonly method: string;
  /** As it was sent, still encoded, without the query and without GitHub's prefix. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, the text where it is no JSON, `undefined` where there is no body. */
  readonly body: unknown;
  readonly bodyText: string;
  readonly at: number;
  /** What the world answered; `null` where the request never reached it. */
  status: number | null;
  /** The kind of the fault the client met instead of the world's answer. */
  fault: string | null;
}

/** What hono hands to the routes beside the request: the one place they read headers and body from. */
export interface RouteEnv {
  Bindings: { readonly record: RecordedRequest };
}
export type RouteApp = Hono<RouteEnv>;

export interface IncomingRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a transport is to do with a request, once the worlds and the faults have had their say. */
export type Delivery =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drip'; readonly answer: Answer; readonly everyMs: number }
  | { readonly kind: 'cut'; readonly answer: Answer; readonly bytes: number }
  | { readonly kind: 'flood'; readonly bytes: number };

export type BoundaryPhase = 'arrived' | 'handled';
/** Called at the two edges of every request; what it throws becomes a broken connection. */
export type BoundaryHook = (
  n: number,
  phase: BoundaryPhase,
  request: RecordedRequest,
) => void | Promise<void>;

export const GITHUB_PREFIX = '/github';

export interface ExchangeParts {
  readonly clock: SimClock;
  readonly faults: Faults;
  readonly violations: string[];
  readonly service: RouteApp;
  readonly github: RouteApp;
}

/** Takes a request through recording, hooks, faults and worlds; knows nothing of sockets. */
export class Exchange {
  readonly requests: RecordedRequest[] = [];
  readonly #parts: ExchangeParts;
  readonly #hooks = new Set<BoundaryHook>();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Adds a boundary hook and returns what takes it away again. */
  onBoundary(hook: BoundaryHook): () => void {
    this.#hooks.add(hook);
    return () => this.#hooks.delete(hook);
  }

  async handle(incoming: IncomingRequest): Promise<Delivery> {
    const record = this.#record(incoming);
    await this.#reach('arrived', record);
    const fault = this.#parts.faults.take(record);
    if (fault !== undefined) record.fault = fault.kind;
    if (fault?.when === 'before') return fault.deliver(undefined);
    const answer = await this.#askWorld(record);
    record.status = answer.status;
    await this.#reach('handled', record);
    return fault === undefined ? { kind: 'answer', answer } : fault.deliver(answer);
  }

  async #reach(phase: BoundaryPhase, record: RecordedRequest): Promise<void> {
    for (const hook of this.#hooks) await hook(record.n, phase, record);
  }

  #record({ method, target, headers, body }: IncomingRequest): RecordedRequest {
    const [rawPath = '', search = ''] = split(target, '?');
    const isGitHub = rawPath === GITHUB_PREFIX || rawPath.startsWith(`${GITHUB_PREFIX}/`);
    const path = isGitHub ? rawPath.slice(GITHUB_PREFIX.length) || '/' : rawPath;
    const bodyText = body.toString('utf8');
    const record: RecordedRequest = {
      n: this.requests.length + 1,
      to: isGitHub ? 'github' : 'service',
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers,
      body: parseBody(bodyText),
      bodyText,
      at: this.#parts.clock.now(),
      status: null,
      fault: null,
    };
    this.requests.push(record);
    for (const problem of problemsOf(record)) this.#parts.violations.push(`${method} ${path}: ${problem}`);
    return record;
  }

  async #askWorld(record: RecordedRequest): Promise<Answer> {
    const app = record.to === 'github' ? this.#parts.github : this.#parts.service;
    const search = new URLSearchParams(record.query).toString();
    const url = `http://simulator${record.path}${search === '' ? '' : `?${search}`}`;
    try {
      const response = await app.fetch(new Request(url, { method: record.method }), { record });
      const date = new Date(this.#parts.clock.now()).toUTCString();
      return {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), date },
        body: Buffer.from(await response.arrayBuffer()),
      };
    } catch (error) {
      // The client sees a broken connection; whoever wrote the test must see why.
      this.#parts.violations.push(`The simulator itself failed on ${record.method} ${record.path}: ${error}`);
      throw error;
    }
  }
}

/** What no server would take, whichever it is. */
function problemsOf({ method, path, bodyText }: RecordedRequest): string[] {
  const problems: string[] = [];
  if ((method === 'GET' || method === 'HEAD') && bodyText !== '')
    problems.push(`a ${method} carries no body`);
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    problems.push('dot segments in the path');
  if (path.includes('//')) problems.push('an empty segment in the path');
  return problems;
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
