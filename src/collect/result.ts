import { medianOf } from '../core/median.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { isAppLogin } from '../core/sign.ts';
import { type Card, endingOf, jobOf, pullRequestOf } from '../requests/card/card.ts';
import { pullOf, pullRequestDetails } from '../requests/card/pull.ts';
import { wordsFor } from '../requests/card/situation.ts';
import { askedAtMs, type Settled } from '../requests/follow/settle.ts';
import { sendTimes } from '../requests/thread/claims.ts';
import type { PostedCard } from '../requests/thread/find.ts';
import { counted } from '../text/counts.ts';
import { dayMs, formatDuration, formatTime } from '../text/duration.ts';
import { cell, code, joined, paragraphs, table } from '../text/markdown.ts';
import { toMarkdown } from '../text/phrase.ts';
import type { CollectConfig } from './inputs.ts';

/** The log has the others, and the table has every request. */
const maxReasons = 5;
/** How far back the ledger goes at most. */
export const ledgerMs = 30 * dayMs;

type Ledger = NonNullable<ReturnType<typeof ledgerOf>>;

/** What the result contains besides the requests. The texts are Markdown sentences. */
interface Remains {
  /** Whether the run was canceled while it wrote to GitHub. */
  readonly isCanceled: boolean;
  /** What the run didn't check. */
  readonly unread: readonly string[];
  /** Why some status comments are left for the next run. */
  readonly whyPostponed: readonly string[];
  /** Problems that no later run can fix. */
  readonly notes: readonly string[];
  readonly reminders: number;
  readonly ledger: Ledger | undefined;
}

/** The result of a run in collect mode. */
export function collectedResult(
  all: readonly Settled[],
  { isCanceled, unread, whyPostponed, notes, reminders, ledger }: Remains,
  { failOn, projects }: CollectConfig,
): ModeResult<'collect'> {
  const ofKind = (kind: Settled['is']) => all.filter(({ is }) => is === kind);
  const [finished, working, postponed] = [ofKind('saved'), ofKind('working'), ofKind('postponed')];
  const why = [...whyPostponed.slice(0, maxReasons), 'The next run tries again.'].join(' ');
  const missing = postponed.length === 0 ? unread : [why, ...unread];
  const isComplete = missing.length === 0;
  const red = !isCanceled && !isComplete && failOn.has('incomplete');
  const givenUp = finished.filter(({ card }) => card.stop?.reason === 'given-up').length;
  const parts = [
    postponed.length > 0 && `${counted(postponed.length, 'request')} couldn’t be checked or updated`,
    `${counted(finished.length, 'comment')} updated`,
    reminders > 0 && `${counted(reminders, 'reminder')} posted`,
    (working.length > 0 || isComplete) && `${counted(working.length, 'job')} still running`,
    givenUp > 0 && `gave up on ${counted(givenUp, 'job')}`,
  ];
  const headline = joined(parts, ', ');
  const isIdle = finished.length + working.length + reminders === 0 && isComplete && notes.length === 0;
  const title = isIdle ? 'Nothing to collect' : headline;
  const [rows, isNamed] = [[...finished, ...working], projects.length > 1];
  const locked = ofKind('locked').length;
  const lockedNote = `Status comments left unchanged, because their threads are locked: ${locked}.`;
  const problems = [...missing, ...notes, ...(locked > 0 ? [lockedNote] : [])];
  const columns = [...(isNamed ? ['Project'] : []), 'Request', 'Result'];
  return {
    result: {
      mode: 'collect',
      outcome: isCanceled ? 'failed' : 'collected',
      reason: isCanceled ? 'cancelled' : isComplete ? 'complete' : 'incomplete',
      finished: finished.length,
      stillActive: working.length,
      reminders,
      left: postponed.length,
      jobs: rows.map((settled) => detailsOf(settled, isNamed)),
      ...(ledger && { ledger }),
    },
    outputs: { finished: `${finished.length}`, 'still-active': `${working.length}` },
    summary: `${paragraphs([
      `### ${title}`,
      problems.length === 0 ? '' : ['> [!WARNING]', ...problems].join('\n> '),
      rows.length + postponed.length === 0
        ? ''
        : table(
            columns,
            [...postponed, ...rows].map((settled) => rowOf(settled, isNamed)),
          ),
      ledger === undefined ? '' : ledgerText(ledger),
    ])}\n`,
    message: {
      level: red ? 'error' : isComplete ? 'info' : 'warning',
      title: isComplete ? 'Docs Agent' : 'Not everything was collected',
      text: [`${headline}.`, ...missing].join('\n'),
    },
    red,
  };
}

function rowOf({ open, card, is }: Settled, isNamed: boolean): string[] {
  const isRunning = is === 'working' && jobOf(card) !== undefined;
  return [
    ...(isNamed ? [code(open.owner.project.name)] : []),
    `[#${open.comment.thread}](<${open.comment.url}>)`,
    is === 'postponed'
      ? '⚠️ Left for the next run.'
      : isRunning
        ? '⏳ Still running.'
        : toMarkdown(wordsFor(card).signed, false),
  ].map(cell);
}

function detailsOf({ open, card, is }: Settled, isNamed: boolean) {
  const ending = is === 'working' ? undefined : endingOf(card);
  return {
    ...(isNamed ? { project: open.owner.project.id } : {}),
    thread: open.comment.thread,
    commentUrl: open.comment.url,
    jobId: jobOf(card)?.id ?? null,
    askedAt: new Date(askedAtMs(open)).toISOString(),
    outcome: ending?.outcome ?? null,
    reason: ending?.reason ?? null,
    pullRequest: ending === undefined ? null : pullRequestDetails(card),
  };
}

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
function ledgerText({ since, requests, people, ...ledger }: Ledger): string {
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
