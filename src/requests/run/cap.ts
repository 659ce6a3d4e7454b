import { counted } from '../../text/counts.ts';
import { dayMs, formatTime } from '../../text/duration.ts';
import type { Card } from '../card/card.ts';
import { stopped } from '../card/transitions.ts';
import { requestsIn, sendTimes, unreadableIn } from '../thread/repository-cards.ts';
import { containsMarker } from '../thread/sign.ts';
import type { Cap } from './next.ts';
import type { Run } from './run.ts';

const mostPages = 30;
const edit = 'To change the cap, edit `max-jobs` in the workflow.';

/**
 * Counts the requests of the last days that this repository's status comments show to be sent, or that may have been sent. Returns
 * how many are left. At the cap, or if there are too many comments to count, the card is stopped.
 *
 * @throws GitHubError if the comments can't be read.
 */
export async function countRequests(card: Card, { most, per, days }: Cap, run: Run) {
  const { github, clock, signal } = run.deps;
  const sinceMs = clock.now() - days * dayMs;
  const read = await github?.readRepositoryComments({ sinceMs, maxPages: mostPages }, signal);
  const comments = read?.comments.filter(({ body }) => containsMarker(body)) ?? [];
  const sent = requestsIn(comments, run.owner).flatMap(({ last }) => sendTimes(last));
  const unreadable = unreadableIn(comments, run.owner).map(({ createdAtMs }) => createdAtMs);
  const recent = [...sent, ...unreadable]
    .filter((at) => at > sinceMs)
    .sort((first, second) => first - second);
  const left = most - recent.length;
  const [freedBy] = recent.slice(-most);
  if (read?.isWhole !== true) {
    const title = `There are too many comments to count the requests of the last ${per}`;
    return { card: refused(card, title, 'Set a shorter time in `max-jobs`, such as `20 per day`.'), left: 0 };
  }
  if (left > 0 || freedBy === undefined) return { card, left };
  const title = `The cap of ${counted(most, 'request')} a ${per} is reached`;
  const count = `Sent since ${formatTime(sinceMs)}: ${recent.length}.`;
  const free = `The next request is free on ${formatTime(freedBy + days * dayMs)}.`;
  return { card: refused(card, title, `${count} ${free} ${edit}`), left: 0 };
}

function refused(card: Card, title: string, text: string): Card {
  const [reason, error] = ['max-jobs' as const, { title, text, markdown: text }];
  if (card.isCommand) return stopped(card, { outcome: 'denied', reason, error });
  return stopped(card, { outcome: 'skipped', reason, because: `${title}. ${text}` });
}
