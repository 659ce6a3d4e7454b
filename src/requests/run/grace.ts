import type { Deps } from '../../deps.ts';

const graceMs = 1_500;

/** Lets a call wait a moment for its response after the run is canceled, because the response contains an ID that we need. */
export async function withGrace<T>(
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  act: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () => clock.sleep(graceMs, over.signal).then(end, () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
  try {
    return await act(within.signal);
  } finally {
    over.abort();
  }
}
