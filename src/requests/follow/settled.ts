import type { Card } from '../card/card.ts';
import type { SeenPullRequest } from '../card/pull.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Saved } from '../thread/saver.ts';

/** A request after a run that didn't watch it has checked its job and its pull request. */
export interface Settled {
  /** The status comment as the run found it. */
  readonly open: PostedCard;
  readonly card: Card;
  readonly pullRequest?: SeenPullRequest | undefined;
  /** `waiting`: only the pull request is still open. */
  readonly is: 'working' | 'waiting' | Saved;
}

/** When the request was sent. For a claim, when it was posted. */
export function askedAtMs({ comment, card }: PostedCard): number {
  return card.askedAt ?? comment.createdAtMs;
}
