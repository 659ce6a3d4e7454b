import type { ModeResult } from '../core/mode-result.ts';
import type { AgentOutcome } from '../core/reasons.ts';
import { type Card, type Ending, endingOf, isFollowUp, jobOf } from '../requests/card.ts';
import { pullRequestOf } from '../requests/job.ts';
import { outputsOf, type Run } from '../requests/run.ts';
import {
  factsOf,
  isUnseen,
  lineOf,
  lineWithSign,
  paragraphs,
  promptBlock,
  remarksOf,
  tookMs,
  wordsFor,
} from '../requests/words.ts';
import { formatDuration } from '../text/duration.ts';
import { cell, table } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';

const title = 'Docs Agent';

/** The result of a run that has ended, with all that is known of its request. */
export function resultOf(card: Card, { failOn }: Pick<AgentConfig, 'failOn'>, run: Run): ModeResult {
  const ending = endingOf(card) ?? { outcome: 'failed', reason: 'unconfirmed' };
  const { outcome, reason, error } = ending;
  const isError = outcome === 'failed' && reason !== 'job-failed';
  // The runner marks a cancelled job itself.
  const red = !run.deps.signal.aborted && (isError || failOn.has(outcome));
  return {
    result: {
      outcome,
      reason,
      ...detailsOf(card, run),
      ...(error === undefined ? {} : { error: error.text }),
    },
    outputs: outputsOf(card),
    summary: summaryOf(ending, card),
    message: {
      level: error === undefined ? levelOf(ending, card, red) : 'error',
      title,
      text: lastWords(ending, card),
    },
    red,
  };
}

/** What `result` says besides how it ended; `null` for what is not known. */
function detailsOf(card: Card, { deps, beganAtMs }: Run) {
  const job = jobOf(card);
  const { id, status, model = null, source = null } = job ?? {};
  return {
    mode: 'agent',
    job: id === undefined || status === undefined ? null : { id, status, model, source },
    pullRequest: pullRequestOf(job) ?? null,
    commentUrl: card.comment?.url ?? null,
    followUp: isFollowUp(card),
    durationMs: Math.round(deps.clock.now() - beganAtMs),
  };
}

/** The job summary; none for what was not for us. */
function summaryOf(ending: Ending, card: Card): string | undefined {
  if (ending.outcome !== 'skipped') return jobSummary(ending, card);
  return ending.because === undefined
    ? undefined
    : `### ☑️ Nothing was asked of the agent\n\n${ending.because}\n`;
}

function jobSummary(ending: Ending, card: Card): string {
  const words = wordsFor(card);
  const [headline, answer] = card.answer === undefined ? [lineWithSign(words), ''] : headed(card.answer);
  const link = ending.outcome === 'pr-created' ? undefined : pullRequestOf(jobOf(card));
  const duration = tookMs(card);
  const rows = [
    ...factsOf(card).filter(([name]) => name !== 'Run'),
    ...(duration === undefined ? [] : [['Time taken', formatDuration(duration)]]),
    // Of an earlier request: the headline has the link of this one.
    ...(link === undefined ? [] : [['Pull request', `<${link.url}>`]]),
    ...(card.comment === undefined ? [] : [['Comment', `<${card.comment.url}>`]]),
  ];
  const hasPrompt = card.prompt !== undefined;
  return `${paragraphs([
    `### ${headline}`,
    ending.error?.markdown ?? '',
    answer,
    card.answer === undefined ? words.next.join('\n') : '',
    ...remarksOf(card),
    table(
      ['Outcome', `\`${ending.outcome}\` (\`${ending.reason}\`)`],
      rows.map((row) => row.map(cell)),
    ),
    hasPrompt ? '<details><summary>Prompt</summary>' : '',
    ...promptBlock(card),
    hasPrompt ? '</details>' : '',
  ])}\n`;
}

/** The first line of an answer is its headline. */
function headed(answer: string): [headline: string, rest: string] {
  const [first = '', ...rest] = answer.split('\n');
  return [first.replaceAll('**', ''), rest.join('\n').trim()];
}

/** The last lines of the log. */
function lastWords(ending: Ending, card: Card): string {
  if (ending.because !== undefined) return `Skipped: ${ending.because}`;
  if (card.answer !== undefined && ending.error === undefined) return inPlainWords(headed(card.answer)[0]);
  const words = wordsFor(card);
  const pullRequest = pullRequestOf(jobOf(card));
  const link = pullRequest === undefined ? [] : [`Pull request: ${pullRequest.url}`];
  const error = ending.error === undefined ? [] : [ending.error.text];
  const [first = '', ...next] = [lineOf(words), ...words.next].map(inPlainWords);
  return [first, ...error, ...next, ...link].join('\n');
}

/** Markdown as a log shows it: links by their names, and nothing bold. */
function inPlainWords(markdown: string): string {
  return markdown.replace(/\[(.*?)\]\(<.*?>\)/g, '$1').replaceAll('**', '');
}

const levels: Partial<Record<AgentOutcome, ModeResult['message']['level']>> = {
  'pr-created': 'notice',
  'no-changes': 'notice',
  detached: 'notice',
  archived: 'warning',
  failed: 'warning',
  'timed-out': 'warning',
};

function levelOf({ outcome, reason }: Ending, card: Card, red: boolean): ModeResult['message']['level'] {
  if (red) return 'error';
  // Without a thread, nothing will report the end of a job that was left running.
  if (isUnseen(card) || (reason === 'not-waited' && card.thread === undefined)) return 'warning';
  return levels[outcome] ?? 'info';
}
