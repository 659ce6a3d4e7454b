import { code, codeBlock, paragraphs } from '../../text/markdown.ts';
import { linkTo, toMarkdown } from '../../text/phrase.ts';
import { type Card, endingOf, hasCommands, jobOf, type Remark } from './card.ts';
import { type Words, wordsFor } from './situation.ts';

/* Generates a status comment from its card alone. All external text is shown as code. */

/**
 * The status comment without its signed first line. Only the state and the next step are visible;
 * the rest is collapsed.
 */
export function writeStatusComment(card: Card): string {
  if (card.answer !== undefined) return paragraphs([card.answer, whereAsked(card)]);
  const facts = factsOf(card).map(([name, value], index) => {
    const begin = index === 0 ? name : name.toLowerCase();
    return `${begin} ${value}`;
  });
  const run = toMarkdown(linkTo('run', card.runUrl));
  const isRepeatable = hasCommands(card) && jobOf(card) !== undefined;
  return paragraphs([
    openText(card),
    whereAsked(card),
    '<details><summary>Request and details</summary>',
    card.prompt === undefined ? '' : codeBlock(card.prompt),
    ...foldedRemarksOf(card),
    [...facts, run].join(' · '),
    isRepeatable ? `\`${card.command} --new …\` starts over with a new pull request.` : '',
    '</details>',
  ]);
}

function whereAsked({ source }: Card): string {
  // A comment or an issue is in the same thread.
  if (source?.url === undefined || !source.kind.startsWith('review')) return '';
  const name = source.kind === 'review' ? 'this review' : 'this review comment';
  return `Requested in [${name}](<${source.url}>).`;
}

/** The visible part of a comment that isn't a reply: the state, and what to do next. */
export function openText(card: Card): string {
  const words = wordsFor(card);
  return paragraphs([toMarkdown(words.signed), restOfText(card, words)]);
}

/** The visible part below the first line. */
export function restOfText(card: Card, { cause, next, fix }: Words): string {
  return paragraphs([
    cause,
    endingOf(card)?.error?.markdown ?? '',
    fix === undefined ? '' : paragraphs([toMarkdown(fix.lead), codeBlock(fix.command)]),
    next.map((phrase) => toMarkdown(phrase)).join('\n'),
    ...remarksIn(card, 'comment'),
  ]);
}

/** Facts about the request, as pairs of a name and Markdown. */
export function factsOf(card: Card): (readonly [name: string, value: string])[] {
  const job = jobOf(card);
  const source = [job?.source?.repository, job?.source?.ref].filter(Boolean).join('@');
  const facts: [name: string, value: string][] = [];
  const add = (name: string, value: string | null | undefined) => {
    if (value) facts.push([name, code(value)]);
  };
  add('Asked by', card.requester);
  add('Job', job?.id);
  add('Model', job?.model);
  add('Source', source);
  return facts;
}

export function remarksIn(card: Card, shownIn: Remark['place']): readonly string[] {
  return card.remarks.filter(({ place }) => place === shownIn).map(({ text }) => text);
}

/** Everything that the fold says, besides facts. */
export function foldedRemarksOf(card: Card): readonly string[] {
  const details = endingOf(card)?.error?.details ?? '';
  return [...remarksIn(card, 'fold'), removalOf(card), details];
}

function removalOf({ removed }: Card): string {
  if (removed === 0) return '';
  const were = removed === 1 ? 'character was' : 'characters were';
  return `${removed} invisible ${were} removed from the prompt.`;
}
