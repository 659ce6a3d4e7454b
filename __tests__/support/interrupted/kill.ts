import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { RunResult } from '../../../simulator/runner/runner.ts';
import { playedOf, post, rerun, runAction } from '../bundle/run.ts';
import { onScenarioStage, type ScenarioStage } from '../bundle/scenario-stage.ts';
import { headlineOf, jobNamed, statusComments, untruths } from '../oracle/agent.ts';
import { endOf, type Played } from '../oracle/played.ts';
import { type Boundary, boundariesOf, isFor, routes } from '../routes.ts';
import { askedSince, type Scenario } from '../scenarios/agent.ts';

/** How a case ended: what was asked of the service in all, what the last phase said, and all that was untrue on the way. */
export interface CrashEnd {
  readonly killedAt: RequestMoment;
  readonly asked: number;
  readonly end: string;
  readonly expected: string;
  readonly problems: readonly string[];
}

const delivered = 'pr-created (pull-request)';
const unknowable = 'failed (unconfirmed)';

/** Every boundary of main, when nothing happens to it. */
export function boundariesOfMain(scenario: Scenario): Promise<Boundary[]> {
  return onScenarioStage(scenario, async ({ simulator, staged, options }) => {
    await runAction(options);
    return boundariesOf(simulator.requests.slice(staged.before.requests));
  });
}

/** Every boundary of the post phase after a main that was killed then. */
export function boundariesOfPost(scenario: Scenario, killedAt: RequestMoment): Promise<Boundary[]> {
  return onScenarioStage(scenario, async (stage) => {
    const main = await killedMain(stage, killedAt);
    const before = stage.simulator.requests.length;
    await post(main);
    return boundariesOf(stage.simulator.requests.slice(before));
  });
}

/** Every boundary of the re-run of a run that ended well. */
export function boundariesOfRerun(scenario: Scenario): Promise<Boundary[]> {
  return onScenarioStage(scenario, async ({ simulator, options }) => {
    const main = await runAction(options);
    const before = simulator.requests.length;
    await rerun(main);
    return boundariesOf(simulator.requests.slice(before));
  });
}

/** main is killed, post finishes, a re-run takes it up. */
export function playCrash(scenario: Scenario, killedAt: RequestMoment): Promise<CrashEnd> {
  return onScenarioStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, killedAt);
    check.phase('post', leftBy(main, await post(main)), false);
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    return check.end(killedAt, again, isTheRequestThatCosts(killedAt) ? unknowable : delivered);
  });
}

/** main is killed and post never runs, as on a runner that dies with it. */
export function playLostRunner(scenario: Scenario, killedAt: RequestMoment): Promise<CrashEnd> {
  return onScenarioStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, killedAt);
    const sent = stage.simulator.requests.slice(stage.staged.before.requests);
    const handled = sent.filter(({ status }) => status !== null);
    const isOnlyClaimed =
      handled.some(isFor(routes.writeComment)) && !handled.some(isFor(routes.editComment));
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    return check.end(killedAt, again, isOnlyClaimed ? unknowable : delivered);
  });
}

/** When main is killed, and when its post is. */
export interface KilledTwice {
  readonly main: RequestMoment;
  readonly post: RequestMoment;
}

/** main is killed, then its post as well; a re-run takes it up. */
export function playKilledPost(scenario: Scenario, killedAt: KilledTwice): Promise<CrashEnd> {
  return onScenarioStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, killedAt.main);
    expectKilled(await post(main, { killAt: killedAt.post }), killedAt.post);
    const own = statusComments(stage.simulator, stage.staged);
    const isOnlyClaimed = own.some(
      (comment) => /^⏳|can.t tell/.test(headlineOf(comment)) && jobNamed(comment) === undefined,
    );
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    // The runner's state is gone with post: a claim without a job is all there is to know.
    return check.end(killedAt.post, again, isOnlyClaimed ? unknowable : delivered);
  });
}

/** A run ends well; its re-run is killed, post finishes that, and another re-run reports the same job again. */
export function playCrashedRerun(scenario: Scenario, killedAt: RequestMoment): Promise<CrashEnd> {
  return onScenarioStage(scenario, async (stage) => {
    const check = new Check(stage);
    const first = await runAction(stage.options);
    check.phase('main', playedOf(first), true);
    const second = expectKilled(await rerun(first, { killAt: killedAt }), killedAt);
    check.phase('post of the re-run', leftBy(second, await post(second)), false, true);
    const third = await rerun(second);
    check.phase('third run', playedOf(third), true);
    return check.end(killedAt, third, delivered);
  });
}

async function killedMain({ options }: ScenarioStage, killedAt: RequestMoment): Promise<RunResult> {
  return expectKilled(await runAction({ ...options, killAt: killedAt }), killedAt);
}

function expectKilled(run: RunResult, { at, nth, phase }: RequestMoment): RunResult {
  if (run.signal !== 'SIGKILL') throw new Error(`It never came to ${at} (${nth}), ${phase}`);
  return run;
}

/** After a killed main the workflow sees main's outputs, and people see post's summary. */
function leftBy(main: RunResult, finished: RunResult): Played {
  const { printed } = playedOf(finished);
  return { ...playedOf(main), summary: finished.summary, printed: `${playedOf(main).printed}\n${printed}` };
}

function isTheRequestThatCosts({ at }: RequestMoment): boolean {
  return at === routes.createJob || at === routes.sendMessage;
}

/** Gathers what is untrue after each phase of a case. */
class Check {
  readonly #stage: ScenarioStage;
  readonly #problems: string[] = [];

  constructor(stage: ScenarioStage) {
    this.#stage = stage;
  }

  phase(name: string, played: Played, isLast: boolean, askedBefore = false): void {
    const { simulator, staged } = this.#stage;
    const expected = { comments: isLast ? 'one' : 'at most one', reaction: isLast, askedBefore } as const;
    this.#problems.push(
      ...untruths(simulator, staged, played, expected).map((problem) => `${name}: ${problem}`),
    );
  }

  end(killedAt: RequestMoment, run: RunResult, expected: string): CrashEnd {
    const { simulator, staged } = this.#stage;
    return {
      killedAt,
      asked: askedSince(simulator, staged).prompts,
      end: endOf(run),
      expected,
      problems: [...this.#problems, ...simulator.violations],
    };
  }
}
