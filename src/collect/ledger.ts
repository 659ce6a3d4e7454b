import { isAppLogin } from '../core/login.ts';
import { medianOf } from '../core/median.ts';
import { type Card, endingOf, howEnded, jobOf, pullRequestOf } from '../requests/card/card.ts';
import { pullOf } from '../requests/card/pull.ts';
import type { PostedCard } from '../requests/thread/find.ts';
import { sendTimes } from '../requests/thread/requests.ts';
import { counted } from '../text/counts.ts';
import { dayMs, formatDuration, formatTime } from '../text/duration.ts';
import { code, joined, paragraphs, table } from '../text/markdown.ts';

export const ledgerMs = 30 * dayMs;

/** What the requests since a time led to. Every request is in exactly one of `results` and `failures`. */
export type Ledger = NonNullable<ReturnType<typeof ledgerOf>>;

/** The rows of requests that didn't fail. */
const rows = {
  merged: 'Merged',
  waiting: 'Waiting for review',
  closed: 'Closed without merging',
  noPullRequest: 'No pull request needed',
  running: 'Still running',
  unconfirmed: 'Unconfirmed',
};

/** Where a request is counted: in a row, or under the reason of its failure. */
function placeOf(card: Card): string {
  if (card.state.is === 'working' && card.stop?.reason !== 'given-up') return 'running';
  const { outcome, reason = 'unconfirmed' } = endingOf(card) ?? {};
  if (outcome === 'pr-created') {
    const { state } = pullOf(card) ?? {};
    return state === 'merged' || state === 'closed' ? state : 'waiting';
  }
  if (outcome === 'no-changes') return 'noPullRequest';
  const isSent =
    card.state.is === 'sent' || card.state.is === 'claimed' || howEnded(card) === 'unconfirmed';
  return isSent ? 'unconfirmed' : reason;
}

/** Creates the ledger, for `result.ledger`; `undefined` without requests. `posted` has the status comment of each request. */
export function ledgerOf(posted: readonly PostedCard[], sinceMs: number) {
  const oldestFirst = posted.toSorted((first, second) => first.comment.id - second.comment.id);
  const cards = oldestFirst
    .filter((each) => sendTimes(each).some((at) => at >= sinceMs))
    .map(({ card }) => card);
  if (cards.length === 0) return undefined;
  const counts = new Map(
    [...Map.groupBy(cards, placeOf)].map(([place, all]) => [place, all.length]),
  );
  const byPull = Map.groupBy(cards, (card) => pullRequestOf(jobOf(card))?.url);
  byPull.delete(undefined);
  // When each pull request was first asked for, and what is known about it. Its newest request knows best.
  const pulls = [...byPull.values()].map((requests) => {
    const known: Partial<NonNullable<Card['pull']>> = requests.map(pullOf).findLast(Boolean) ?? {};
    return { ...known, askedAt: requests[0]?.askedAt };
  });
  const people = new Set(
    cards.flatMap(({ requester = '[bot]' }) => (isAppLogin(requester) ? [] : requester)),
  );
  const countOf = (is: (pull: (typeof pulls)[number]) => boolean) => pulls.filter(is).length;
  // A request may go to a pull request that was opened before.
  const times = (from: 'askedAt' | 'openedAt', to: 'openedAt' | 'mergedAt') =>
    pulls
      .map(({ [from]: begin = Number.NaN, [to]: end = Number.NaN }) => end - begin)
      .filter((ms) => ms >= 0);
  return {
    since: new Date(sinceMs).toISOString(),
    requests: cards.length,
    people: people.size,
    results: Object.fromEntries(Object.keys(rows).map((row) => [row, counts.get(row) ?? 0])),
    failures: Object.fromEntries([...counts].filter(([place]) => !(place in rows))),
    pullRequests: {
      all: pulls.length,
      merged: countOf(({ state }) => state === 'merged'),
      published: countOf(({ checks }) => checks?.is === 'published'),
      open: countOf(({ state }) => state === 'open'),
      closed: countOf(({ state }) => state === 'closed'),
    },
    medianToReadyMs: medianOf(times('askedAt', 'openedAt')) ?? null,
    medianToMergedMs: medianOf(times('openedAt', 'mergedAt')) ?? null,
  };
}

/** How many pull requests couldn't be read, mostly because the token can't see them. Their requests count as waiting. */
const unseenIn = ({ all, merged, open, closed }: Ledger['pullRequests']) =>
  all - merged - open - closed;

export function ledgerTitle({ requests, pullRequests, failures }: Ledger): string {
  const { all, merged } = pullRequests;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const seen = all - unseenIn(pullRequests);
  const became = all === 0 ? ', no pull request yet' : ` became ${counted(all, 'pull request')}`;
  const ended = seen > 0 && `${merged} ${merged === 1 ? 'is' : 'are'} merged`;
  return joined(
    [`${counted(requests, 'request')}${became}`, ended, failed > 0 && `${failed} failed`],
    '; ',
  );
}

/** The ledger as a table whose rows add up to the requests, and how long it took. */
export function ledgerText({ since, requests, people, results, ...ledger }: Ledger): string {
  const unseen = unseenIn(ledger.pullRequests);
  const by = people === 0 ? '' : `, by ${people === 1 ? '1 person' : `${people} people`}`;
  const ended = Object.entries(rows).map(([row, name]) => [name, results[row] ?? 0] as const);
  const failed = Object.entries(ledger.failures).map(
    ([reason, count]) => [`Failed (${code(reason)})`, count] as const,
  );
  const lines = [...ended, ...failed].flatMap(([name, count]) =>
    count > 0 ? [[name, `${count}`]] : [],
  );
  const total = [`**Requests**${by}`, `**${requests}**`];
  const times = [
    ['From a request to its pull request', ledger.medianToReadyMs] as const,
    ['From a pull request to its merge', ledger.medianToMergedMs] as const,
  ].map(([what, ms]) => ms !== null && `${what}: ${formatDuration(ms)} (median).`);
  return paragraphs([
    table([`Since ${formatTime(Date.parse(since)).replace(/,.*/, '')}`, ''], [total, ...lines], 1),
    joined([
      ...times,
      unseen > 0 &&
        `${counted(unseen, 'pull request')} couldn’t be read, so the table counts ${unseen === 1 ? 'it' : 'them'} as waiting for review.`,
    ]),
  ]);
}
