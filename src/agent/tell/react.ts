import type { Reaction } from '../../github/client.ts';
import type { Session } from '../session.ts';
import { bestEffort } from '../thread/best-effort.ts';

/** Reacts to the comment that asked, if there is one. Gives whether trying again may help. */
export async function react(
  reaction: Reaction,
  session: Session,
  within: AbortSignal,
): Promise<'done' | 'forbidden' | 'failed'> {
  const { sourceCommentId } = session.known;
  return bestEffort('Reacting to the comment', session, async () => {
    if (sourceCommentId !== undefined) await session.deps.github?.react(sourceCommentId, reaction, within);
  });
}
