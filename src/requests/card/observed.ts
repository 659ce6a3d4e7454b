import type { Job } from '../../service/schemas.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import { endOf, isAsBefore, isTerminal, isTooEarly, lacksLink } from './job.ts';
import { ended, unended, watched, working } from './transitions.ts';

/**
 * What the service says about a job. `isLinkFinal`: no link will come later. `missing`: two 404s, at least 5 s apart.
 * `unreadable`: anything else that says nothing about the job, such as the first 404.
 */
export type Observation = { readonly job: Job; readonly isLinkFinal: boolean } | 'missing' | 'unreadable';

/**
 * Updates a card from what the service says about its job; without news, returns the same card. An ended job ends the request,
 * unless its status may be older than the follow-up or its link may still come. A missing job ends it, unless it may be too new.
 */
export function observed(card: Card, what: Observation, nowMs: number): Card {
  if (what === 'unreadable') return card;
  const isEarly = isTooEarly(card.askedAt, nowMs);
  if (what === 'missing') return isEarly || howEnded(card) === 'gone' ? card : ended(card, 'gone');
  const { job, isLinkFinal } = what;
  const { state } = card;
  const last = howEnded(card) === 'unseen' ? jobOf(card) : undefined;
  const before = state.is === 'working' ? state.before : last;
  const isFromBefore = before !== undefined && isAsBefore(before, job);
  const isOver = isTerminal(job.status) && !(isFromBefore && isEarly) && (isLinkFinal || !lacksLink(job));
  const after = isOver
    ? ended(card, isFromBefore ? 'unseen' : endOf(job), job)
    : watched(working(unended(card), job, before), 'until' in state ? state.until : undefined);
  return JSON.stringify(state) === JSON.stringify(after.state) ? card : after;
}
