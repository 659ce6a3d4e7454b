import { type ClockOptions, SimClock } from './clock/clock.ts';
import { githubApi } from './github/api.ts';
import { SimulatedGitHub } from './github/github.ts';
import { type BoundaryHook, Exchange, GITHUB_PREFIX, type RequestMoment } from './http/exchange.ts';
import { Faults, type OtherOrigin } from './http/faults.ts';
import type { RecordedRequest } from './http/messages.ts';
import { serviceApi } from './service/api.ts';
import { SimulatedService } from './service/service.ts';

export interface SimulatorOptions {
  readonly clock?: ClockOptions;
}

/** What both simulators offer, the one on a socket and the one in memory. */
export interface SimulatorCore {
  /** The service's URL, for the input `base-url`. */
  readonly url: string;
  /** The URL of GitHub's API, for GITHUB_API_URL. */
  readonly githubUrl: string;
  readonly clock: SimClock;
  readonly service: SimulatedService;
  readonly github: SimulatedGitHub;
  readonly faults: Faults;
  /** The target of redirects. No request should ever arrive there. */
  readonly otherOrigin: OtherOrigin;
  readonly requests: readonly RecordedRequest[];
  /** What clients sent that a correct client would never send. Tests expect it to be empty. */
  readonly violations: readonly string[];
  /** Runs `act` once, at the chosen request. Returns a function that cancels it. */
  once(moment: RequestMoment, act: (request: RecordedRequest) => unknown): () => void;
  /** Runs a hook in both phases of every request. Returns a function that removes it. */
  onBoundary(hook: BoundaryHook): () => void;
}

/** Creates both APIs for a simulator at `url`. */
export function createCore(
  url: string,
  otherOrigin: OtherOrigin,
  { clock: clockOptions }: SimulatorOptions,
): SimulatorCore & { readonly exchange: Exchange } {
  const clock = new SimClock(clockOptions);
  const githubUrl = `${url}${GITHUB_PREFIX}`;
  const service = new SimulatedService(clock);
  const github = new SimulatedGitHub(clock, githubUrl);
  const violations: string[] = [];
  const apis = { service: serviceApi(service, violations), github: githubApi(github, violations) };
  const routes = [...apis.service.routes, ...apis.github.routes];
  const faults = new Faults(clock, routes, otherOrigin.url);
  const exchange = new Exchange({ clock, faults, violations, routes, ...apis });
  return {
    url,
    githubUrl,
    clock,
    service,
    github,
    faults,
    otherOrigin,
    requests: exchange.requests,
    violations,
    once: (moment, act) => exchange.once(moment, act),
    onBoundary: (hook) => exchange.onBoundary(hook),
    exchange,
  };
}
