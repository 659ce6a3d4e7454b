import type { Deps } from '../deps.ts';

/** How long a request on its way may take to come back once the run is cancelled: knowing the job is worth that much. */
const cancelGraceMs = 1_500;

/**
 * Does something that should come back even if the run is cancelled: what is on its way gets a moment to arrive, and what only
 * waits to be sent again ends at once.
 */
export async function withGrace<T>(
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
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
