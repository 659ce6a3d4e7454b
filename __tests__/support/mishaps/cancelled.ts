import type { Simulator } from '../../../simulator/index.ts';
import type { CancelTimes } from '../../../simulator/runner/run-options.ts';
import { type CancelPoint, cancelAt } from '../bundle/cancel.ts';
import { onBundle } from '../bundle/player.ts';
import { endOf } from '../played.ts';
import type { Subject } from './matrix.ts';

/** A canceled run, and its expected end. */
export interface CancelCase extends CancelPoint {
  readonly name: string;
  readonly ends: string;
  readonly cancelTimes?: CancelTimes;
  readonly prepare?: (simulator: Simulator) => void;
}

/** Runs main in real time, cancels it as GitHub does, and then runs post. */
export function playCancelled(subject: Subject, one: CancelCase) {
  const { name, at, nth = 1, phase, cancelTimes, hanging = [] } = one;
  const met = { at, nth, mishap: { kind: 'cancel', phase } } as const;
  return onBundle(
    async (player) => {
      const { core, play, post } = player;
      const { run, judge } = await subject.stage(player);
      one.prepare?.(core);
      const cancelled = cancelAt(core, one);
      const times = cancelTimes === undefined ? {} : { cancelTimes };
      const main = await play(run, { ...cancelled.options, ...times });
      const cancelledForMs = performance.now() - cancelled.atMs();
      cancelled.release();
      const problemsAfter = (phase: string, more = '') => {
        const played = { ...main, summary: `${main.summary}${more}` };
        return judge({ played, isOver: true }, met).map((problem) => `${phase}: ${problem}`);
      };
      // Whether main can still update the thread itself.
      const isReachable = !hanging.includes('github') && cancelTimes === undefined;
      const problems = isReachable ? problemsAfter('main') : [];
      problems.push(...problemsAfter('post', (await post(main)).summary), ...core.violations);
      const { exitCode, signal } = main;
      return { name, end: endOf(main), exitCode, signal, cancelledForMs, problems };
    },
    { clock: { mode: 'real' } },
  );
}
