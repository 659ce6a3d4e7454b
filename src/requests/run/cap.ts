import { ActionError, badInput, inOurWords } from '../../core/errors.ts';
import { GitHubError } from '../../github/errors.ts';
import { dayMs } from '../../text/duration.ts';
import type { Card } from '../card/card.ts';
import { whyNot } from '../card/sentences.ts';
import { turnedDown } from '../card/transitions.ts';
import { isSameRequest, requestsIn, sendTimes } from '../thread/claims.ts';
import { find } from '../thread/find.ts';
import type { Run } from './run.ts';

const maxPages = 30;
const minuteMs = 60_000;
const permission = 'Add `issues: read` or `pull-requests: read` to this job’s `permissions`.';

/**
 * Counts the requests that this repository may have sent, if `max-jobs` caps them. At the cap, or with too many comments, stops
 * the card. A prompt that was already sent is never stopped.
 *
 * @throws ActionError if the comments can't be read; InputError without a token.
 */
export async function countRequests(card: Card, run: Run): Promise<Card> {
  const { cap, ask, owner } = run.plan;
  const { github, clock } = run.deps;
  if (cap === undefined || ask.prompt === undefined || card.sentBefore !== undefined) return card;
  if (github === undefined)
    throw badInput('github-token', 'is missing', '`max-jobs` needs it to count requests.');
  const sinceMs = clock.now() - cap.days * dayMs;
  const found = await find({ sinceMs, maxPages }, [owner], run.deps).catch((error: unknown) => {
    if (!(error instanceof GitHubError)) throw error;
    const hint = error.lacks === 'permission' ? permission : inOurWords(error);
    const details = { doing: error.doing, said: error.said, hint };
    throw new ActionError('github-error', 'The requests couldn’t be counted for `max-jobs`', details);
  });
  if (!found.isWhole) return turnedDown(card, 'max-jobs', whyNot.tooManyToCount(cap));
  const sent = requestsIn(found.ours)
    // Another run may already work on this request. It must not cap itself.
    .flatMap(({ last }) => (isSameRequest(last.card, card) ? [] : sendTimes(last)));
  const all = [...sent, ...found.newer.map(({ comment }) => comment.createdAtMs)];
  const recent = all.filter((at) => at > sinceMs).toSorted((a, b) => a - b);
  const [freedBy] = recent.slice(-cap.max);
  if (recent.length >= cap.max && freedBy !== undefined) {
    // At the end of that minute, it is free.
    const freeAtMs = freedBy + cap.days * dayMs + minuteMs;
    return turnedDown(card, 'max-jobs', whyNot.capReached(cap, recent.length, sinceMs, freeAtMs));
  }
  run.left = cap.max - recent.length;
  return card;
}
