import { fenced, paragraphs, shortCode } from '../../text/markdown.ts';
import { linkTo, type Phrase, toMarkdown } from '../../text/phrase.ts';
import { type Card, endingOf, hasCommands, jobOf, type Remark } from './card.ts';
import { type Words, wordsFor } from './situation.ts';

/* Generates a status comment from its card alone. All external text is shown as code. */

/** The status comment without its signed first line. Only the state and the next step are visible; the rest is collapsed. */
export function statusComment(card: Card): string {
  if (card.answer !== undefined) return paragraphs([card.answer, whereAsked(card)]);
  const facts = factsOf(card).map(
    ([name, value], at) => `${at === 0 ? name : name?.toLowerCase()} ${value}`,
  );
  const isRepeatable = hasCommands(card) && jobOf(card) !== undefined;
  return paragraphs([
    openText(card),
    whereAsked(card),
    '<details><summary>Request and details</summary>',
    card.prompt === undefined ? '' : fenced(card.prompt),
    ...foldedRemarksOf(card),
    [...facts, toMarkdown(linkTo('run', card.runUrl))].join(' · '),
    isRepeatable ? `\`${card.command} --new …\` starts over with a new pull request.` : '',
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
    fix === undefined ? '' : `${toMarkdown(fix.lead)}\n\n${fenced(fix.command)}`,
    next.map((phrase) => toMarkdown(phrase)).join('\n'),
    ...remarksIn(card, 'comment'),
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
  return Object.entries(facts).flatMap(([name, value]) =>
    value ? [[name, shortCode(value)]] : [],
  );
}

/** The remarks that are shown in one place, as Markdown. */
export function remarksIn(card: Card, shownIn: Remark['place']): readonly string[] {
  return card.remarks.filter(({ place }) => place === shownIn).map(({ text }) => text);
}

/** Everything that the fold says, besides facts. */
export function foldedRemarksOf(card: Card): readonly string[] {
  const { removed } = card;
  const were = removed === 1 ? 'character was' : 'characters were';
  const cut = removed === 0 ? '' : `${removed} invisible ${were} removed from the prompt.`;
  return [...remarksIn(card, 'fold'), cut, endingOf(card)?.error?.details ?? ''];
}
