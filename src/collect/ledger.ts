import { medianOf } from '../core/median.ts';
import { isAppLogin } from '../core/sign.ts';
import { type Card, endingOf, jobOf, pullRequestOf } from '../requests/card/card.ts';
import { pullOf } from '../requests/card/pull.ts';
import { sendTimes } from '../requests/thread/claims.ts';
import type { PostedCard } from '../requests/thread/find.ts';
import { counted } from '../text/counts.ts';
import { dayMs, formatDuration, formatTime } from '../text/duration.ts';
import { code, paragraphs, table } from '../text/markdown.ts';

export type Ledger = NonNullable<ReturnType<typeof ledgerOf>>;

/** How far back the ledger goes at most. */
export const ledgerMs = 30 * dayMs;

/** What the requests since a time led to, for the result's `ledger`. `posted` has the status comment of each request. */
export function ledgerOf(posted: readonly PostedCard[], sinceMs: number) {
  const isRecent = (at: number) => at >= sinceMs;
  const oldestFirst = posted.toSorted((first, second) => first.comment.id - second.comment.id);
  const cards = oldestFirst.filter((each) => sendTimes(each).some(isRecent)).map(({ card }) => card);
  if (cards.length === 0) return undefined;
  const byPull = Map.groupBy(cards, (card) => pullRequestOf(jobOf(card))?.url);
  byPull.delete(undefined);
  // When each pull request was first asked for, and what is known about it. Its newest request knows best.
  const pulls = [...byPull.values()].map((requests) => {
    const known: Partial<NonNullable<Card['pull']>> = requests.map(pullOf).findLast(Boolean) ?? {};
    return { ...known, askedAt: requests[0]?.askedAt };
  });
  const countOf = (is: (pull: (typeof pulls)[number]) => boolean) => pulls.filter(is).length;
  const failed = cards.map(endingOf).flatMap((end) => (end?.outcome === 'failed' ? end.reason : []));
  // A request may go to a pull request that was opened before.
  const times = (from: 'askedAt' | 'openedAt', to: 'openedAt' | 'mergedAt') =>
    pulls
      .map(({ [from]: begin = Number.NaN, [to]: end = Number.NaN }) => end - begin)
      .filter((ms) => ms >= 0);
  return {
    since: new Date(sinceMs).toISOString(),
    requests: oldestFirst.flatMap(sendTimes).filter(isRecent).length,
    people: new Set(cards.flatMap(({ requester = '[bot]' }) => (isAppLogin(requester) ? [] : requester)))
      .size,
    pullRequests: {
      merged: countOf(({ state }) => state === 'merged'),
      published: countOf(({ checks }) => checks?.is === 'published'),
      open: countOf(({ state }) => state === 'open'),
      closed: countOf(({ state }) => state === 'closed'),
    },
    medianToReadyMs: medianOf(times('askedAt', 'openedAt')) ?? null,
    medianToMergedMs: medianOf(times('openedAt', 'mergedAt')) ?? null,
    failures: Object.fromEntries(
      [...Map.groupBy(failed, (reason) => reason)].map(([reason, all]) => [reason, all.length]),
    ),
  };
}

/** The ledger in words: one sentence and a small table. */
export function ledgerText({ since, requests, people, ...ledger }: Ledger): string {
  const { merged, published, open, closed } = ledger.pullRequests;
  const time = (ms: number | null) => (ms === null ? '' : formatDuration(ms));
  const rows = [
    ['Published', published || ''],
    ['Still open', open || ''],
    ['Closed without merging', closed || ''],
    ['Median time to a pull request', time(ledger.medianToReadyMs)],
    ['Median time from there to the merge', time(ledger.medianToMergedMs)],
    ...Object.entries(ledger.failures).map(([reason, count]) => [`Failed: ${code(reason)}`, count]),
  ].flatMap(([name, value]) => (value === '' ? [] : [[`${name}`, `${value}`]]));
  const by = people === 0 ? '' : ` by ${people === 1 ? '1 person' : `${people} people`}`;
  const said = `**Since ${formatTime(Date.parse(since)).replace(/,.*/, '')}:** ${counted(requests, 'request')}${by}, ${counted(merged, 'pull request')} merged.`;
  return paragraphs([said, rows.length === 0 ? '' : table(['Metric', 'Value'], rows, 1)]);
}
