import type { Simulator } from '../../../simulator/index.ts';
import type { CancelTimes } from '../../../simulator/runner/run-options.ts';
import type { RunResult } from '../../../simulator/runner/runner.ts';
import { type CancelPoint, cancelAt } from '../bundle/cancel.ts';
import { playedOf, post, runAction } from '../bundle/run.ts';
import { onScenarioStage } from '../bundle/scenario-stage.ts';
import { type Expected, untruths } from '../oracle/agent.ts';
import { endOf } from '../oracle/played.ts';
import { simpleCommand } from '../scenarios/agent.ts';

/** A command that is cancelled. */
export interface CancelCase extends CancelPoint {
  readonly name: string;
  readonly cancelTimes?: CancelTimes;
  readonly prepare?: (simulator: Simulator) => void;
  /** The status comments there must be once main is over, and what its outputs say. */
  readonly comments: Expected['comments'];
  readonly ends: readonly string[];
}

export interface CancelEnd {
  readonly name: string;
  readonly end: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly cancelledForMs: number;
  readonly jobs: number;
  readonly problems: readonly string[];
}

/** Plays a command in real time, cancels it as GitHub does, and runs post afterwards. */
export function playCancel(one: CancelCase): Promise<CancelEnd> {
  const { name, cancelTimes, comments } = one;
  return onScenarioStage(
    simpleCommand,
    async ({ simulator, staged, options }) => {
      const untrue = (phase: string, run: RunResult, summary: string): string[] =>
        untruths(
          simulator,
          staged,
          { ...playedOf(run), summary },
          { comments, reaction: comments === 'one' },
        ).map((problem) => `${phase}: ${problem}`);

      one.prepare?.(simulator);
      const cancelled = cancelAt(simulator, one);
      const times = cancelTimes === undefined ? {} : { cancelTimes };
      const main = await runAction({ ...options, ...cancelled.options, ...times });
      const cancelledForMs = performance.now() - cancelled.atMs();
      cancelled.release();
      const problems = isReachable(one) ? untrue('main', main, main.summary) : [];
      const finished = await post(main);
      problems.push(...untrue('post', main, `${main.summary}${finished.summary}`));
      return {
        name,
        end: endOf(main),
        exitCode: main.exitCode,
        signal: main.signal,
        cancelledForMs,
        jobs: simulator.service.jobs.length,
        problems: [...problems, ...simulator.violations],
      };
    },
    { clock: { mode: 'real' } },
  );
}

/** Whether main itself can write in the thread, as the last one. */
function isReachable({ hanging = [], cancelTimes }: CancelCase): boolean {
  return !hanging.includes('github') && cancelTimes === undefined;
}
