import { fenced, shortCode } from '../text/markdown.ts';
import { type Card, endingOf, jobOf } from './card.ts';
import { wordsFor } from './words.ts';

/* The text of a status comment, made from the card alone. Everything from outside is shown as code. */

/** The status comment below its signed line: the state and what to do are visible, the rest is collapsed. */
export function statusComment(card: Card): string {
  if (card.answer !== undefined) return paragraphs([card.answer, whereAsked(card)]);
  const facts = factsOf(card).map(([name, value]) => `${name}: ${value}`);
  return paragraphs([
    openText(card),
    whereAsked(card),
    '<details><summary>Request</summary>',
    ...remarksOf(card),
    ...promptBlock(card),
    facts.join(' · '),
    '</details>',
  ]);
}

/** Links to a review, whose comments aren't in the same conversation as the status comment. */
function whereAsked({ source }: Card): string {
  if (source?.url === undefined || source.kind === 'comment') return '';
  return `Requested in [this review${source.kind === 'review' ? '' : ' comment'}](<${source.url}>).`;
}

/** The visible part: the answer, or the state and what to do. */
export function openText(card: Card): string {
  const [line, ...next] = card.answer === undefined ? wordsFor(card) : [card.answer];
  return paragraphs([line, endingOf(card)?.error?.markdown ?? '', next.join('\n')]);
}

/** Parts of a Markdown text, with a blank line between them. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Facts about the request, as pairs of a name and Markdown. */
export function factsOf(card: Card): [name: string, markdown: string][] {
  const job = jobOf(card);
  const { repository, ref } = job?.source ?? {};
  const facts = {
    'Asked by': card.asker,
    Job: job?.id,
    Model: job?.model,
    Source: [repository, ref].filter(Boolean).join('@'),
  };
  const rows = Object.entries(facts).flatMap(([name, value]): [string, string][] =>
    value ? [[name, shortCode(value)]] : [],
  );
  return card.run === '' ? rows : [...rows, ['Run', `[${card.run}](<${card.runUrl}>)`]];
}

/** Other remarks on the request, as Markdown. */
export function remarksOf({ removed, notes }: Card): string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as a code block, in which nothing is rendered. */
export function promptBlock({ prompt }: Card): string[] {
  return prompt === undefined ? [] : [fenced(prompt)];
}
