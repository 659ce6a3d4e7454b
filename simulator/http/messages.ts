/** An endpoint, such as `POST /v2/agent/{project}/job`. `{name}` matches one path segment. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A request as it was sent. */
export interface IncomingRequest {
  readonly method: string;
  readonly target: string;
  /** Header names are in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request to one of the APIs, and what happened to it. */
export interface RecordedRequest {
  readonly to: 'service' | 'github';
  readonly route: Route | undefined;
  readonly method: string;
  /** The path as sent: still encoded, without the query and GitHub's prefix. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text if it isn't JSON; `undefined` if there is no body. */
  readonly body: unknown;
  readonly bodyText: string;
  readonly at: number;
  fault: string | null;
}

/** An API's response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the simulator sends on the connection. */
export interface Delivery {
  /** How the response ends: normally, cut off, or not at all. With `drip`, the body is sent byte by byte. */
  readonly kind: 'answer' | 'reset' | 'hang' | 'drip';
  readonly head?: Pick<Answer, 'status' | 'headers'>;
  readonly body?: Iterable<Buffer>;
}

/** Responds to a request. If it throws, the connection breaks. */
export type Handle = (request: IncomingRequest) => Promise<Delivery>;

/** Sends the whole response, unless `changes` says otherwise. */
export function deliveryOf(
  { status, headers, body }: Answer,
  changes: Partial<Delivery> = {},
): Delivery {
  const length = status === 204 ? {} : { 'content-length': String(body.length) };
  return {
    kind: 'answer',
    head: { status, headers: { ...headers, ...length } },
    body: [body],
    ...changes,
  };
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
