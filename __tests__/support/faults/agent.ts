import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { playedOf, post, runAction } from '../bundle/run.ts';
import { onScenarioStage } from '../bundle/scenario-stage.ts';
import { playMain, playPost } from '../in-process/play.ts';
import { stageInMemory } from '../in-process/stage.ts';
import { untruths } from '../oracle/agent.ts';
import { endOf, type Played } from '../oracle/played.ts';
import { routes } from '../routes.ts';
import type { Scenario, Staged } from '../scenarios/agent.ts';
import {
  brokenCase,
  type FaultCase,
  type FaultEnd,
  lieInWait,
  nameOf,
  oversizedBytes,
  type Subject,
} from './case.ts';

/** The deadline of a run's watch, and what it may take before and after it at the worst: waits of minutes for GitHub. */
const timeoutMs = 30 * 60_000;
const besidesMs = 45 * 60_000;
const runId = 7_100_000_001;

/** A scenario of agent mode. */
export function agentSubject(scenario: Scenario): Subject {
  return {
    name: scenario.name,
    requests: () => requestsOf(scenario),
    inProcess: (one) => playInProcess(scenario, one),
    onBundle: (one) => playOnBundle(scenario, one),
  };
}

async function requestsOf(scenario: Scenario): Promise<readonly RecordedRequest[]> {
  const { core, staged, run } = await stageInMemory(scenario);
  const played = await playMain(run(runId));
  if (played.outputs.outcome !== 'pr-created') throw new Error(`Without a fault it ends as ${endOf(played)}`);
  return core.requests.slice(staged.before.requests);
}

async function playInProcess(scenario: Scenario, one: FaultCase): Promise<FaultEnd> {
  const { core, staged, run } = await stageInMemory(scenario);
  lieInWait(core, one, oversizedBytes);
  const main = await playMain(run(runId));
  core.faults.clear();
  const problems = judge(core, staged, one, main, await playPost(run(runId), main));
  const again = await playMain(run(runId, 2));
  problems.push(...judgeRerun(core, staged, again));
  return { name: nameOf(scenario.name, one), end: endOf(main), problems };
}

function playOnBundle(scenario: Scenario, one: FaultCase): Promise<FaultEnd> {
  return onScenarioStage(scenario, async ({ simulator, staged, options }) => {
    lieInWait(simulator, one);
    const main = await runAction({ ...options, runId });
    simulator.faults.clear();
    const problems = judge(simulator, staged, one, playedOf(main), playedOf(await post(main)));
    if (main.killedByBound || main.signal !== null) problems.push(`ended by ${main.signal}`);
    return { name: nameOf(scenario.name, one), end: endOf(main), problems };
  });
}

/** All that is wrong with what the case left behind. */
function judge(
  core: SimulatorCore,
  staged: Staged,
  one: FaultCase,
  main: Played,
  finished: Played | undefined,
): string[] {
  const startedAt = core.requests[staged.before.requests]?.at ?? core.clock.now();
  const last = finished === undefined ? main : { ...main, printed: `${main.printed}\n${finished.printed}` };
  const { outcome } = main.outputs;
  const isDone = outcome === 'pr-created';
  const problems = [
    ...untruths(core, staged, last, { comments: isDone ? 'one' : 'at most one', reaction: isDone }),
    ...core.violations,
    ...brokenCase(core),
  ];
  const expected = expectedOutcomes(one);
  if (expected !== undefined && !expected.includes(`${outcome}`))
    problems.push(`not ${expected.join(' or ')}`);
  if (core.clock.now() - startedAt > timeoutMs + besidesMs) problems.push('ended after its deadline');
  if (main.exitCode !== (outcome === 'failed' || outcome === 'timed-out' ? 1 : 0))
    problems.push(`exit code ${main.exitCode}`);
  return problems;
}

/** A run after the fault: it delivers, or says again that the outcome is unknown. */
function judgeRerun(core: SimulatorCore, staged: Staged, again: Played): string[] {
  const problems = untruths(core, staged, again, { comments: 'one', reaction: true });
  const end = endOf(again);
  if (!['pr-created (pull-request)', 'failed (unconfirmed)'].includes(end)) problems.push(`ends as ${end}`);
  return problems.map((problem) => `re-run: ${problem}`);
}

/** The outcomes that the fault may lead to; `undefined` where only the truth of what is said counts. */
function expectedOutcomes({ fault: { costs, spec }, at, isLasting }: FaultCase): string[] | undefined {
  if (isLasting) return undefined;
  if (at === routes.createJob || at === routes.sendMessage)
    return costs === 'passes' ? ['pr-created'] : ['failed'];
  // A refusal that means an hour, and a redirect, end a run that cannot claim, read or look up; the others pass.
  return costs === 'refused' || spec.kind === 'redirect' ? undefined : ['pr-created'];
}
