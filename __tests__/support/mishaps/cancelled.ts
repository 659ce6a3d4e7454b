import { setTimeout as delay } from 'node:timers/promises';

import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { RecordedRequest, Route } from '../../../simulator/http/messages.ts';
import type { Simulator } from '../../../simulator/index.ts';
import type { CancelTimes } from '../../../simulator/runner/run-options.ts';
import { onBundle } from '../bundle/player.ts';
import { endOf } from '../played.ts';
import type { Subject } from './matrix.ts';

const headStartMs = 250;

/** Where to cancel a run, what else goes wrong then, and how the run must end. */
export interface CancelCase extends RequestMoment {
  readonly name: string;
  readonly ends: string;
  readonly at: Route;
  /** The time from the request to the cancellation; 0 by default. */
  readonly laterMs?: number;
  /** APIs that stop responding once the run is canceled. */
  readonly hanging?: readonly RecordedRequest['to'][];
  /** The only signal that the process gets. By default, it gets those that GitHub's runner sends. */
  readonly by?: 'SIGTERM';
  readonly cancelTimes?: CancelTimes;
  readonly prepare?: (simulator: Simulator) => void;
}

/** Runs main in real time, cancels it as GitHub does, and then runs post. */
export function playCancelled(subject: Subject, trouble: CancelCase) {
  const { name, at, nth = 1, phase, cancelTimes, hanging = [] } = trouble;
  const met = { at, nth, mishap: { kind: 'cancel', phase } } as const;
  return onBundle(
    async (player) => {
      const { core, play, post } = player;
      const { run, judge } = await subject.stage(player);
      trouble.prepare?.(core);
      const { signal: cancel, atMs, release } = cancelAt(core, trouble);
      const main = await play(run, { signal: cancel, cancelTimes });
      const cancelledForMs = performance.now() - atMs();
      release();
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

function cancelAt(simulator: Simulator, { laterMs = 0, hanging = [], by, ...moment }: CancelCase) {
  const cancel = new AbortController();
  const released = Promise.withResolvers<void>();
  let cancelledAtMs = Number.NaN;
  simulator.once(moment, () => {
    cancelledAtMs = performance.now() + laterMs;
    setTimeout(() => cancel.abort(by), laterMs);
  });
  const end = simulator.onBoundary(async (request) => {
    if (Number.isNaN(cancelledAtMs)) return;
    if (hanging.includes(request.to)) await released.promise;
    // The process must get the signal before the response.
    else if (laterMs === 0) await delay(headStartMs);
  });
  const release = () => {
    end();
    released.resolve();
  };
  return { signal: cancel.signal, atMs: () => cancelledAtMs, release };
}
