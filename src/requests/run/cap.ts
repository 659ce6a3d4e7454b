import { ActionError, badInput, inOurWords } from '../../core/errors.ts';
import { GitHubError } from '../../github/errors.ts';
import { counted } from '../../text/counts.ts';
import { dayMs, formatTime } from '../../text/duration.ts';
import type { Card } from '../card/card.ts';
import { stopped } from '../card/transitions.ts';
import { isSameRequest } from '../thread/claims.ts';
import { cardsIn, requestsIn, sendTimes } from '../thread/repository-cards.ts';
import type { Cap } from './next.ts';
import type { Run } from './run.ts';

const maxPages = 30;
const minuteMs = 60_000;
const permission = 'Add `issues: read` or `pull-requests: read` to this job’s `permissions`.';
const edit = 'To change the cap, edit `max-jobs` in the workflow.';
const tooMany =
  'Use a shorter period in `max-jobs`, such as `20 per day`. If it’s already `per day`, wait, or remove `max-jobs`.';

/**
 * Counts the requests that this repository may have sent in these days. At the cap, or with too many comments, stops the card.
 * @throws ActionError if the comments can't be read; InputError without a token.
 */
export async function countRequests(card: Card, { most, per, days }: Cap, run: Run) {
  const { github, clock, signal } = run.deps;
  if (github === undefined)
    throw badInput('github-token', 'is missing', '`max-jobs` needs it to count requests.');
  const sinceMs = clock.now() - days * dayMs;
  const options = { sinceMs, maxPages };
  const read = await github.readRepositoryComments(options, signal).catch((error: unknown) => {
    if (!(error instanceof GitHubError)) throw error;
    const hint = error.lacks === 'permission' ? permission : inOurWords(error);
    const details = { doing: error.doing, said: error.said, hint };
    throw new ActionError('github-error', 'The requests couldn’t be counted for `max-jobs`', details);
  });
  if (!read.isWhole) {
    const title = `There are too many comments to count the requests of the last ${per} for \`max-jobs\``;
    return { card: refused(card, title, tooMany), left: 0 };
  }
  const { cards, unreadable } = cardsIn(read.comments, run.owner);
  const sent = requestsIn(cards)
    // Another run may already work on this request. It must not cap itself.
    .flatMap(({ last }) => (isSameRequest(last.card, card) ? [] : sendTimes(last)));
  const all = [...sent, ...unreadable.map(({ comment }) => comment.createdAtMs)];
  const recent = all.filter((at) => at > sinceMs).toSorted((a, b) => a - b);
  const left = most - recent.length;
  const [freedBy] = recent.slice(-most);
  if (left > 0 || freedBy === undefined) return { card, left };
  const title = `The cap of ${counted(most, 'request')} a ${per} is reached`;
  const count = `Sent since ${formatTime(sinceMs)}: ${recent.length}.`;
  // At the end of that minute, it is free.
  const free = `The next request can be sent on ${formatTime(freedBy + days * dayMs + minuteMs)}.`;
  return { card: refused(card, title, `${count} ${free} ${edit}`), left: 0 };
}

function refused(card: Card, title: string, text: string): Card {
  const [reason, error] = ['max-jobs' as const, { title, text, markdown: text }];
  if (card.isCommand) return stopped(card, { outcome: 'denied', reason, error });
  return stopped(card, { outcome: 'skipped', reason, because: `${title}. ${text}` });
}
