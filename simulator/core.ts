import { type ClockOptions, SimClock } from './clock/clock.ts';
import { githubApi } from './github/api.ts';
import { SimulatedGitHub } from './github/github.ts';
import { createExchange, GITHUB_PREFIX } from './http/exchange.ts';
import { createFaults, type OtherOrigin } from './http/faults.ts';
import { serviceApi } from './service/api.ts';
import { SimulatedService } from './service/service.ts';

export interface SimulatorOptions {
  readonly clock?: ClockOptions;
}

/** Everything that the simulator on sockets and the one in memory have in common. */
export type SimulatorCore = Omit<ReturnType<typeof createCore>, 'handle'>;

/** Creates both APIs for a simulator at `url`. */
export function createCore(url: string, otherOrigin: OtherOrigin, options: SimulatorOptions) {
  const clock = new SimClock(options.clock);
  const githubUrl = `${url}${GITHUB_PREFIX}`;
  const service = new SimulatedService(clock);
  const github = new SimulatedGitHub(clock, githubUrl);
  /** What clients sent that a correct client would never send. Tests expect it to be empty. */
  const violations: string[] = [];
  const apis = { service: serviceApi(service, violations), github: githubApi(github, violations) };
  const routes = [...apis.service.routes, ...apis.github.routes];
  const faults = createFaults(clock, routes, otherOrigin.url);
  const exchange = createExchange({ clock, faults, violations, routes, ...apis });
  return { url, githubUrl, clock, service, github, faults, otherOrigin, violations, ...exchange };
}
