import type { Simulator } from '../../../simulator/index.ts';
import type { CancelTimes } from '../../../simulator/runner/run-options.ts';
import { type CancelPoint, cancelAt } from '../bundle/cancel.ts';
import { type BundlePlayed, onBundle } from '../bundle/player.ts';
import { type Expected, untruths } from '../oracle/agent.ts';
import { endOf } from '../played.ts';
import { runOf, simpleCommand } from '../scenarios/agent.ts';

/** A command that is cancelled. */
export interface CancelCase extends CancelPoint {
  readonly name: string;
  readonly cancelTimes?: CancelTimes;
  readonly prepare?: (simulator: Simulator) => void;
  /** The status comments there must be once main is over, and what its outputs say. */
  readonly comments: Expected['comments'];
  readonly ends: readonly string[];
}

export interface CancelEnd extends Pick<BundlePlayed, 'exitCode' | 'signal'> {
  readonly name: string;
  readonly end: string;
  readonly cancelledForMs: number;
  readonly jobs: number;
  readonly problems: readonly string[];
}

/** Plays a command in real time, cancels it as GitHub does, and runs post afterwards. */
export function playCancel(one: CancelCase): Promise<CancelEnd> {
  const { name, cancelTimes, comments, hanging = [] } = one;
  return onBundle(
    async ({ core, play, post }) => {
      const staged = await simpleCommand.stage(core);
      const untrue = (phase: string, main: BundlePlayed, more = ''): string[] => {
        const expected = { comments, reaction: comments === 'one' };
        const found = untruths(core, staged, { ...main, summary: `${main.summary}${more}` }, expected);
        return found.map((problem) => `${phase}: ${problem}`);
      };
      one.prepare?.(core);
      const cancelled = cancelAt(core, one);
      const times = cancelTimes === undefined ? {} : { cancelTimes };
      const main = await play(runOf(staged), { ...cancelled.options, ...times });
      const cancelledForMs = performance.now() - cancelled.atMs();
      cancelled.release();
      // Whether main itself can write in the thread, as the last one.
      const isReachable = !hanging.includes('github') && cancelTimes === undefined;
      const problems = isReachable ? untrue('main', main) : [];
      problems.push(...untrue('post', main, (await post(main)).summary), ...core.violations);
      const { exitCode, signal } = main;
      const jobs = core.service.jobs.length;
      return { name, end: endOf(main), exitCode, signal, cancelledForMs, jobs, problems };
    },
    { clock: { mode: 'real' } },
  );
}
