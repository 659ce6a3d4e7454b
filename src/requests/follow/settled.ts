import type { Card } from '../card/card.ts';
import type { PullSighting } from '../card/pull.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Saved } from '../thread/saver.ts';

/** A request after a run that didn't watch it has checked its job and its pull request. */
export interface Settled {
  /** The status comment as the run found it. */
  readonly posted: PostedCard;
  readonly card: Card;
  readonly pull?: PullSighting | undefined;
  /** `waiting`: only the pull request is still open. */
  readonly is: 'working' | 'waiting' | Saved;
}
