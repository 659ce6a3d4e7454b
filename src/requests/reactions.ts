import type { AgentOutcome } from '../core/reasons.ts';
import type { Reaction } from '../github/client.ts';
import { bestEffort } from './best-effort.ts';
import { type Card, endingOf } from './card.ts';
import type { Run } from './run.ts';
import { isGone } from './store.ts';
import { isUnseen } from './words.ts';

const verdicts: Partial<Record<AgentOutcome, Reaction>> = {
  'pr-created': 'rocket',
  'no-changes': '+1',
  answered: '+1',
  archived: 'confused',
  failed: 'confused',
  'timed-out': 'confused',
};

/** The verdict under the comment that asked. */
export function reactionTo(card: Card): Reaction | undefined {
  if (isUnseen(card)) return 'confused';
  const ending = endingOf(card);
  return ending && verdicts[ending.outcome];
}

/** The verdict that is no longer true after this one. */
export function outdatedBy(reaction: Reaction): Reaction | undefined {
  return reaction === 'rocket' || reaction === '+1' ? 'confused' : undefined;
}

/** Reacts to the comment that asked, if there is one. Gives whether trying again may help, and whether that comment is gone. */
export async function react(
  reaction: Reaction,
  { source, login }: Card,
  run: Run,
  within: AbortSignal,
): Promise<'done' | 'forbidden' | 'failed' | 'deleted'> {
  const { github, context } = run.deps;
  if (source === undefined || github === undefined) return 'done';
  let isDeleted = false;
  const result = await bestEffort('Reacting to the comment', run, async () => {
    await github.react(source.id, reaction, within).catch(async (error: unknown) => {
      // A single 404 may come from a copy of GitHub's data that is behind.
      isDeleted = isGone(error) && (await github.readComment(source.id, within).then(() => false, isGone));
      if (!isDeleted) throw error;
    });
    if (isDeleted) return;
    // An earlier attempt may have left a verdict that is no longer true.
    const outdated = outdatedBy(reaction);
    if (outdated !== undefined && context.runAttempt > 1 && login !== undefined)
      await github.unreact(source.id, outdated, login, within);
  });
  return isDeleted ? 'deleted' : result;
}
