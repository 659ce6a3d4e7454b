import { linkText, titleOf } from './markdown.ts';
import type { Scrubbed } from './scrub.ts';

/* Words as data: written once, and shown as Markdown, as a heading, or as plain text. */

/**
 * Our own text, which may contain code in backticks; words in bold; a link; or the external text of
 * a link.
 */
type Part =
  | string
  | { readonly bold: Phrase }
  | { readonly link: Phrase; readonly url: string }
  | { readonly title: Scrubbed };

export type Phrase = readonly Part[];

/** A phrase from a template, whose values are texts or phrases. */
export function say(texts: TemplateStringsArray, ...values: readonly (string | Phrase)[]): Phrase {
  const parts = texts.flatMap((text, index) => {
    // No value follows the last text.
    const value = values[index] ?? '';
    return [text, value].flat();
  });
  return parts.filter((part) => part !== '');
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
    if ('bold' in part) {
      const words = toMarkdown(part.bold);
      return marksBold ? `**${words}**` : words;
    }
    return `[${toMarkdown(part.link)}](<${escapeUrl(part.url)}>)`;
  });
  return texts.join('');
}

/**
 * Escapes the destination of a link. There, a backslash is an escape, and an ampersand may start an
 * entity (CommonMark §2.4, §2.5).
 */
function escapeUrl(url: string) {
  return url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
}

/** A phrase as plain text for the log. Only the names of links remain. */
export function toPlain(phrase: Phrase): string {
  const texts = phrase.map((part) => {
    if (typeof part === 'string') return part;
    if ('title' in part) return titleOf(part.title);
    if ('bold' in part) return toPlain(part.bold);
    return toPlain(part.link);
  });
  return texts.join('');
}
