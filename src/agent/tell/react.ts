import type { Reaction } from '../../github/threads.ts';
import type { Session } from '../session.ts';
import { bestEffort } from '../thread/best-effort.ts';

/** Reacts to the comment that asked, if there is one. Gives whether trying again may help. */
export async function react(
  reaction: Reaction,
  session: Session,
  within: AbortSignal,
): Promise<'done' | 'forbidden' | 'failed'> {
  const { sourceCommentId } = session.known;
  const { github, context } = session.deps;
  if (sourceCommentId === undefined || github === undefined) return 'done';
  return bestEffort('Reacting to the comment', session, async () => {
    await github.react(sourceCommentId, reaction, within);
    // An earlier attempt may have left a verdict that no longer holds.
    const { login } = session.known.status;
    const outdated = outdatedBy(reaction);
    if (outdated !== undefined && context.runAttempt > 1 && login !== undefined)
      await github.unreact(sourceCommentId, outdated, login, within);
  });
}

/** The verdict that no longer holds after this one. */
export function outdatedBy(reaction: Reaction): Reaction | undefined {
  return reaction === 'rocket' || reaction === '+1' ? 'confused' : undefined;
}
