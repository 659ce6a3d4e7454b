import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import { playedOf, post, rerun, runAction } from '../bundle/run.ts';
import { onScenarioStage } from '../bundle/scenario-stage.ts';
import { type Expected, headlineOf, jobNamed, statusComments, untruths } from '../oracle/agent.ts';
import { endOf, type Played } from '../oracle/played.ts';
import { type Boundary, boundariesOf } from '../routes.ts';
import { askedSince, type Scenario } from '../scenarios/agent.ts';

/** What is killed and when: main, its post as well, or the re-run of a run that ended well. */
export interface Crash {
  readonly main?: RequestMoment;
  /** `never`: the runner died with main. */
  readonly post?: RequestMoment | 'never';
  readonly rerun?: RequestMoment;
}

/** How a case ended: what was asked of the service in all, how the last run ended, and all that was untrue on the way. */
export interface CrashEnd {
  readonly crash: Crash;
  readonly asked: number;
  readonly end: string;
  readonly expected: string;
  readonly problems: readonly string[];
}

/** Every boundary of main, of the post phase after a main that was killed then, or of a re-run. */
export function boundariesIn(
  phase: 'main' | 'post' | 're-run',
  scenario: Scenario,
  killedAt?: RequestMoment,
): Promise<Boundary[]> {
  return onScenarioStage(scenario, async ({ simulator, staged, options }) => {
    const main = await playUntil(killedAt, (more) => runAction({ ...options, ...more }));
    const before = phase === 'main' ? staged.before.requests : simulator.requests.length;
    if (phase === 'post') await post(main);
    if (phase === 're-run') await rerun(main);
    return boundariesOf(simulator.requests.slice(before));
  });
}

/** Plays main, post and a run after them; where a re-run is killed, its post and the run after that. */
export function playCrash(scenario: Scenario, crash: Crash): Promise<CrashEnd> {
  return onScenarioStage(scenario, async ({ simulator, staged, options }) => {
    const problems: string[] = [];
    const check = (phase: string, played: Played, expected: Expected): void => {
      const found = untruths(simulator, staged, played, expected);
      problems.push(...found.map((problem) => `${phase}: ${problem}`));
    };
    const isOver: Expected = { comments: 'one', reaction: true };

    let run = await playUntil(crash.main, (more) => runAction({ ...options, ...more }));
    if (crash.rerun !== undefined) {
      const first = run;
      check('main', playedOf(first), isOver);
      run = await playUntil(crash.rerun, (more) => rerun(first, more));
    }
    if (crash.post !== 'never') {
      const finished = await playUntil(crash.post, (more) => post(run, more));
      const askedBefore = crash.rerun !== undefined;
      if (crash.post === undefined)
        check('post', leftBy(run, finished), { comments: 'at most one', reaction: false, askedBefore });
    }
    const own = statusComments(simulator, staged);
    // A claim without a job is then all there is to know.
    const isUnknowable = own.some(
      (comment) => /^⏳|can.t tell/.test(headlineOf(comment)) && jobNamed(comment) === undefined,
    );
    const again = await rerun(run);
    check('the run after it', playedOf(again), isOver);
    return {
      crash,
      asked: askedSince(simulator, staged).prompts,
      end: endOf(again),
      expected: isUnknowable ? 'failed (unconfirmed)' : 'pr-created (pull-request)',
      problems: [...problems, ...simulator.violations],
    };
  });
}

/** Those of the cases in which something was untrue, or the service was asked twice. */
export function wrongOf(ended: readonly CrashEnd[]): readonly CrashEnd[] {
  return ended.filter(
    ({ problems, asked, end, expected }) => problems.length > 0 || asked > 1 || end !== expected,
  );
}

/** Plays a phase that is killed at that moment, or not at all. @throws Error where it never comes to the moment. */
async function playUntil(
  killAt: RequestMoment | undefined,
  play: (options: Partial<RunOptions>) => Promise<RunResult>,
): Promise<RunResult> {
  const run = await play(killAt === undefined ? {} : { killAt });
  if (killAt !== undefined && run.signal !== 'SIGKILL')
    throw new Error(`It never came to ${killAt.at} (${killAt.nth}), ${killAt.phase}`);
  return run;
}

/** After a killed main the workflow sees main's outputs, and people see post's summary. */
function leftBy(main: RunResult, finished: RunResult): Played {
  const { printed } = playedOf(finished);
  return { ...playedOf(main), summary: finished.summary, printed: `${playedOf(main).printed}\n${printed}` };
}
