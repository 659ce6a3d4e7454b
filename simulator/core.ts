import { type ClockOptions, SimClock } from './clock/clock.ts';
import { type GitHubOptions, GitHubWorld } from './github/github.ts';
import { githubRoutes } from './github/routes.ts';
import { type BoundaryHook, Exchange, GITHUB_PREFIX, type RecordedRequest } from './http/exchange.ts';
import { Faults } from './http/faults.ts';
import { serviceRoutes } from './service/routes.ts';
import { ServiceWorld } from './service/service.ts';

export interface SimulatorOptions {
  readonly clock?: ClockOptions;
  readonly repository?: GitHubOptions['repository'];
}

/** What every simulator is, whether it listens on a socket or lives in memory. */
export interface SimulatorCore {
  /** The service's `base-url`. */
  readonly url: string;
  /** GITHUB_API_URL. */
  readonly githubUrl: string;
  readonly clock: SimClock;
  readonly service: ServiceWorld;
  readonly github: GitHubWorld;
  readonly faults: Faults;
  /** All requests to both APIs, in the order they came. */
  readonly requests: readonly RecordedRequest[];
  /** What clients did that the real thing would refuse. */
  readonly violations: readonly string[];
  /** Awaited when a request has arrived and when its world has handled it; returns what ends it. */
  onBoundary(hook: BoundaryHook): () => void;
}

/** Builds the worlds, the routes and what stands before them, for a simulator at `url`. */
export function createCore(
  url: string,
  otherOrigin: () => string,
  { clock: clockOptions, repository }: SimulatorOptions,
): SimulatorCore & { readonly exchange: Exchange } {
  const clock = new SimClock(clockOptions);
  const githubUrl = `${url}${GITHUB_PREFIX}`;
  const service = new ServiceWorld(clock);
  const github = new GitHubWorld(clock, {
    apiUrl: githubUrl,
    ...(repository === undefined ? {} : { repository }),
  });
  const faults = new Faults(otherOrigin, () => clock.now());
  const violations: string[] = [];
  const exchange = new Exchange({
    clock,
    faults,
    violations,
    service: serviceRoutes(service, clock, violations),
    github: githubRoutes(github, violations),
  });
  const onBoundary = (hook: BoundaryHook): (() => void) => exchange.onBoundary(hook);
  return {
    url,
    githubUrl,
    clock,
    service,
    github,
    faults,
    requests: exchange.requests,
    violations,
    onBoundary,
    exchange,
  };
}
