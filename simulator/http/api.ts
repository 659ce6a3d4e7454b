import { TrieRouter } from 'hono/router/trie-router';

import { type Answer, jsonAnswer, type RecordedRequest, type Route } from './messages.ts';

/** A request, as its endpoint sees it. */
export interface Call {
  readonly request: RecordedRequest;
  /** The decoded path segment at `{name}` in the route; '' if the route has no such name. */
  param(name: string): string;
}

/** Answers a call, or refuses it by throwing a `Refusal`. */
export type Endpoint = (call: Call) => Answer | Promise<Answer>;

export interface ApiOptions {
  /** Collects a line for everything that a correct client never does. */
  readonly violations: string[];
  /** The error response to a request that matches no endpoint. */
  readonly refuseUnknown: () => Refusal;
  /** Makes the checks that apply to every request of this API. */
  readonly check?: (request: RecordedRequest) => void;
  /** The headers of every response. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** The endpoints of one API. */
export class Api {
  /** All its routes. */
  readonly routes: Route[] = [];
  readonly #options: ApiOptions;
  readonly #router = new TrieRouter<{ readonly route: Route; readonly endpoint: Endpoint }>();

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Adds an endpoint. If two routes match a request, the one added first answers it. */
  on(route: Route, endpoint: Endpoint): void {
    const [method = '', path = ''] = route.split(' ');
    this.routes.push(route);
    this.#router.add(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), { route, endpoint });
  }

  routeOf(method: string, path: string): Route | undefined {
    return this.#find(method, path)?.[0].route;
  }

  async answer(request: RecordedRequest): Promise<Answer> {
    const answer = await this.#answer(request);
    return { ...answer, headers: { ...answer.headers, ...this.#options.headers?.() } };
  }

  async #answer(request: RecordedRequest): Promise<Answer> {
    const { check, refuseUnknown, violations } = this.#options;
    const { method, path } = request;
    try {
      check?.(request);
      const found = this.#find(method, path);
      if (found === undefined) throw refuseUnknown();
      const [{ endpoint }, params] = found;
      return await endpoint({ request, param: (name) => decode(String(params[name] ?? '')) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.violation !== undefined) violations.push(`${method} ${path}: ${error.violation}`);
      return jsonAnswer(error.status, error.body, error.headers);
    }
  }

  #find(method: string, path: string) {
    return this.#router.match(method, path)[0][0];
  }
}

/** Decodes a path segment; leaves it alone if an escape is broken. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the client did that no correct client does; `undefined` for refusals that any client may get. */
  readonly violation?: string | undefined;
}

/** Thrown when an API refuses a request; contains the response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly violation: string | undefined;

  constructor(status: number, body: unknown, { headers = {}, violation }: RefusalDetails = {}) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.violation = violation;
  }
}

/** What is wrong with a body that must be a JSON object with one string field; `undefined` if nothing is. */
export function wrongBody(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return 'the body is not a JSON object';
  const unknown = Object.keys(body).filter((key) => key !== field);
  if (unknown.length > 0)
    return `${unknown.map((key) => JSON.stringify(key)).join(', ')} is not a permitted key`;
  const value: unknown = Reflect.get(body, field);
  if (typeof value !== 'string') return `${field} must be a string`;
  return undefined;
}
