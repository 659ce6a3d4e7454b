import type { Deps } from '../deps.ts';

/** How long to wait for a pending response once the run is canceled: learning the job's id is worth that. */
const graceMs = 1_500;

/** Does something whose response matters even if the run is canceled: a pending one gets a moment to arrive. */
export async function withGrace<T>(
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  act: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () => clock.sleep(graceMs, over.signal).then(end, () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await act(within.signal);
  } finally {
    signal.removeEventListener('abort', cancel);
    over.abort();
  }
}
