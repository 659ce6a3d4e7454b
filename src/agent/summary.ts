import { inLines } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { type Card, type Ending, endingOf, jobOf, pullRequestOf } from '../requests/card/card.ts';
import { factsOf, foldedRemarksOf, remarksIn, restOfText } from '../requests/card/comment.ts';
import { tookMs } from '../requests/card/phrases.ts';
import { pullRequestDetails } from '../requests/card/pull.ts';
import { shownAs, wordsFor } from '../requests/card/situation.ts';
import { outputsOf } from '../requests/run/outputs.ts';
import type { Run } from '../requests/run/run.ts';
import { formatDuration } from '../text/duration.ts';
import { cell, fenced, joined, paragraphs, table } from '../text/markdown.ts';
import { linkTo, type Phrase, say, toMarkdown, toPlain } from '../text/phrase.ts';
import type { AgentConfig } from './inputs.ts';
import { whySkipped } from './texts.ts';

export function resultOf(
  card: Card,
  { failOn }: Pick<AgentConfig, 'failOn'>,
  run: Run,
): ModeResult<'agent'> {
  const ending = endingOf(card) ?? { outcome: 'failed', reason: 'unconfirmed' };
  const { outcome, reason, error } = ending;
  const job = jobOf(card);
  const { id, status, model = null, source = null } = job ?? {};
  const isError = outcome === 'failed' && reason !== 'job-failed';
  const text = lastLines(ending, card, run);
  // GitHub marks a canceled run as canceled, so its step doesn't have to fail.
  const red = !run.deps.signal.aborted && (isError || failOn.has(outcome));
  return {
    result: {
      outcome,
      reason,
      mode: 'agent',
      job: job ? { id, status, model, source } : null,
      pullRequest: pullRequestDetails(card),
      commentUrl: card.comment?.url ?? null,
      followUp: card.ask === 'message',
      durationMs: Math.round(run.deps.clock.now() - run.beganAtMs),
      ...(error === undefined ? {} : { error: inLines(error) }),
    },
    outputs: outputsOf(card),
    summary: summaryOf(ending, card, run),
    message: { level: red ? 'error' : shownAs(card).level, title: 'Docs Agent', text },
    red,
  };
}

/** The job summary. A skipped run has one only if it skipped a change. */
function summaryOf({ outcome, reason, because }: Ending, card: Card, run: Run): string | undefined {
  if (outcome === 'skipped') return because && `### ☑️ Nothing was sent\n\n${because}\n`;
  const link = outcome === 'pr-created' ? undefined : pullRequestOf(jobOf(card));
  const duration = tookMs(card);
  const rows = [
    ...factsOf(card),
    ['Time taken', duration === undefined ? '' : formatDuration(duration)],
    // If this request created the pull request, the headline already links it.
    [
      'Pull request',
      link && `[${link.number === '' ? 'Open it' : `#${link.number}`}](<${link.url}>)`,
    ],
    // A card that its thread doesn't show has no thread anymore.
    [
      'Status comment',
      card.comment && `[${card.thread ? `#${card.thread}` : 'Open it'}](<${card.comment.url}>)`,
    ],
  ];
  const facts = rows.flatMap(([name = '', value]) => (value ? [[name, cell(value)]] : []));
  return `${paragraphs([
    ...openingOf(card, run),
    '<details><summary>Details</summary>',
    ...foldedRemarksOf(card),
    ...remarksIn(card, 'summary'),
    table(['Outcome', `\`${outcome}\` (\`${reason}\`)`], facts),
    card.prompt === undefined ? '' : fenced(card.prompt),
    '</details>',
  ])}\n`;
}

/** The part of the status comment that isn't collapsed: its first line as a heading, and the rest. */
function openingOf(card: Card, { answer }: Run): [heading: string, rest: string] {
  if (card.answer !== undefined) {
    const [first = '', ...rest] = card.answer.split('\n');
    const heading = answer === undefined ? first : toMarkdown(answer, false);
    return [`### ${heading}`, rest.join('\n').trim()];
  }
  const words = wordsFor(card, thereIn(card));
  return [`### ${toMarkdown(words.signed, false)}`, restOfText(card, words)];
}

function thereIn({ comment, thread }: Card): Phrase {
  return say`in ${comment === undefined ? `#${thread}` : linkTo(`#${thread}`, comment.url)}`;
}

function lastLines(
  { outcome, reason, because, error }: Ending,
  card: Card,
  { answer }: Run,
): string {
  const why = outcome === 'skipped' ? (because ?? whySkipped[reason]) : because;
  if (why !== undefined) return `Skipped: ${why}`;
  if (card.answer !== undefined && error === undefined)
    return answer === undefined ? 'The thread has the reply.' : toPlain(answer);
  const { line, cause, next } = wordsFor(card, thereIn(card));
  const pullRequest = pullRequestOf(jobOf(card));
  const link = pullRequest && `Pull request: ${pullRequest.url}`;
  return joined([toPlain(line), cause, error?.text, ...next.map(toPlain), link], '\n');
}
