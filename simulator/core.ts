import { type ClockOptions, SimClock } from './clock/clock.ts';
import { githubApi } from './github/api.ts';
import { SimulatedGitHub } from './github/github.ts';
import { createExchange, GITHUB_PREFIX } from './http/exchange.ts';
import { createFaults, type OtherOrigin } from './http/faults.ts';
import type { RecordedRequest } from './http/messages.ts';
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
  /** Another repository, which may have the docs. No token of the workflow has permissions there. */
  const elsewhere = new SimulatedGitHub(clock, githubUrl);
  elsewhere.repository = { ...elsewhere.repository, id: 790_000_002, name: 'handbook' };
  elsewhere.tokens.clear();
  for (const [one, other] of [[github, elsewhere] as const, [elsewhere, github] as const])
    one.isKnownElsewhere = (token) => other.tokens.has(token);
  const [own, others] = [githubApi(github, violations), githubApi(elsewhere, violations)];
  const isOwn = ({ path }: RecordedRequest) =>
    ![elsewhere.fullName, ...elsewhere.formerNames].some((name) =>
      `${path}/`.toLowerCase().startsWith(`/repos/${name}/`.toLowerCase()),
    );
  const answer = (request: RecordedRequest) => (isOwn(request) ? own : others).answer(request);
  const apis = { service: serviceApi(service, violations), github: { ...own, answer } };
  const routes = [...apis.service.routes, ...apis.github.routes];
  const faults = createFaults(clock, routes, otherOrigin.url);
  const exchange = createExchange({ clock, faults, violations, routes, ...apis });
  return {
    url,
    githubUrl,
    clock,
    service,
    github,
    elsewhere,
    faults,
    otherOrigin,
    violations,
    ...exchange,
  };
}
