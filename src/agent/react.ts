import type { Reaction } from '../github/threads.ts';
import { bestEffort } from '../requests/best-effort.ts';
import type { Card } from '../requests/card.ts';
import { outdatedBy } from '../requests/reactions.ts';
import type { Run } from '../requests/run.ts';

/** Reacts to the comment that asked, if there is one. Gives whether trying again may help. */
export async function react(
  reaction: Reaction,
  { source, login }: Card,
  run: Run,
  within: AbortSignal,
): Promise<'done' | 'forbidden' | 'failed'> {
  const { github, context } = run.deps;
  if (source === undefined || github === undefined) return 'done';
  return bestEffort('Reacting to the comment', run, async () => {
    await github.react(source.id, reaction, within);
    // An earlier attempt may have left a verdict that is no longer true.
    const outdated = outdatedBy(reaction);
    if (outdated !== undefined && context.runAttempt > 1 && login !== undefined)
      await github.unreact(source.id, outdated, login, within);
  });
}
