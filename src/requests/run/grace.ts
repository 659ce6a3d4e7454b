import { bindDeps, type Deps } from '../../deps.ts';

const graceMs = 1_500;

/**
 * Lets a call wait a moment for its response after the run is canceled, because we need the job's
 * ID from it. The call uses `patient` connections.
 */
export async function withGrace<T>(deps: Deps, call: (patient: Deps) => Promise<T>): Promise<T> {
  const { signal } = deps;
  const patience = new AbortController();
  const returned = new AbortController();
  const abortLater = async () => {
    try {
      await deps.clock.within(returned.signal).sleep(graceMs);
      patience.abort(signal.reason);
    } catch {
      // The call has returned.
    }
  };
  if (signal.aborted) void abortLater();
  signal.addEventListener('abort', abortLater, { once: true, signal: returned.signal });
  try {
    return await call(bindDeps(deps, patience.signal));
  } finally {
    returned.abort();
  }
}
