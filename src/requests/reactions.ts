import type { AgentOutcome } from '../core/reasons.ts';
import type { GitHub, Reaction } from '../github/client.ts';
import { type Card, endingOf, howEnded } from './card.ts';
import type { Run } from './run.ts';
import { isGone } from './store.ts';

const verdicts: Partial<Record<AgentOutcome, Reaction>> = {
  'pr-created': 'rocket',
  'no-changes': '+1',
  answered: '+1',
  archived: 'confused',
  failed: 'confused',
  'timed-out': 'confused',
};

/** The reaction that shows how the request ended. */
export function verdictOn(card: Card): Reaction | undefined {
  if (howEnded(card) === 'unseen') return 'confused';
  const ending = endingOf(card);
  return ending && verdicts[ending.outcome];
}

/** The API calls that add a reaction to the request's comment and remove the outdated reaction `before`. */
export function reactionsTo(
  { source, login, attempt }: Card,
  reaction: Reaction | undefined,
  before: Reaction | undefined,
  github: GitHub,
  within: AbortSignal,
): (() => Promise<void>)[] {
  // GitHub doesn't support reactions to reviews.
  if (source === undefined || source.kind === 'review' || reaction === undefined) return [];
  const react = () => github.react(source, reaction, within);
  const isGood = reaction === 'rocket' || reaction === '+1';
  // An earlier attempt may have left a reaction that is no longer true.
  const isOutdated = isGood && (attempt > 1 || before === 'confused');
  if (!isOutdated || login === undefined) return [react];
  return [react, () => github.unreact(source, 'confused', login, within)];
}

/** Reacts to the request's comment. `failed`: another try may help. `deleted`: the comment is gone. */
export async function react(
  reaction: Reaction,
  card: Card,
  run: Run,
  within: AbortSignal,
): Promise<'done' | 'failed' | 'deleted'> {
  const { github } = run.deps;
  const { source } = card;
  if (source === undefined || github === undefined) return 'done';
  let isDeleted = false;
  const isOver = await run.bestEffort('Reacting to the comment', async () => {
    try {
      for (const write of reactionsTo(card, reaction, undefined, github, within)) await write();
    } catch (error) {
      // GitHub may return a single 404 from an outdated replica.
      isDeleted = isGone(error) && !(await github.isThere(source, within));
      if (!isDeleted) throw error;
    }
  });
  if (isDeleted) return 'deleted';
  return isOver ? 'done' : 'failed';
}
