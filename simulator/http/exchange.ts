import { appendFileSync } from 'node:fs';
import type { SimClock } from '../clock/clock.ts';
import type { Api } from './api.ts';
import { finderOf, type RequestChoice } from './choose-request.ts';
import type { Faults } from './faults.ts';
import type { RecordedRequest, Route } from './messages.ts';
import { type Answer, type Delivery, deliveryOf, type IncomingRequest } from './messages.ts';

/** `arrived`: the API hasn't seen the request yet. `handled`: the API is done, but the client has no response yet. */
export type BoundaryPhase = 'arrived' | 'handled';

/** Runs in both phases of every request, which waits for the hook. If the hook throws, the connection breaks. */
type BoundaryHook = (request: RecordedRequest, phase: BoundaryPhase) => void | Promise<void>;

/** The moment when a selected request has arrived or was handled. */
export interface RequestMoment extends RequestChoice {
  readonly phase: BoundaryPhase;
}

/** Paths with this prefix belong to GitHub. All others belong to the service. */
export const GITHUB_PREFIX = '/github';

interface ExchangeParts {
  readonly clock: SimClock;
  readonly faults: Faults;
  readonly violations: string[];
  readonly routes: readonly Route[];
  readonly service: Api;
  readonly github: Api;
}

/** Records each request, runs the hooks, and then injects a fault or lets the API respond. */
export function createExchange({ clock, faults, violations, routes, ...apis }: ExchangeParts) {
  const requests: RecordedRequest[] = [];
  const hooks = new Set<BoundaryHook>();

  /** Runs a hook in both phases of every request. Returns a function that removes it. */
  const onBoundary = (hook: BoundaryHook): (() => void) => {
    hooks.add(hook);
    return () => hooks.delete(hook);
  };

  /** Runs `act` once, at the chosen request. Returns a function that cancels it. */
  const once = (
    moment: RequestMoment,
    act: (request: RecordedRequest) => unknown,
  ): (() => void) => {
    const isFound = finderOf(moment, routes);
    let found: RecordedRequest | undefined;
    const end = onBoundary(async (request, phase) => {
      if (phase === 'arrived' && isFound(request)) found ??= request;
      if (request !== found || phase !== moment.phase) return;
      end();
      await act(request);
    });
    return end;
  };

  const reach = async (phase: BoundaryPhase, request: RecordedRequest): Promise<void> => {
    // While a hook waits, others may be added for later requests, and some may be removed.
    for (const hook of [...hooks]) if (hooks.has(hook)) await hook(request, phase);
  };

  const record = ({ method, target, headers, body }: IncomingRequest): RecordedRequest => {
    const [rawPath = '', search = ''] = target.split(/\?(.*)/s);
    const to =
      rawPath === GITHUB_PREFIX || rawPath.startsWith(`${GITHUB_PREFIX}/`) ? 'github' : 'service';
    const path = to === 'github' ? rawPath.slice(GITHUB_PREFIX.length) || '/' : rawPath;
    const bodyText = body.toString('utf8');
    const request: RecordedRequest = {
      to,
      route: apis[to].routeOf(method, path),
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers,
      body: parseBody(bodyText),
      bodyText,
      at: clock.now(),
      fault: null,
    };
    requests.push(request);
    for (const problem of problemsOf(request)) violations.push(`${method} ${path}: ${problem}`);
    return request;
  };

  const ask = async (request: RecordedRequest): Promise<Answer> => {
    try {
      const answer = await apis[request.to].answer(request);
      if (request.to === 'github') recordExchange(request, answer);
      return answer;
    } catch (error) {
      // The client sees only a broken connection, so the violation explains it to the test's author.
      violations.push(`The simulator itself failed on ${request.method} ${request.path}: ${error}`);
      throw error;
    }
  };

  /** Adds the server's time, which every response has, also one from a gateway. */
  const dated = ({ head, ...delivery }: Delivery): Delivery => {
    if (head === undefined) return delivery;
    const date = new Date(clock.now()).toUTCString();
    return { ...delivery, head: { ...head, headers: { ...head.headers, date } } };
  };

  const respond = async (incoming: IncomingRequest): Promise<Delivery> => {
    const request = record(incoming);
    await reach('arrived', request);
    const fault = faults.take(request);
    if (fault !== undefined) request.fault = fault.kind;
    if (fault !== undefined && (fault.when ?? 'before') === 'before') return faults.deliver(fault);
    const answer = await ask(request);
    await reach('handled', request);
    return fault === undefined ? deliveryOf(answer) : faults.deliver(fault, answer);
  };

  const handle = async (incoming: IncomingRequest): Promise<Delivery> =>
    dated(await respond(incoming));

  return { requests, onBoundary, once, handle };
}

/** A request to GitHub, and what its API answered: one line of the file that `SIMULATOR_EXCHANGES` names. */
export interface RecordedExchange
  extends Pick<RecordedRequest, 'route' | 'method' | 'path' | 'query' | 'body'> {
  readonly status: number;
  readonly answerText: string;
}

function recordExchange(
  { route, method, path, query, body }: RecordedRequest,
  answer: Answer,
): void {
  const file = process.env.SIMULATOR_EXCHANGES;
  if (file === undefined) return;
  const answered = { status: answer.status, answerText: answer.body.toString('utf8') };
  const exchange: RecordedExchange = { route, method, path, query, body, ...answered };
  appendFileSync(file, `${JSON.stringify(exchange)}\n`);
}

function problemsOf({ method, path, bodyText }: RecordedRequest): string[] {
  const problems: string[] = [];
  if ((method === 'GET' || method === 'HEAD') && bodyText !== '')
    problems.push(`a ${method} carries no body`);
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    problems.push('dot segments in the path');
  if (path.includes('//')) problems.push('an empty segment in the path');
  return problems;
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
