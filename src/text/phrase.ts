import { linkText, titleOf } from './markdown.ts';

/* Words as data: written once, and shown as Markdown, as a heading, or as plain text. */

/** Our own text, which may contain code in backticks; words in bold; a link; or the external text of a link. */
type Part =
  | string
  | { readonly bold: Phrase }
  | { readonly link: Phrase; readonly url: string }
  | { readonly title: string };

export type Phrase = readonly Part[];

/** A phrase from a template, whose values are texts or phrases. */
export function say(texts: TemplateStringsArray, ...values: readonly (string | Phrase)[]): Phrase {
  return texts
    .flatMap((text, index) => [text, values[index] ?? ''].flat())
    .filter((part) => part !== '');
}

export function bold(texts: TemplateStringsArray, ...values: readonly (string | Phrase)[]): Phrase {
  return [{ bold: say(texts, ...values) }];
}

export function linkTo(text: string, url: string): Phrase {
  return [{ link: [text], url }];
}

/** A phrase as Markdown. `marksBold`: false in a heading, which is bold anyway. */
export function toMarkdown(phrase: Phrase, marksBold = true): string {
  const texts = phrase.map((part) => {
    if (typeof part === 'string') return part;
    if ('title' in part) return linkText(part.title);
    if ('bold' in part) return marksBold ? `**${toMarkdown(part.bold)}**` : toMarkdown(part.bold);
    // In a destination, a backslash is an escape, and an ampersand may start an entity (CommonMark §2.4, §2.5).
    return `[${toMarkdown(part.link)}](<${part.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;')}>)`;
  });
  return texts.join('');
}

/** A phrase as plain text for the log. Only the names of links remain. */
export function toPlain(phrase: Phrase): string {
  const texts = phrase.map((part) => {
    if (typeof part === 'string') return part;
    return 'title' in part ? titleOf(part.title) : toPlain('link' in part ? part.link : part.bold);
  });
  return texts.join('');
}
