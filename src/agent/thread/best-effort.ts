import { ActionError, messageOf } from '../../core/errors.ts';
import { GitHubError, missingPermission, missingThread } from '../../github/errors.ts';
import type { Session } from '../session.ts';
import type { Thread } from './thread.ts';

/**
 * Runs something that only tells the thread, and lets a failure of it be a warning: the outputs and the summary tell it
 * too. A cancellation still ends the run. Gives whether trying again may help.
 */
export async function bestEffort(
  what: string,
  session: Session,
  tell: () => Promise<unknown>,
): Promise<'done' | 'forbidden' | 'failed'> {
  try {
    await tell();
    return 'done';
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'cancelled') throw error;
    const missing = missingPermission(error);
    if (missing !== undefined) {
      warnOfMissing(missing, session);
      return 'forbidden';
    }
    // GitHub's errors say themselves what did not work.
    session.warn(error instanceof GitHubError ? error.message : `${what} did not work: ${messageOf(error)}`);
    return 'failed';
  }
}

/**
 * Does something that the run needs the thread for. Where GitHub says that a permission is missing, the run goes on as one
 * that has no thread, and this gives `undefined`; anything else ends the run.
 *
 * @param mustClaim whether a later attempt needs it to know that nothing was asked before, and ends without it.
 */
export async function needingThread<T>(
  session: Session,
  act: (thread: Thread) => Promise<T>,
  { mustClaim = false } = {},
): Promise<T | undefined> {
  if (session.thread === undefined) return undefined;
  try {
    return await act(session.thread);
  } catch (error) {
    const missing = missingPermission(error);
    if (missing === undefined) throw namingThread(error, session);
    warnOfMissing(missing, session);
    if (mustClaim && session.deps.context.runAttempt > 1) throw error;
    session.leaveThread();
    return undefined;
  }
}

/** An error of the thread; where GitHub has none of the number that the inputs name, it says so. */
function namingThread(error: unknown, { config: { thread }, deps }: Session): unknown {
  if (thread.kind !== 'number') return error;
  return missingThread(error, thread.number, deps.context.repository) ?? error;
}

function warnOfMissing(missing: string, session: Session): void {
  session.warn(`${missing}. The job summary and the outputs tell what the thread would have.`);
}
