/** An endpoint: `POST /v2/agent/{project}/job`, where `{name}` is one segment of the path. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A request as it was sent. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request to one of the two APIs, and what became of it. */
export interface RecordedRequest {
  readonly to: 'service' | 'github';
  /** The endpoint that it is for; `undefined` if its API has no such endpoint. */
  readonly route: Route | undefined;
  readonly method: string;
  /** As it was sent: still encoded, but without the query and GitHub's prefix. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; the text if it is no JSON; `undefined` if there is no body. */
  readonly body: unknown;
  readonly bodyText: string;
  /** When it came, by the simulator's clock. */
  readonly at: number;
  /** The status that the API answered with; `null` if the request did not reach it (yet). */
  status: number | null;
  /** The kind of fault that happened to it, if one did. */
  fault: string | null;
}

/** An API's answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What is sent on the connection. */
export interface Delivery {
  /** How it ends: as it should, broken, or never. With `drip` the body comes byte by byte. */
  readonly kind: 'answer' | 'reset' | 'hang' | 'drip';
  /** Missing where nothing is sent at all. */
  readonly head?: Pick<Answer, 'status' | 'headers'>;
  readonly body?: Iterable<Buffer>;
}

/** Sends a whole answer, unless `changes` say otherwise. */
export function deliveryOf({ status, headers, body }: Answer, changes: Partial<Delivery> = {}): Delivery {
  const length = status === 204 ? {} : { 'content-length': String(body.length) };
  return { kind: 'answer', head: { status, headers: { ...headers, ...length } }, body: [body], ...changes };
}

/** An answer of JSON. */
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
