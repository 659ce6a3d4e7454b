import { inLines } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { type Card, type Ending, isFollowUp, jobOf } from '../requests/card/card.ts';
import { factsOf, openText, paragraphs, promptBlock, remarksOf } from '../requests/card/comment.ts';
import { pullRequestDetails, pullRequestOf } from '../requests/card/job.ts';
import { endingOf, marksOf } from '../requests/card/situation.ts';
import { tookMs, unnamedCause, withoutBold, wordsFor } from '../requests/card/words.ts';
import { outputsOf, type Run } from '../requests/run/run.ts';
import { formatDuration } from '../text/duration.ts';
import { cell, joined, table } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';

/** The result of a run that worked on a request. */
export function resultOf(card: Card, { failOn }: Pick<AgentConfig, 'failOn'>, run: Run): ModeResult<'agent'> {
  const ending = endingOf(card) ?? { outcome: 'failed', reason: 'unconfirmed' };
  const { outcome, reason, error } = ending;
  const job = jobOf(card);
  const isError = outcome === 'failed' && reason !== 'job-failed';
  // GitHub marks a canceled run as canceled, so its step doesn't have to fail.
  const red = !run.deps.signal.aborted && (isError || failOn.has(outcome));
  return {
    result: {
      outcome,
      reason,
      mode: 'agent',
      job:
        job === undefined
          ? null
          : { id: job.id, status: job.status, model: job.model ?? null, source: job.source ?? null },
      pullRequest: pullRequestDetails(card),
      commentUrl: card.comment?.url ?? null,
      followUp: isFollowUp(card),
      durationMs: Math.round(run.deps.clock.now() - run.beganAtMs),
      ...(error === undefined ? {} : { error: inLines(error) }),
    },
    outputs: outputsOf(card),
    summary: summaryOf(ending, card, run),
    message: {
      level: red ? 'error' : marksOf(card).level,
      title: 'Docs Agent',
      text: lastLogLines(ending, card),
    },
    red,
  };
}

/** The job summary. A skipped run has one only if it skipped a change. */
function summaryOf({ outcome, reason, because }: Ending, card: Card, { asides }: Run): string | undefined {
  if (outcome === 'skipped') return because && `### ☑️ Nothing was sent to the agent\n\n${because}\n`;
  const [headline, rest] = splitText(card);
  const link = outcome === 'pr-created' ? undefined : pullRequestOf(jobOf(card));
  const duration = tookMs(card);
  const rows = [
    ...factsOf(card),
    ['Time taken', duration === undefined ? '' : formatDuration(duration)],
    // If this request created the pull request, the headline already links it.
    ['Pull request', link && `[${link.number === '' ? 'Open it' : `#${link.number}`}](<${link.url}>)`],
    ['Status comment', card.comment && `[#${card.thread}](<${card.comment.url}>)`],
  ];
  return `${paragraphs([
    `### ${headline}`,
    rest,
    '<details><summary>Details</summary>',
    ...remarksOf(card),
    ...asides,
    table(
      ['Outcome', `\`${outcome}\` (\`${reason}\`)`],
      rows.flatMap(([name = '', value]) => (value ? [[name, cell(value)]] : [])),
    ),
    ...promptBlock(card),
    '</details>',
  ])}\n`;
}

/** The part of the status comment that isn't collapsed, split into the first line and the rest. */
function splitText(card: Card): [headline: string, rest: string] {
  const [first = '', ...rest] = openText(card, thereIn(card)).split('\n');
  return [withoutBold(first), rest.join('\n').trim()];
}

function thereIn({ comment, thread }: Card): string {
  return comment === undefined ? `in #${thread}` : `in [#${thread}](<${comment.url}>)`;
}

function lastLogLines({ because, error }: Ending, card: Card): string {
  if (because !== undefined) return `Skipped: ${because.charAt(0).toLowerCase()}${because.slice(1)}`;
  const [headline] = splitText(card);
  if (card.answer !== undefined && error === undefined) return plainText(headline);
  const [line, ...next] = wordsFor(card, thereIn(card));
  const pullRequest = pullRequestOf(jobOf(card));
  const lines = [
    plainText(headline).replace(/^\S+ /, ''),
    unnamedCause(card, line),
    error?.text,
    ...next.map(plainText),
    pullRequest && `Pull request: ${pullRequest.url}`,
  ];
  return joined(lines, '\n');
}

/** Markdown as plain text for the log: only the names of links remain, without the backslashes of `linkText`. */
function plainText(markdown: string): string {
  return markdown.replace(/\[(.*?)\]\(<.*?>\)/g, '$1').replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
