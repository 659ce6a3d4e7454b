import type { ModeResult } from '../core/mode-result.ts';
import { endingOf, jobOf } from '../requests/card/card.ts';
import { pullRequestDetails } from '../requests/card/pull.ts';
import { wordsFor } from '../requests/card/situation.ts';
import type { settle } from '../requests/follow/settle.ts';
import { askedAtMs, type Settled } from '../requests/follow/settled.ts';
import { counted } from '../text/counts.ts';
import { cell, code, joined, paragraphs, table } from '../text/markdown.ts';
import { toMarkdown } from '../text/phrase.ts';
import type { CollectConfig } from './inputs.ts';
import { type Ledger, ledgerText, ledgerTitle } from './ledger.ts';

/** The log has the others, and the table has every request. */
const maxReasons = 5;

/** What the result contains besides the requests. The texts are Markdown sentences. */
type Remains = Omit<Awaited<ReturnType<typeof settle>>, 'settled'> & {
  /** What the run didn't check. */
  readonly unread: readonly string[];
  readonly ledger: Ledger | undefined;
};

export function collectedResult(
  all: readonly Settled[],
  { isCanceled, unread, whyPostponed, notes, reminders, ledger }: Remains,
  { failOn, projects }: CollectConfig,
): ModeResult<'collect'> {
  const byKind = Object.groupBy(all, ({ is }) => is);
  const { saved: finished = [], working = [], postponed = [], refused = [] } = byKind;
  const why = [...whyPostponed.slice(0, maxReasons), 'The next run tries again.'].join(' ');
  const missing = postponed.length === 0 ? unread : [why, ...unread];
  const isComplete = missing.length === 0;
  const red = !isCanceled && !isComplete && failOn.has('incomplete');
  const givenUp = finished.filter(({ card }) => card.stop?.reason === 'given-up').length;
  const did = [
    finished.length > 0 && `updated ${counted(finished.length, 'comment')}`,
    reminders > 0 && `posted ${counted(reminders, 'reminder')}`,
    givenUp > 0 && `gave up on ${counted(givenUp, 'job')}`,
  ].filter((part) => part !== false);
  const acts = new Intl.ListFormat('en').format(did);
  const running = working.length > 0 && `${counted(working.length, 'job')} still running`;
  const left =
    postponed.length > 0 &&
    `${counted(postponed.length, 'request')} couldn’t be checked or updated`;
  const said = joined([left, acts, running], '; ') || 'nothing to collect';
  const headline = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  const title = ledger === undefined ? headline : ledgerTitle(ledger);
  const [rows, isNamed] = [[...finished, ...working], projects.length > 1];
  const refusedNote = `Status comments left unchanged, because their threads are locked or GitHub doesn’t let this token edit them: ${refused.length}.`;
  const problems = [...missing, ...notes, ...(refused.length > 0 ? [refusedNote] : [])];
  const lines = [...postponed, ...rows].map((settled) => rowOf(settled, isNamed));
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
      ledger === undefined ? '' : ledgerText(ledger),
      ledger === undefined || acts === '' ? '' : `**This run** ${acts}.`,
      lines.length === 0 ? '' : table(columns, lines),
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
