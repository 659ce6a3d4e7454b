import { setTimeout as delay } from 'node:timers/promises';

import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { RecordedRequest, Route } from '../../../simulator/http/messages.ts';
import type { Simulator } from '../../../simulator/index.ts';

const headStartMs = 250;

/** Where to cancel a run, and which APIs then stop responding. */
export interface CancelPoint extends RequestMoment {
  readonly at: Route;
  /** The time from the request to the cancellation; 0 by default. */
  readonly laterMs?: number;
  /** APIs that stop responding once the run is canceled. */
  readonly hanging?: readonly RecordedRequest['to'][];
  readonly by?: 'SIGTERM';
}

/** Prepares to cancel a run. Returns the options to run with, and when the run was canceled. */
export function cancelAt(simulator: Simulator, { laterMs = 0, hanging = [], by, ...moment }: CancelPoint) {
  const cancel = new AbortController();
  const released = Promise.withResolvers<void>();
  let send: () => void = () => cancel.abort();
  let cancelledAtMs = Number.NaN;
  simulator.once(moment, () => {
    cancelledAtMs = performance.now() + laterMs;
    setTimeout(() => send(), laterMs);
  });
  const end = simulator.onBoundary(async (request) => {
    if (Number.isNaN(cancelledAtMs)) return;
    if (hanging.includes(request.to)) await released.promise;
    // The process must get the signal before the response.
    else if (laterMs === 0) await delay(headStartMs);
  });
  return {
    atMs: () => cancelledAtMs,
    release: () => {
      end();
      released.resolve();
    },
    options:
      by === undefined
        ? { signal: cancel.signal }
        : {
            onSpawn: (child: { kill(signal: NodeJS.Signals): boolean }) => {
              send = () => void child.kill(by);
            },
          },
  };
}
