import { explainInLines } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { type Card, type Ending, endingOf, jobOf, pullRequestOf } from '../requests/card/card.ts';
import { factsOf, foldedRemarksOf, remarksIn, restOfText } from '../requests/card/comment.ts';
import { tookMs } from '../requests/card/phrases.ts';
import { pullRequestDetails } from '../requests/card/pull.ts';
import { styleOf, wordsFor } from '../requests/card/situation.ts';
import { outputsOf } from '../requests/run/outputs.ts';
import type { Run } from '../requests/run/run.ts';
import { formatDuration } from '../text/duration.ts';
import { cell, codeBlock, joinTexts, paragraphs, table } from '../text/markdown.ts';
import { linkTo, say, toMarkdown, toPlain } from '../text/phrase.ts';
import type { AgentConfig } from './inputs.ts';
import { whySkipped } from './texts.ts';

export function resultOf({ failOn }: Pick<AgentConfig, 'failOn'>, run: Run): ModeResult<'agent'> {
  const { card } = run;
  const ending: Ending = endingOf(card) ?? { outcome: 'failed', reason: 'unconfirmed' };
  const { outcome, reason } = ending;
  const isError = outcome === 'failed' && reason !== 'job-failed';
  // GitHub marks a canceled run as canceled, so its step doesn't have to fail.
  const red = !run.deps.signal.aborted && (isError || failOn.has(outcome));
  const level = red ? 'error' : styleOf(card).level;
  return {
    result: {
      outcome,
      reason,
      mode: 'agent',
      job: jobDetails(card),
      pullRequest: pullRequestDetails(card),
      commentUrl: card.comment?.url ?? null,
      followUp: card.ask === 'message',
      durationMs: Math.round(run.deps.clock.monotonic() - run.beganAtMs),
      error: ending.error && explainInLines(ending.error),
    },
    outputs: outputsOf(card),
    summary: summaryOf(ending, run),
    message: { level, title: 'Docs Agent', text: logText(ending, run) },
    red,
  };
}

function jobDetails(card: Card) {
  const job = jobOf(card);
  if (job === undefined) return null;
  const { model = null, source = null } = job;
  return { id: job.id, status: job.status, model, source };
}

/** The job summary. A skipped run has one only if it skipped a change. */
function summaryOf(ending: Ending, run: Run) {
  const { card } = run;
  const { outcome, because } = ending;
  if (outcome === 'skipped') return because && `### ☑️ Nothing was sent\n\n${because}\n`;
  const rows = [...factsOf(card), ...linksOf(outcome, card)].map((row) => row.map(cell));
  const parts = [
    ...openingOf(run),
    '<details><summary>Details</summary>',
    ...foldedRemarksOf(card),
    ...remarksIn(card, 'summary'),
    table(['Outcome', `\`${outcome}\` (\`${ending.reason}\`)`], rows),
    card.prompt === undefined ? '' : codeBlock(card.prompt),
    '</details>',
  ];
  return `${paragraphs(parts)}\n`;
}

/** How long the request took, and what it led to, as rows of a table. */
function linksOf(outcome: Ending['outcome'], card: Card): string[][] {
  const rows: string[][] = [];
  const duration = tookMs(card);
  if (duration !== undefined) rows.push(['Time taken', formatDuration(duration)]);
  const pull = pullRequestOf(jobOf(card));
  // If this request created the pull request, the headline already links it.
  if (pull !== undefined && outcome !== 'pr-created') {
    const name = pull.number === '' ? 'Open it' : `#${pull.number}`;
    rows.push(['Pull request', `[${name}](<${pull.url}>)`]);
  }
  if (card.comment !== undefined) {
    // A card that its thread doesn't show has no thread anymore.
    const name = card.thread === undefined ? 'Open it' : `#${card.thread}`;
    rows.push(['Status comment', `[${name}](<${card.comment.url}>)`]);
  }
  return rows;
}

/**
 * The part of the status comment that isn't collapsed: its first line as a heading, and the rest.
 */
function openingOf({ card, answer }: Run) {
  if (card.answer !== undefined) {
    const [first, ...rest] = card.answer.split('\n');
    const heading = answer === undefined ? first : toMarkdown(answer, false);
    return [`### ${heading}`, rest.join('\n').trim()];
  }
  const words = wordsFor(card, thereIn(card));
  return [`### ${toMarkdown(words.signed, false)}`, restOfText(card, words)];
}

function thereIn({ comment, thread }: Card) {
  const name = `#${thread}`;
  if (comment === undefined) return say`in ${name}`;
  return say`in ${linkTo(name, comment.url)}`;
}

function logText(ending: Ending, run: Run) {
  const { card } = run;
  const { error } = ending;
  const why = whySkipped(ending);
  if (why !== undefined) return `Skipped: ${why}`;
  if (card.answer !== undefined && error === undefined) {
    if (run.answer === undefined) return 'The thread has the reply.';
    return toPlain(run.answer);
  }
  const words = wordsFor(card, thereIn(card));
  const pull = pullRequestOf(jobOf(card));
  const link = pull && `Pull request: ${pull.url}`;
  const next = words.next.map(toPlain);
  return joinTexts([toPlain(words.line), words.cause, error?.text, ...next, link], '\n');
}
