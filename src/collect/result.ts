import type { ModeResult } from '../core/mode-result.ts';
import { endingOf, jobOf } from '../requests/card/card.ts';
import { pullRequestDetails } from '../requests/card/pull.ts';
import { wordsFor } from '../requests/card/situation.ts';
import type { Settled } from '../requests/follow/pull.ts';
import type { settle } from '../requests/follow/settle.ts';
import type { findCards } from '../requests/thread/find.ts';
import { askedAtMs } from '../requests/thread/requests.ts';
import { formatCount, joinWithAnd, pluralize } from '../text/counts.ts';
import { cell, code, paragraphs, table } from '../text/markdown.ts';
import { toMarkdown } from '../text/phrase.ts';
import type { CollectConfig } from './inputs.ts';
import { type Ledger, writeLedger, writeLedgerTitle } from './ledger.ts';

/** The log has the others, and the table has every request. */
const maxReasons = 5;

const complete = { reason: 'complete', level: 'info', title: 'Docs Agent' } as const;
const incomplete = {
  reason: 'incomplete',
  level: 'warning',
  title: 'Not everything was collected',
} as const;

/** What a run did. `notes` are Markdown sentences. */
type Collected = Awaited<ReturnType<typeof settle>> &
  Pick<Awaited<ReturnType<typeof findCards>>, 'comments' | 'isWhole'> & {
    readonly ledger?: Ledger | undefined;
  };

export function buildCollectResult(
  collected: Collected,
  config: CollectConfig,
): ModeResult<'collect'> {
  const { reminders, ledger } = collected;
  const groups = Object.groupBy(collected.settled, ({ is }) => is);
  const finished = groups.saved ?? [];
  const working = groups.working ?? [];
  const postponed = groups.postponed ?? [];
  const refused = groups.refused ?? [];

  const missing = explainMissing(collected, postponed.length);
  const verdict = missing.length === 0 ? complete : incomplete;
  const red = verdict === incomplete && config.failOn.has('incomplete');

  const acts = listActs(finished, reminders);
  const headline = writeHeadline(acts, working.length, postponed.length);
  const problems = [...missing, ...collected.notes];
  if (refused.length > 0) problems.push(explainRefused(refused.length));
  const isNamed = config.projects.length > 1;
  const rows = [...postponed, ...finished, ...working].map((each) => listCells(each, isNamed));

  const summary: string[] = [];
  if (ledger === undefined) summary.push(`### ${headline}`);
  else summary.push(`### ${writeLedgerTitle(ledger)}`);
  if (problems.length > 0) summary.push(['> [!WARNING]', ...problems].join('\n> '));
  if (ledger !== undefined) {
    summary.push(writeLedger(ledger));
    if (acts !== '') summary.push(`**This run** ${acts}.`);
  }
  const columns = ['Request', 'Result'];
  if (isNamed) columns.unshift('Project');
  if (rows.length > 0) summary.push(table(columns, rows));

  return {
    result: {
      mode: 'collect',
      outcome: 'collected',
      reason: verdict.reason,
      finished: finished.length,
      stillActive: working.length,
      reminders,
      left: postponed.length,
      jobs: [...finished, ...working].map((request) => detailsOf(request, isNamed)),
      ledger,
    },
    outputs: { finished: `${finished.length}`, 'still-active': `${working.length}` },
    summary: `${paragraphs(summary)}\n`,
    message: {
      level: red ? 'error' : verdict.level,
      title: verdict.title,
      text: [`${headline}.`, ...missing].join('\n'),
    },
    red,
  };
}

/** What the run didn't check or update, as Markdown sentences. */
function explainMissing(collected: Collected, postponed: number) {
  const missing: string[] = [];
  if (postponed > 0) {
    const reasons = collected.whyPostponed.slice(0, maxReasons);
    missing.push([...reasons, 'The next run tries again.'].join(' '));
  }
  if (!collected.isWhole) {
    const comments = formatCount(collected.comments);
    missing.push(
      `Only the ${comments} newest comments were read. ` +
        'Lower `collect-since` so that fewer have to be read.',
    );
  }
  return missing;
}

function explainRefused(refused: number) {
  return (
    'Status comments left unchanged, because their threads are locked ' +
    `or GitHub doesn’t let this token edit them: ${refused}.`
  );
}

/** What the run did, as part of a sentence; `''` for nothing. */
function listActs(finished: readonly Settled[], reminders: number) {
  const givenUp = finished.filter(({ card }) => card.stop?.reason === 'given-up').length;
  const acts: string[] = [];
  if (finished.length > 0) acts.push(`updated ${pluralize(finished.length, 'comment')}`);
  if (reminders > 0) acts.push(`posted ${pluralize(reminders, 'reminder')}`);
  if (givenUp > 0) acts.push(`gave up on ${pluralize(givenUp, 'job')}`);
  return joinWithAnd(acts);
}

function writeHeadline(acts: string, working: number, postponed: number) {
  const parts: string[] = [];
  if (postponed > 0)
    parts.push(`${pluralize(postponed, 'request')} couldn’t be checked or updated`);
  if (acts !== '') parts.push(acts);
  if (working > 0) parts.push(`${pluralize(working, 'job')} still running`);
  if (parts.length === 0) parts.push('nothing to collect');
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The row of a request in the table. */
function listCells(request: Settled, isNamed: boolean) {
  const { comment, owner } = request.posted;
  const cells = [`[#${comment.thread}](<${comment.url}>)`, describeEnd(request)];
  if (isNamed) cells.unshift(code(owner.project.name));
  return cells.map(cell);
}

function describeEnd({ is, card }: Settled) {
  if (is === 'postponed') return '⚠️ Left for the next run.';
  if (is === 'working' && jobOf(card) !== undefined) return '⏳ Still running.';
  return toMarkdown(wordsFor(card).signed, false);
}

/** A request as the `result` output describes it. */
function detailsOf({ posted, card, is }: Settled, isNamed: boolean) {
  const ending = is === 'working' ? undefined : endingOf(card);
  return {
    project: isNamed ? posted.owner.project.id : undefined,
    thread: posted.comment.thread,
    commentUrl: posted.comment.url,
    jobId: jobOf(card)?.id ?? null,
    askedAt: new Date(askedAtMs(posted)).toISOString(),
    outcome: ending?.outcome ?? null,
    reason: ending?.reason ?? null,
    pullRequest: ending === undefined ? null : pullRequestDetails(card),
  };
}
