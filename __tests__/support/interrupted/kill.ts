import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import { onBundle } from '../bundle/player.ts';
import { type Expected, headlineOf, jobNamed, statusComments, untruths } from '../oracle/agent.ts';
import { endOf, type Played } from '../played.ts';
import { type Boundary, boundariesOf } from '../routes.ts';
import { askedSince, runOf, type Scenario } from '../scenarios/agent.ts';

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
  killAt?: RequestMoment,
): Promise<Boundary[]> {
  return onBundle(async ({ core, play, post }) => {
    const staged = await scenario.stage(core);
    const main = await play(runOf(staged, { killAt }));
    const before = phase === 'main' ? staged.before.requests : core.requests.length;
    if (phase === 'post') await post(main);
    if (phase === 're-run') await play(runOf(staged, { attempt: 2 }));
    return boundariesOf(core.requests.slice(before));
  });
}

/** Plays main, post and a run after them; where a re-run is killed, its post and the run after that. */
export function playCrash(scenario: Scenario, crash: Crash): Promise<CrashEnd> {
  return onBundle(async ({ core, play, post }) => {
    const staged = await scenario.stage(core);
    const problems: string[] = [];
    const check = (phase: string, played: Played, expected: Expected): void => {
      const found = untruths(core, staged, played, expected);
      problems.push(...found.map((problem) => `${phase}: ${problem}`));
    };
    const isOver: Expected = { comments: 'one', reaction: true };
    const askedBefore = crash.rerun !== undefined;

    let run = await play(runOf(staged, { killAt: crash.main }));
    if (crash.rerun !== undefined) {
      check('main', run, isOver);
      run = await play(runOf(staged, { attempt: 2, killAt: crash.rerun }));
    }
    if (crash.post !== 'never') {
      const { summary, printed } = await post(run, crash.post);
      // After a killed main the workflow sees main's outputs, and people see post's summary.
      const left = { ...run, summary, printed: `${run.printed}\n${printed}` };
      if (crash.post === undefined)
        check('post', left, { comments: 'at most one', reaction: false, askedBefore });
    }
    // A claim without a job is then all there is to know.
    const isUnknowable = statusComments(core, staged).some(
      (comment) => /^⏳|can.t tell/.test(headlineOf(comment)) && jobNamed(comment) === undefined,
    );
    const again = await play(runOf(staged, { attempt: 3 }));
    check('the run after it', again, isOver);
    return {
      crash,
      asked: askedSince(core, staged).prompts,
      end: endOf(again),
      expected: isUnknowable ? 'failed (unconfirmed)' : 'pr-created (pull-request)',
      problems: [...problems, ...core.violations],
    };
  });
}

/** Those of the cases in which something was untrue, or the service was asked twice. */
export function wrongOf(ended: readonly CrashEnd[]): readonly CrashEnd[] {
  return ended.filter(
    ({ problems, asked, end, expected }) => problems.length > 0 || asked > 1 || end !== expected,
  );
}
