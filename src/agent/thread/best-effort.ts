import { GitHubError, missingPermission } from '../../github/errors.ts';
import { ActionError, messageOf } from '../../lib/errors.ts';
import { shortCode } from '../../lib/markdown.ts';
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
    if (missing === undefined) throw isNoThread(error, session) ? noThread(error, session) : error;
    warnOfMissing(missing, session);
    if (mustClaim && session.deps.context.runAttempt > 1) throw error;
    session.leaveThread();
    return undefined;
  }
}

/** Whether GitHub has no thread of the number that the inputs name, or shows the token none. */
function isNoThread(error: unknown, { config }: Session): boolean {
  return config.thread.kind === 'number' && error instanceof GitHubError && error.status === 404;
}

function noThread(cause: unknown, { deps, known }: Session): GitHubError {
  const where = `${known.threadNumber} in ${shortCode(deps.context.repository)}`;
  return new GitHubError(
    `\`thread\`: there is no issue or pull request ${where}, or the token can’t read it`,
    { status: 404, cause },
  );
}

function warnOfMissing(missing: string, session: Session): void {
  session.warn(`${missing}. The job summary and the outputs tell what the thread would have.`);
}
