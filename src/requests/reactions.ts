import type { Reaction } from '../github/threads.ts';
import { type Card, endingOf } from './card.ts';
import { isUnseen } from './words.ts';

/** The verdict under the comment that asked. */
export function reactionTo(card: Card): Reaction | undefined {
  if (isUnseen(card)) return 'confused';
  switch (endingOf(card)?.outcome) {
    case 'pr-created':
      return 'rocket';
    case 'no-changes':
    case 'answered':
      return '+1';
    case 'archived':
    case 'failed':
    case 'timed-out':
      return 'confused';
    default:
      return undefined;
  }
}

/** The verdict that is no longer true after this one. */
export function outdatedBy(reaction: Reaction): Reaction | undefined {
  return reaction === 'rocket' || reaction === '+1' ? 'confused' : undefined;
}
