import { TrieRouter } from 'hono/router/trie-router';

import { type Answer, jsonAnswer, type RecordedRequest, type Route } from './messages.ts';

/** A request with the parameters in its path. */
export interface Call {
  readonly request: RecordedRequest;
  /** The decoded path segment at `{name}` in the route; '' if the route has no such segment. */
  param(name: string): string;
}

/** Responds to a call, or throws a `Refusal`. */
type Endpoint = (call: Call) => Answer | Promise<Answer>;

interface ApiOptions {
  /** Collects what a correct client would never send. */
  readonly violations: string[];
  readonly refuseUnknown: () => Refusal;
  readonly check?: (request: RecordedRequest) => void;
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** The endpoints of one API. */
export type Api = ReturnType<typeof createApi>;

export function createApi({ violations, refuseUnknown, check, headers }: ApiOptions) {
  const routes: Route[] = [];
  const router = new TrieRouter<{ readonly route: Route; readonly endpoint: Endpoint }>();
  const find = (method: string, path: string) => router.match(method, path)[0][0];

  const respond = async (request: RecordedRequest): Promise<Answer> => {
    check?.(request);
    const found = find(request.method, request.path);
    if (found === undefined) throw refuseUnknown();
    const [{ endpoint }, params] = found;
    return endpoint({ request, param: (name) => decodeURIComponent(String(params[name] ?? '')) });
  };

  return {
    routes: routes as readonly Route[],

    /** Adds an endpoint. If two routes match a request, the one added first is used. */
    on(route: Route, endpoint: Endpoint): void {
      const [method = '', path = ''] = route.split(' ');
      routes.push(route);
      router.add(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), { route, endpoint });
    },

    routeOf: (method: string, path: string): Route | undefined => find(method, path)?.[0].route,

    async answer(request: RecordedRequest): Promise<Answer> {
      const answer = await respond(request).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        if (error.violation !== undefined)
          violations.push(`${request.method} ${request.path}: ${error.violation}`);
        return error.answer;
      });
      return { ...answer, headers: { ...answer.headers, ...headers?.() } };
    },
  };
}

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What a correct client would never send; `undefined` if any client may get this refusal. */
  readonly violation?: string | undefined;
}

/** Thrown to refuse a request. It contains the response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;
  readonly violation: string | undefined;

  constructor(status: number, body: unknown, { headers, violation }: RefusalDetails = {}) {
    super(`Refused with ${status}`);
    this.answer = jsonAnswer(status, body, headers);
    this.violation = violation;
  }
}

/** What is wrong with a body that must be an object with one string field; `undefined` if it is valid. */
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
