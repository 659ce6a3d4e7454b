import { explain } from '../../core/errors.ts';
import { type Card, howEnded } from '../card/card.ts';
import { openText } from '../card/comment.ts';
import { interrupted, stopped } from '../card/transitions.ts';
import type { Request } from './next.ts';

/* Decides what a run leaves in its thread when it ends. */

/** The card at the end of the run, with the error that ended the run, if any. */
export function closed({ card }: Request, error: unknown): Card {
  if (error === undefined || isOfAnotherRun(card)) return card;
  const { reason, ...words } = explain(error);
  if (reason === 'cancelled') return interrupted(card, 'cancelled', words);
  return stopped(card, { outcome: 'failed', reason, error: words });
}

/** Whether another run works on the request, so that this run leaves the thread alone. */
export function isOfAnotherRun({ stop }: Card): boolean {
  return stop?.reason === 'another-run';
}

/** Whether the thread may contain a status comment of this run that the run doesn't know, because GitHub's response was lost. */
export function mayHaveComment({ card, known }: Request): boolean {
  const isUnsure = known.cards === undefined || card.generation > 0;
  return card.thread !== undefined && card.comment === undefined && isUnsure;
}

/** What is left to write in the thread: nothing, only the reaction, or the status comment, too. */
export function closingOf(card: Card, { takenOver }: Request['known']): 'nothing' | 'reaction' | 'comment' {
  if (isOfAnotherRun(card)) return 'nothing';
  const shown = takenOver?.state.is === 'ended' && card.ask !== 'reply' ? takenOver : undefined;
  // If the thread shows how the job ended, a timeout or error of this run must not replace that.
  const isOfRun = card.stop !== undefined && card.state.is === 'ended' && howEnded(card) !== 'unconfirmed';
  if (shown !== undefined && isOfRun) return 'nothing';
  const isShown = shown !== undefined && openText(shown) === openText(card);
  // A comment that was signed with a different key can't be edited. The answer to `help` or `status` is already posted.
  const isDone = isShown || card.stop?.reason === 'key-changed' || card.answer !== undefined;
  return isDone ? 'reaction' : 'comment';
}
