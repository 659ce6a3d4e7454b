/** An endpoint: `POST /v2/agent/{project}/job`, where `{name}` is one path segment. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A request as it was sent. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request to one of the two APIs, and what happened to it. */
export interface RecordedRequest {
  readonly to: 'service' | 'github';
  /** Its endpoint; `undefined` if its API has no such endpoint. */
  readonly route: Route | undefined;
  readonly method: string;
  /** The path as sent: still encoded, but without the query and GitHub's prefix. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; the text if it isn't JSON; `undefined` without a body. */
  readonly body: unknown;
  readonly bodyText: string;
  /** When it arrived, by the simulator's clock. */
  readonly at: number;
  /** The API's response status; `null` if the request hasn't reached the API (yet). */
  status: number | null;
  /** The kind of fault that hit it, if any. */
  fault: string | null;
}

/** An API's response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What is sent on the connection. */
export interface Delivery {
  /** How it ends: normally, broken, or never. With `drip`, the body is sent byte by byte. */
  readonly kind: 'answer' | 'reset' | 'hang' | 'drip';
  /** Missing if nothing is sent at all. */
  readonly head?: Pick<Answer, 'status' | 'headers'>;
  readonly body?: Iterable<Buffer>;
}

/** Sends the whole response, unless `changes` says otherwise. */
export function deliveryOf({ status, headers, body }: Answer, changes: Partial<Delivery> = {}): Delivery {
  const length = status === 204 ? {} : { 'content-length': String(body.length) };
  return { kind: 'answer', head: { status, headers: { ...headers, ...length } }, body: [body], ...changes };
}

/** A JSON response. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
