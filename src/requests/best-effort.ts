import { ActionError, messageOf } from '../core/errors.ts';
import { GitHubError, missingPermission, missingThread } from '../github/errors.ts';
import type { Card } from './card.ts';
import type { Run } from './run.ts';

/**
 * Does something that only informs the thread; if it fails, that is a warning, since outputs and summary say it too. A
 * cancellation still ends the run. Gives whether trying again may help.
 */
export async function bestEffort(
  what: string,
  run: Run,
  act: () => Promise<unknown>,
): Promise<'done' | 'forbidden' | 'failed'> {
  try {
    await act();
    return 'done';
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'cancelled') throw error;
    const missing = missingPermission(error);
    if (missing !== undefined) {
      warnOfMissing(missing, run);
      return 'forbidden';
    }
    // GitHub's errors say themselves what failed.
    run.warn(error instanceof GitHubError ? error.message : `${what} did not work: ${messageOf(error)}`);
    return 'failed';
  }
}

/**
 * Does something that the run needs its thread for. Where GitHub says that a permission is missing, gives `undefined`, and the
 * run does without a thread; anything else ends the run.
 *
 * @param mustClaim whether a later attempt needs it to know that nothing was asked before, and ends without it.
 */
export async function needingThread<T>(
  run: Run,
  { thread }: Card,
  act: () => Promise<T>,
  { mustClaim = false } = {},
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    const missing = missingPermission(error);
    if (missing === undefined) {
      const named = run.isThreadNamed && thread !== undefined;
      throw (named ? missingThread(error, thread, run.deps.context.repository) : undefined) ?? error;
    }
    warnOfMissing(missing, run);
    if (mustClaim && run.deps.context.runAttempt > 1) throw error;
    return undefined;
  }
}

function warnOfMissing(missing: string, run: Run): void {
  run.warn(`${missing}. The job summary and the outputs tell what the thread would have.`);
}
