/** A method and a path in which `{name}` stands for one segment: `POST /v2/agent/{project}/job`. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A request as a socket or a dispatcher hands it over. */
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
  /** Counted from 1 over both APIs, for as long as the simulator lives. */
  readonly n: number;
  readonly to: 'service' | 'github';
  /** The endpoint that answers it; `undefined` where its API has none. */
  readonly route: Route | undefined;
  readonly method: string;
  /** As it was sent, still encoded, without the query and without GitHub's prefix. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, the text where it is no JSON, `undefined` where there is no body. */
  readonly body: unknown;
  readonly bodyText: string;
  /** When it came, by the simulator's clock. */
  readonly at: number;
  /** The status that the API answered with; `null` where the request never got there. */
  status: number | null;
  /** The kind of the fault that the client met instead of the API's answer. */
  fault: string | null;
}

/** An API's answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the client gets to see: the answer, or what a fault makes of it. */
export type Delivery =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drip'; readonly answer: Answer; readonly everyMs: number }
  | { readonly kind: 'cut'; readonly answer: Answer; readonly bytes: number }
  | { readonly kind: 'flood'; readonly bytes: number };

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
