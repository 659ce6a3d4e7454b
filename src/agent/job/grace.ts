import type { Session } from '../session.ts';

/** How long a request on its way is left to come back when the run is cancelled: to know the job is worth that much. */
const cancelGraceMs = 1_500;

/**
 * Runs something that should come back even though the run is cancelled: what is on its way is left a moment to arrive,
 * and what only waits to be sent again is ended at once.
 */
export async function withGrace<T>(
  { deps: { clock, signal } }: Session,
  act: (within: AbortSignal, onItsWay: (isOnItsWay: boolean) => void) => Promise<T>,
): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  let isOnItsWay = true;
  const end = () => within.abort(signal.reason);
  const cancel = () => {
    if (isOnItsWay) clock.sleep(cancelGraceMs, over.signal).then(end, () => undefined);
    else end();
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await act(within.signal, (now) => {
      isOnItsWay = now;
    });
  } finally {
    signal.removeEventListener('abort', cancel);
    over.abort();
  }
}
