import { nameOfPullRequest } from '../core/address.ts';
import { isAppLogin } from '../core/login.ts';
import { medianOf } from '../core/median.ts';
import {
  type Card,
  endingOf,
  howEnded,
  isUnanswered,
  jobOf,
  pullRequestOf,
} from '../requests/card/card.ts';
import { pullOf } from '../requests/card/pull.ts';
import type { Settled } from '../requests/follow/pull.ts';
import { mergeReads, type PostedCard } from '../requests/thread/find.ts';
import { sendTimes } from '../requests/thread/requests.ts';
import { pluralize } from '../text/counts.ts';
import { dayMs, formatDuration, formatTime } from '../text/duration.ts';
import { code, joinTexts, paragraphs, table } from '../text/markdown.ts';
import { type CollectConfig, maxAgeMs } from './inputs.ts';

const maxLedgerMs = 30 * dayMs;

/** What the last requests led to. Every request is in exactly one of `results` and `failures`. */
export type Ledger = NonNullable<ReturnType<typeof makeLedger>>;

/** The rows of requests that didn't fail. */
const rows = {
  merged: 'Merged',
  waiting: 'Waiting for review',
  closed: 'Closed without merging',
  noPullRequest: 'No pull request needed',
  running: 'Still running',
  unconfirmed: 'Unconfirmed',
};

/**
 * Creates the ledger, for `result.ledger`, from all requests and what became of those that the run
 * has settled; `undefined` without requests.
 */
export function makeLedger(
  requests: readonly PostedCard[],
  settled: readonly Settled[],
  config: CollectConfig,
  nowMs: number,
) {
  const sinceMs = nowMs - Math.min(maxAgeMs(config.collectSince), maxLedgerMs);
  const after = settled.map(({ posted, card }) => ({ ...posted, card }));
  const cards = mergeReads(requests, after)
    .filter((request) => sendTimes(request, nowMs).some((time) => time >= sinceMs))
    .map(({ card }) => card);
  if (cards.length === 0) return undefined;
  const people = new Set<string>();
  for (const { requester } of cards)
    if (requester !== undefined && !isAppLogin(requester)) people.add(requester);
  const pulls = listPulls(cards);
  const inState = (state: Pull['state']) => pulls.filter((pull) => pull.state === state);
  return {
    since: new Date(sinceMs).toISOString(),
    requests: cards.length,
    people: people.size,
    ...countRows(cards),
    pullRequests: {
      all: pulls.length,
      merged: inState('merged').length,
      published: pulls.filter(({ checks }) => checks?.is === 'published').length,
      open: inState('open').length,
      closed: inState('closed').length,
    },
    medianToReadyMs: medianBetween(pulls, 'askedAt', 'openedAt'),
    medianToMergedMs: medianBetween(pulls, 'openedAt', 'mergedAt'),
  };
}

function countRows(cards: readonly Card[]) {
  const results: Record<string, number> = {};
  const failures: Record<string, number> = {};
  for (const row of Object.keys(rows)) results[row] = 0;
  for (const card of cards) {
    const row = chooseRow(card);
    const counts = row in rows ? results : failures;
    counts[row] = (counts[row] ?? 0) + 1;
  }
  return { results, failures };
}

/** Where a request is counted: in a row, or under the reason of its failure. */
function chooseRow(card: Card) {
  const { state, stop } = card;
  // This run has ended those whose process was lost.
  if (isUnanswered(card)) return 'running';
  if (state.is === 'working' && stop?.reason !== 'given-up') return 'running';
  if (howEnded(card) === 'unconfirmed') return 'unconfirmed';
  const ending = endingOf(card);
  if (ending?.outcome === 'no-changes') return 'noPullRequest';
  if (ending?.outcome === 'pr-created') {
    const pull = pullOf(card);
    if (pull?.state === 'merged' || pull?.state === 'closed') return pull.state;
    return 'waiting';
  }
  return ending?.reason ?? 'running';
}

type Pull = ReturnType<typeof listPulls>[number];

/** What is known about each pull request, and when it was first asked for. */
function listPulls(cards: readonly Card[]) {
  const requestsByPull = Map.groupBy(cards, (card) => {
    const url = pullRequestOf(jobOf(card))?.url;
    return url && nameOfPullRequest(url);
  });
  requestsByPull.delete(undefined);
  return Array.from(requestsByPull.values(), (requests) => {
    // Its newest request knows best.
    const known = requests.map(pullOf).findLast((pull) => pull !== undefined);
    return { ...known, askedAt: requests[0]?.askedAt };
  });
}

/** The median time between two events, of the pull requests with both; `null` if there are none. */
function medianBetween(
  pulls: readonly Pull[],
  from: 'askedAt' | 'openedAt',
  to: 'openedAt' | 'mergedAt',
) {
  const times: number[] = [];
  for (const pull of pulls) {
    const start = pull[from];
    const end = pull[to];
    // A request may go to a pull request that was opened before.
    if (start !== undefined && end !== undefined && start <= end) times.push(end - start);
  }
  return times.length === 0 ? null : medianOf(times);
}

/**
 * How many pull requests couldn't be read, mostly because the token can't see them. Their requests
 * count as waiting.
 */
function countUnseen({ pullRequests: pulls }: Ledger) {
  return pulls.all - pulls.merged - pulls.open - pulls.closed;
}

export function writeLedgerTitle(ledger: Ledger): string {
  const { all, merged } = ledger.pullRequests;
  const requests = pluralize(ledger.requests, 'request');
  const parts: string[] = [];
  if (all === 0) parts.push(`${requests}, no pull request yet`);
  else parts.push(`${requests} became ${pluralize(all, 'pull request')}`);
  const verb = merged === 1 ? 'is' : 'are';
  if (all > countUnseen(ledger)) parts.push(`${merged} ${verb} merged`);
  const failed = Object.values(ledger.failures).reduce((sum, count) => sum + count, 0);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join('; ');
}

/** The ledger as a table whose rows add up to the requests, and how long it took. */
export function writeLedger(ledger: Ledger): string {
  const day = formatTime(Date.parse(ledger.since)).replace(/,.*/, '');
  const lines = [[`**Requests**${nameRequesters(ledger.people)}`, `**${ledger.requests}**`]];
  for (const [row, name] of Object.entries(rows)) {
    const count = ledger.results[row];
    if (count) lines.push([name, `${count}`]);
  }
  for (const [reason, count] of Object.entries(ledger.failures)) {
    lines.push([`Failed (${code(reason)})`, `${count}`]);
  }
  const remarks = [
    describeMedian('From a request to its pull request', ledger.medianToReadyMs),
    describeMedian('From a pull request to its merge', ledger.medianToMergedMs),
    describeUnseen(countUnseen(ledger)),
  ];
  return paragraphs([table([`Since ${day}`, ''], lines, 1), joinTexts(remarks)]);
}

function nameRequesters(people: number) {
  if (people === 0) return '';
  if (people === 1) return ', by 1 person';
  return `, by ${people} people`;
}

function describeMedian(way: string, ms: number | null) {
  if (ms === null) return '';
  return `${way}: ${formatDuration(ms)} (median).`;
}

function describeUnseen(unseen: number) {
  if (unseen === 0) return '';
  const them = unseen === 1 ? 'it' : 'them';
  return (
    `${pluralize(unseen, 'pull request')} couldn’t be read, ` +
    `so the table counts ${them} as waiting for review.`
  );
}
