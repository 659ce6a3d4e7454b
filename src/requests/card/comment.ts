import { fenced, joined, shortCode } from '../../text/markdown.ts';
import { type Card, jobOf } from './card.ts';
import { fixCommand } from './pull-request-words.ts';
import { endingOf } from './situation.ts';
import { unnamedCause, wordsFor } from './words.ts';

/* Generates a status comment from its card alone. All external text is shown as code. */

/** The status comment without its signed first line. Only the state and the next step are visible; the rest is collapsed. */
export function statusComment(card: Card): string {
  if (card.answer !== undefined) return paragraphs([card.answer, whereAsked(card)]);
  const facts = factsOf(card).map(([name, value]) => `${name}: ${value}`);
  return paragraphs([
    openText(card),
    whereAsked(card),
    '<details><summary>Request</summary>',
    ...remarksOf(card),
    ...promptBlock(card),
    [...facts, `Run: [${card.run}](<${card.runUrl}>)`].join(' · '),
    '</details>',
  ]);
}

function whereAsked({ source }: Card): string {
  if (source?.url === undefined || source.kind === 'comment') return '';
  return `Requested in [this review${source.kind === 'review' ? '' : ' comment'}](<${source.url}>).`;
}

/** The visible part of the comment: the reply to a command, or the state and the next step. */
export function openText(card: Card, here?: string): string {
  const [line, ...next] = wordsFor(card, here);
  const { markdown = '' } = endingOf(card)?.error ?? {};
  return paragraphs([
    line,
    unnamedCause(card, line),
    markdown,
    next.join('\n'),
    fixCommand(card, here),
    card.whyNew ?? '',
  ]);
}

/** Joins Markdown paragraphs with blank lines and skips empty ones. */
export function paragraphs(parts: readonly string[]): string {
  return joined(parts, '\n\n');
}

/** Facts about the request, as pairs of a name and Markdown. */
export function factsOf(card: Card) {
  const job = jobOf(card);
  const { repository, ref } = job?.source ?? {};
  const facts = {
    'Asked by': card.asker,
    Job: job?.id,
    Model: job?.model,
    Source: [repository, ref].filter(Boolean).join('@'),
  };
  return Object.entries(facts).flatMap(([name, value]) => (value ? [[name, shortCode(value)]] : []));
}

/** Remarks about the request, as Markdown. */
export function remarksOf({ removed, notes }: Card): readonly string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as a code block, so that nothing in it is rendered. */
export function promptBlock({ prompt }: Card): string[] {
  return prompt === undefined ? [] : [fenced(prompt)];
}
