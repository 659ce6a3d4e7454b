import { ActionError, messageOf } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import type { Run } from './run.ts';

/** How long a request on its way may take to come back once the run is cancelled: knowing the job is worth that much. */
const cancelGraceMs = 1_500;

/**
 * Does something that only informs the thread; if it fails, that is a warning, since outputs and summary say it too. A
 * cancellation still ends the run. Gives whether that is over: done, or without the permission that it takes.
 */
export async function bestEffort(what: string, run: Run, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'cancelled') throw error;
    const missing = missingPermission(error);
    if (missing !== undefined) warnOfMissing(missing, run);
    // GitHub's errors say themselves what failed.
    else run.warn(error instanceof GitHubError ? error.message : `${what} did not work: ${messageOf(error)}`);
    return missing !== undefined;
  }
}

export function warnOfMissing(missing: string, run: Run): void {
  run.warn(`${missing}. The job summary and the outputs tell what the thread would have.`);
}

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
