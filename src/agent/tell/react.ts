import type { GitHub } from '../../github/client.ts';
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
  // An earlier attempt may have left its verdict.
  const login = context.runAttempt > 1 ? session.known.status.login : undefined;
  return bestEffort('Reacting to the comment', session, () =>
    putReaction(reaction, sourceCommentId, login, github, within),
  );
}

/**
 * Puts a reaction under a comment. A good one takes the bad one before it back, which no longer holds.
 *
 * @param login whose the one before would be; `undefined` where there was none.
 */
export async function putReaction(
  reaction: Reaction,
  commentId: number,
  login: string | undefined,
  github: GitHub,
  within: AbortSignal,
): Promise<void> {
  await github.react(commentId, reaction, within);
  const isGood = reaction === 'rocket' || reaction === '+1';
  if (isGood && login !== undefined) await github.unreact(commentId, 'confused', login, within);
}
