import type { RecordedRequest, Route } from './messages.ts';

/** Selects the request that a test breaks, or at which it does something. */
export interface RequestChoice {
  /** Its route (`POST /v2/agent/{project}/job`), or a function that recognizes it. */
  readonly at: Route | ((request: RecordedRequest) => boolean);
  /** Which of the matching requests, counted from now on; the first by default. */
  readonly nth?: number;
}

/** The nth request of a route. */
export interface RouteChoice {
  readonly at: Route;
  readonly nth: number;
}

/** Finds the selected request among those it is shown. */
export class RequestFinder {
  readonly #matches: (request: RecordedRequest) => boolean;
  #left: number;

  /** Throws for a route that is not in `routes`: a misspelled one would never match, and its test would prove nothing. */
  constructor({ at, nth = 1 }: RequestChoice, routes: readonly Route[]) {
    if (typeof at === 'string' && !routes.includes(at))
      throw new RangeError(`The simulator has no route ${at}. It has:\n${routes.join('\n')}`);
    this.#matches = typeof at === 'function' ? at : ({ route }) => route === at;
    this.#left = nth;
  }

  /** Call it once for every request, in order. Returns true for the selected one and every match after it. */
  show(request: RecordedRequest): boolean {
    if (!this.#matches(request)) return false;
    this.#left -= 1;
    return this.#left <= 0;
  }
}

/** Turns each of these requests into a selection, for another run that sends the same ones. */
export function choicesOf(requests: readonly RecordedRequest[]): RouteChoice[] {
  const counts = new Map<Route, number>();
  return requests.map(({ route, method, path }) => {
    if (route === undefined) throw new RangeError(`${method} ${path} has no route to be chosen by`);
    const nth = (counts.get(route) ?? 0) + 1;
    counts.set(route, nth);
    return { at: route, nth };
  });
}
