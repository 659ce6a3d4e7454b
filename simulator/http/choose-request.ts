import type { RecordedRequest, Route } from './messages.ts';

/** Selects the request at which a test injects a fault or takes another action. */
export interface RequestChoice {
  /** The route, such as `POST /v2/agent/{project}/job`, or a function that recognizes the request. */
  readonly at: Route | ((request: RecordedRequest) => boolean);
  /** Which of the matching requests, counted from now; the first by default. */
  readonly nth?: number;
}

/** Selects the nth request to a route. */
export interface RouteChoice {
  readonly at: Route;
  readonly nth: number;
}

/**
 * Returns a function to call for every request, in order. It returns true for the selected request and all later matches.
 *
 * @throws for an unknown route, because a misspelled one would never match and its test would prove nothing.
 */
export function finderOf({ at, nth = 1 }: RequestChoice, routes: readonly Route[]) {
  if (typeof at === 'string' && !routes.includes(at))
    throw new RangeError(`The simulator has no route ${at}. It has:\n${routes.join('\n')}`);
  const matches = typeof at === 'function' ? at : ({ route }: RecordedRequest) => route === at;
  let left = nth;
  return (request: RecordedRequest): boolean => {
    if (!matches(request)) return false;
    left -= 1;
    return left <= 0;
  };
}

/** Selects each of these requests, for another run that sends the same ones. */
export function choicesOf(requests: readonly RecordedRequest[]): RouteChoice[] {
  const counts = new Map<Route, number>();
  return requests.map(({ route, method, path }) => {
    if (route === undefined) throw new RangeError(`${method} ${path} has no route to be chosen by`);
    const nth = (counts.get(route) ?? 0) + 1;
    counts.set(route, nth);
    return { at: route, nth };
  });
}
