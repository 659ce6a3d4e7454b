import type { RecordedRequest, Route } from './messages.ts';

/** Which request is meant: to be broken by a fault, or for something to happen at it. */
export interface RequestChoice {
  /** The request's route, its number over both APIs, or what tells it from the others. */
  readonly at: Route | number | ((request: RecordedRequest) => boolean);
  /** Which one of those, counted from now on; the first unless told otherwise. */
  readonly nth?: number;
}

/** Finds the chosen request among those that it is shown. */
export class RequestFinder {
  readonly #matches: (request: RecordedRequest) => boolean;
  #left: number;

  /** Throws for a route that is none of `routes`: nothing would ever be found. */
  constructor({ at, nth = 1 }: RequestChoice, routes: readonly Route[]) {
    if (typeof at === 'string' && !routes.includes(at))
      throw new RangeError(`The simulator has no route ${at}. It has:\n${routes.join('\n')}`);
    this.#matches = typeof at === 'function' ? at : ({ n, route }) => n === at || route === at;
    this.#left = nth;
  }

  /** To be called once for every request, as they come: true for the chosen one and for all of its kind after it. */
  show(request: RecordedRequest): boolean {
    if (!this.#matches(request)) return false;
    this.#left -= 1;
    return this.#left <= 0;
  }
}

/** Each of these requests as a choice, for another run that sends the same. */
export function choicesOf(requests: readonly RecordedRequest[]): RequestChoice[] {
  const counts = new Map<Route, number>();
  return requests.map(({ route, method, path }) => {
    if (route === undefined) throw new RangeError(`${method} ${path} has no route to be chosen by`);
    const nth = (counts.get(route) ?? 0) + 1;
    counts.set(route, nth);
    return { at: route, nth };
  });
}
