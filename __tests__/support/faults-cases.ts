import type { SimulatorCore } from '../../simulator/core.ts';
import type { RouteChoice } from '../../simulator/http/choose-request.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { runAction } from '../../simulator/runner/runner.ts';
import { playedOf, post } from './crash-play.ts';
import { playMain, playPost } from './faults-in-process.ts';
import { type Fault, faultAt } from './faults-kinds.ts';
import type { Scenario, Staged } from './faults-scenarios.ts';
import { type Played, untruths } from './faults-truth.ts';
import { routes } from './routes.ts';

/** A fault at a request of a run; `isLasting`: at every request to the same API from there on. */
export interface FaultAt extends RouteChoice {
  readonly fault: Fault;
  readonly isLasting: boolean;
}

export interface FaultEnd {
  readonly name: string;
  readonly end: string;
  readonly problems: readonly string[];
}

/** One way to use the action, as the fault matrix plays it. */
export interface Subject {
  readonly name: string;
  /** The requests it sends when nothing happens to it, in their order. */
  requests(): Promise<readonly RecordedRequest[]>;
  /** With the product's modules in this process. */
  inProcess(at: FaultAt): Promise<FaultEnd>;
  /** With the bundle in a process of its own. */
  onBundle(at: FaultAt): Promise<FaultEnd>;
}

interface FaultCase extends FaultAt {
  readonly scenario: Scenario;
}

/** The deadline of a run's watch, and what it may take before and after it at the worst: waits of minutes for GitHub. */
const timeoutMs = 30 * 60_000;
const besidesMs = 45 * 60_000;
/** In memory an oversized answer need not be large: it is one field that nobody asked for. */
export const oversizedBytes = 256 * 1024;
export const identity = { runId: 7_100_000_001, attempt: 1 };

/** A scenario of agent mode. */
export function agentSubject(scenario: Scenario): Subject {
  return {
    name: scenario.name,
    requests: () => requestsOf(scenario),
    inProcess: (at) => playInProcess({ scenario, ...at }),
    onBundle: (at) => playOnBundle({ scenario, ...at }),
  };
}

async function requestsOf(scenario: Scenario): Promise<readonly RecordedRequest[]> {
  const core = createInMemorySimulator();
  const { dispatcher } = core;
  const { outputs } = await playMain({ core, dispatcher, staged: scenario.stage(core), identity });
  if (outputs.outcome !== 'pr-created') throw new Error(`Without a fault it ends as ${outputs.outcome}`);
  return core.requests;
}

async function playInProcess(one: FaultCase): Promise<FaultEnd> {
  const core = createInMemorySimulator();
  const { dispatcher } = core;
  const staged = one.scenario.stage(core);
  lieInWait(core, one, oversizedBytes);
  const options = { core, dispatcher, staged, identity };
  const main = await playMain(options);
  core.faults.clear();
  const finished = await playPost(options, main);
  const ended = judge(core, one, staged, main, finished);
  const again = await playMain({ ...options, identity: { ...identity, attempt: 2 } });
  return { ...ended, problems: [...ended.problems, ...judgeRerun(core, staged, again)] };
}

async function playOnBundle(one: FaultCase): Promise<FaultEnd> {
  const simulator: Simulator = await startSimulator();
  try {
    const staged = one.scenario.stage(simulator);
    lieInWait(simulator, one);
    const { event, inputs } = staged;
    const main = await runAction({ simulator, event, inputs, runId: identity.runId });
    simulator.faults.clear();
    const finished = playedOf(await post(main));
    const ended = await judge(simulator, one, staged, playedOf(main), finished);
    if (main.killedByBound || main.signal !== null) ended.problems.push(`ended by ${main.signal}`);
    if (simulator.otherOrigin.requests.length > 0) ended.problems.push('followed a redirect');
    return ended;
  } finally {
    await simulator.close();
  }
}

/** Has the simulator do it; `bytes` where an oversized answer need not be as large as the real ones. */
export function lieInWait(core: SimulatorCore, { fault, at, nth, isLasting }: FaultAt, bytes?: number): void {
  if (!isLasting) {
    core.faults.add(faultAt(fault, { at, nth }, bytes));
    return;
  }
  core.once({ at, nth, phase: 'arrived' }, ({ to }) => {
    const spec = faultAt(fault, { at: (request) => request.to === to }, bytes);
    core.faults.add({ ...spec, times: Number.POSITIVE_INFINITY });
  });
}

/** All that is wrong with what the case left behind. */
function judge(
  core: SimulatorCore,
  { scenario, ...fault }: FaultCase,
  staged: Staged,
  main: Played,
  finished: Played | undefined,
): FaultEnd & { readonly problems: string[] } {
  const startedAt = core.requests[0]?.at ?? core.clock.now();
  const last = finished === undefined ? main : { ...main, printed: `${main.printed}\n${finished.printed}` };
  const { outcome, reason } = main.outputs;
  const isDone = outcome === 'pr-created';
  const problems = untruths(core, staged, last, {
    comments: isDone ? 'one' : 'at most one',
    reaction: isDone,
  });
  const expected = expectedEnds(fault);
  if (expected !== undefined && !expected.includes(`${outcome}`))
    problems.push(`not ${expected.join(' or ')}`);
  if (!core.requests.some((request) => request.fault !== null)) problems.push('no request met the fault');
  if (core.clock.now() - startedAt > timeoutMs + besidesMs) problems.push('ended after its deadline');
  if (main.exitCode !== (outcome === 'failed' || outcome === 'timed-out' ? 1 : 0))
    problems.push(`exit code ${main.exitCode}`);
  return {
    name: nameOf(scenario.name, fault),
    end: `${outcome} (${reason})`,
    problems: [...problems, ...core.violations],
  };
}

/** What a case is called where something is wrong with it. */
export function nameOf(subject: string, { fault, at, nth, isLasting }: FaultAt): string {
  return `${subject}, ${fault.name}${isLasting ? ' for good' : ''} at ${at} (${nth})`;
}

/** A run after the fault: it delivers, or says again what nobody can know. */
function judgeRerun(core: SimulatorCore, staged: Staged, again: Played): string[] {
  const problems = untruths(core, staged, again, { comments: 'one', reaction: true });
  const end = `${again.outputs.outcome} (${again.outputs.reason})`;
  if (!['pr-created (pull-request)', 'failed (unconfirmed)'].includes(end)) problems.push(`ends as ${end}`);
  return problems.map((problem) => `re-run: ${problem}`);
}

/** The outcomes that the fault may lead to; `undefined` where only the truth of what is said counts. */
function expectedEnds({ fault: { costs, spec }, at, isLasting }: FaultAt): string[] | undefined {
  if (isLasting) return undefined;
  if (at === routes.createJob || at === routes.sendMessage)
    return costs === 'passes' ? ['pr-created'] : ['failed'];
  // A refusal that means an hour, and a redirect, end a run that cannot claim, read or look up; the others pass.
  return costs === 'refused' || spec.kind === 'redirect' ? undefined : ['pr-created'];
}
