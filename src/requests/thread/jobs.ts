import { type Card, jobOf } from '../card/card.ts';
import { hasJob } from './claims.ts';
import { isBound, type PostedCard } from './find.ts';

/* The jobs that cards name. */

export function newestJob(cards: readonly PostedCard[]) {
  const card = cards.findLast(hasJob)?.card;
  const job = card && jobOf(card);
  return job && { jobId: job.id, askedAt: card.askedAt, card };
}

/** Whether a card's job is running without a pull request, so it may open one. */
export function mayOpenPull(posted: PostedCard): boolean {
  const { state } = posted.card;
  return isBound(posted) && state.is === 'working' && state.job.prLink === null;
}

/**
 * Whether this workflow made a request with `continue: repository`. The repository may have had
 * another name then.
 */
export function isOfSeries({ series }: Card, { workflow }: { readonly workflow: string }): boolean {
  return series !== undefined && fileOf(series) === fileOf(workflow);
}

/** A workflow's file, without the owner and the name of its repository. */
function fileOf(workflow: string): string {
  return workflow.split('/').slice(2).join('/');
}
