import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { type RunResult, rerun, runAction } from '../../simulator/runner/runner.ts';
import { type Boundary, killedAt, onStage, playedOf, post, type Stage } from './crash-play.ts';
import { askedSince, type Scenario } from './faults-scenarios.ts';
import { type Played, statusComments, untruths } from './faults-truth.ts';

/** How a case ended: what was asked of the service in all, what the last phase said, and all that was untrue on the way. */
export interface CrashEnd {
  readonly boundary: Boundary;
  readonly asked: number;
  readonly end: string;
  readonly expected: string;
  readonly problems: readonly string[];
}

const told = 'pr-created (pull-request)';
const unknowable = 'failed (unconfirmed)';

/** main is killed, post finishes, a re-run takes it up. */
export function playCrash(scenario: Scenario, boundary: Boundary): Promise<CrashEnd> {
  return onStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, boundary);
    const last = stage.simulator.requests.at(-1);
    check.phase('post', leftBy(main, await post(main)), false);
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    return check.end(boundary, again, isTheRequestThatCosts(last) ? unknowable : told);
  });
}

/** main is killed and post never runs, as on a runner that dies with it. */
export function playLostRunner(scenario: Scenario, boundary: Boundary): Promise<CrashEnd> {
  return onStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, boundary);
    const written = stage.simulator.requests.filter(({ status }) => status !== null);
    const isClaimed = written.some(
      ({ method, path }) => method === 'POST' && /\/issues\/\d+\/comments$/.test(path),
    );
    const isMarked = written.some(({ method }) => method === 'PATCH');
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    return check.end(boundary, again, isClaimed && !isMarked ? unknowable : told);
  });
}

/** main is killed, then its post as well; a re-run takes it up. `undefined` where post was over before. */
export function playKilledPost(
  scenario: Scenario,
  { main: boundary, post: second }: { readonly main: Boundary; readonly post: Boundary },
): Promise<CrashEnd | undefined> {
  return onStage(scenario, async (stage) => {
    const check = new Check(stage);
    const main = await killedMain(stage, boundary);
    const finished = await post(main, killedAt(stage, second));
    if (finished.signal === null) return undefined;
    const own = statusComments(stage.simulator, stage.staged, stage.staged.key(main.identity.runId));
    const isOnlyClaimed = own.some(({ marker }) => ['claimed', 'unconfirmed'].includes(marker.phase));
    const again = await rerun(main);
    check.phase('re-run', playedOf(again), true);
    // The runner's state is gone with post: a claim without a job is all there is to know.
    return check.end(second, again, isOnlyClaimed ? unknowable : told);
  });
}

/** A run ends well; its re-run is killed, post finishes that, and another re-run reports the same job again. */
export function playCrashedRerun(scenario: Scenario, boundary: Boundary): Promise<CrashEnd> {
  return onStage(scenario, async (stage) => {
    const check = new Check(stage);
    const first = await runAction(stage.options);
    check.phase('main', playedOf(first), true);
    const second = await rerun(first, killedAt(stage, boundary));
    check.phase('post of the re-run', leftBy(second, await post(second)), false, true);
    const third = await rerun(second);
    check.phase('third run', playedOf(third), true);
    return check.end(boundary, third, told);
  });
}

async function killedMain(stage: Stage, boundary: Boundary): Promise<RunResult> {
  const main = await runAction({ ...stage.options, ...killedAt(stage, boundary) });
  if (main.signal !== 'SIGKILL') throw new Error(`Nothing was killed at ${boundary.n} ${boundary.phase}`);
  return main;
}

/** After a killed main the workflow sees main's outputs, and people see post's summary. */
function leftBy(main: RunResult, finished: RunResult): Played {
  const { printed } = playedOf(finished);
  return { ...playedOf(main), summary: finished.summary, printed: `${playedOf(main).printed}\n${printed}` };
}

function isTheRequestThatCosts(request: RecordedRequest | undefined): boolean {
  return request?.to === 'service' && request.method === 'POST';
}

/** Gathers what is untrue after each phase of a case. */
class Check {
  readonly #stage: Stage;
  readonly #problems: string[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  phase(name: string, played: Played, isLast: boolean, askedBefore = false): void {
    const { simulator, staged } = this.#stage;
    const expected = { comments: isLast ? 'one' : 'at most one', reaction: isLast, askedBefore } as const;
    this.#problems.push(
      ...untruths(simulator, staged, played, expected).map((problem) => `${name}: ${problem}`),
    );
  }

  end(boundary: Boundary, { outputs }: RunResult, expected: string): CrashEnd {
    const { simulator, staged } = this.#stage;
    return {
      boundary,
      asked: askedSince(simulator, staged).prompts,
      end: `${outputs.outcome} (${outputs.reason})`,
      expected,
      problems: [...this.#problems, ...simulator.violations],
    };
  }
}
