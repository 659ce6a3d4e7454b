import { type ClockOptions, SimClock } from './clock/clock.ts';
import { githubApi } from './github/api.ts';
import { SimulatedGitHub } from './github/github.ts';
import { Exchange, GITHUB_PREFIX } from './http/exchange.ts';
import { Faults, type OtherOrigin } from './http/faults.ts';
import { serviceApi } from './service/api.ts';
import { SimulatedService } from './service/service.ts';

export interface SimulatorOptions {
  readonly clock?: ClockOptions;
}

/** Everything that the simulator on sockets and the one in memory have in common. */
export type SimulatorCore = Omit<ReturnType<typeof createCore>, 'exchange'>;

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
  const faults = new Faults(clock, routes, otherOrigin.url);
  const exchange = new Exchange({ clock, faults, violations, routes, ...apis });
  const { requests } = exchange;
  const once: Exchange['once'] = (moment, act) => exchange.once(moment, act);
  const onBoundary: Exchange['onBoundary'] = (hook) => exchange.onBoundary(hook);
  const parts = { url, githubUrl, clock, service, github, faults, otherOrigin, requests, violations };
  return { ...parts, once, onBoundary, exchange };
}
