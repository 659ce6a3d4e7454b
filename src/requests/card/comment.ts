import { fenced, paragraphs, shortCode } from '../../text/markdown.ts';
import { linkTo, type Phrase, toMarkdown } from '../../text/phrase.ts';
import { type Card, endingOf, jobOf } from './card.ts';
import { type Words, wordsFor } from './situation.ts';

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
    card.prompt === undefined ? '' : fenced(card.prompt),
    [...facts, `Run: ${toMarkdown(linkTo(card.run, card.runUrl))}`].join(' · '),
    '</details>',
  ]);
}

function whereAsked({ source }: Card): string {
  if (source?.url === undefined || source.kind === 'comment') return '';
  return `Requested in [this review${source.kind === 'review' ? '' : ' comment'}](<${source.url}>).`;
}

/** The visible part of the comment: the reply to a command, or the state and the next step. */
export function openText(card: Card, here?: Phrase): string {
  const words = wordsFor(card, here);
  return paragraphs([toMarkdown(words.signed), restOfText(card, words)]);
}

/** The visible part below the first line. */
export function restOfText(card: Card, { cause, next, fix }: Words): string {
  return paragraphs([
    cause,
    endingOf(card)?.error?.markdown ?? '',
    next.map((phrase) => toMarkdown(phrase)).join('\n'),
    fix === undefined ? '' : `${toMarkdown(fix.lead)}\n\n${fenced(fix.command)}`,
    card.whyNew ?? '',
  ]);
}

/** Facts about the request, as pairs of a name and Markdown. */
export function factsOf(card: Card) {
  const job = jobOf(card);
  const { repository, ref } = job?.source ?? {};
  const facts = {
    'Asked by': card.requester,
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
