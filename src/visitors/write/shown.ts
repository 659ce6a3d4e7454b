import { formatCount } from '../../text/counts.ts';
import { capped, cell, code, joined, oneLine, table } from '../../text/markdown.ts';

/* Blocks of Markdown, and text from outside (paths, rules, and project names), cut to a maximum length. */

/** Maximum length of a rule, glob, or quoted text. The report's files have all of it. */
const maxText = 160;

/** A longer path or name wouldn't fit on a phone. It is cut in the middle, because both ends tell pages apart. */
const maxShown = { start: 24, end: 19 };

/** Shown for an empty path. Real paths are shown as code, so no path looks like this. */
const emptyPath = '(empty path)';

/** ASCII punctuation, because each of these characters can have a meaning in Markdown or for GitHub. */
const mark = '[!-/:-@[-`{-~]';
const marks = new RegExp(`(?![-/])${mark}`, 'g');

/** Where a line may end: after punctuation other than the first slash, and in the middle of a long word. */
const breaks = new RegExp(
  `www(?=\\.)|(?!^/)${mark}(?=.)|(?:(?!${mark}|\\s).){8,13}?(?=((?!${mark}|\\s).){6})`,
  'giu',
);

/** Characters that could have a meaning in a chat. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…+'()/_-]/gu;

export function shownCode(text: string): string {
  return code(capped(text, maxText));
}

/** A project's name as HTML. Where a line may end, no mention, reference, or link can be found. */
export function nameHtml(name: string): string {
  const all = Array.from(oneLine(name));
  const { start, end } = maxShown;
  const text =
    all.length <= start + 1 + end ? all : [...all.slice(0, start), '…', ...all.slice(-end)];
  const lines = text.join('').replace(breaks, '$&\n').split('\n');
  return lines.map((line) => line.replace(marks, (one) => `&#${one.charCodeAt(0)};`)).join('<wbr>');
}

/** A path as HTML that fits on a phone. With the site's address, it is a link if it is an ordinary path. */
export function pathHtml(path: string, docsUrl?: string): string {
  if (path === '') return emptyPath;
  const shown = `<code>${nameHtml(path) || ' '}</code>`;
  const isLinked = docsUrl !== undefined && /^(?:\/(?![./])[\p{L}\p{M}\p{N}_~%.-]*)+$/u.test(path);
  return isLinked
    ? `[${shown}](<${docsUrl}${encodeURI(path.toWellFormed()).replaceAll('%25', '%')}>)`
    : shown;
}

/** A path that chat apps don't turn into a link or markup. Even a dot, which could make a host name, is percent-encoded. */
export function plainPath(path: string): string {
  return capped(path.split('/').map(percentEncoded).join('/') || emptyPath, maxText);
}

/** A project's name in plain text that chat apps don't turn into a mention, link, or markup. */
export function plainName(name: string): string {
  return capped(name, 2 * maxShown.start).replace(notPlain, percentEncoded);
}

const operators = { '<': 'below', '>': 'above', '<=': 'at most', '>=': 'at least' };

/** Our own sentences without their Markdown, without what guides line breaks, and without the characters that chat apps drop. */
export function plainSentences(
  sentences: readonly (string | false | undefined)[],
  separator = ' ',
): string {
  return joined(sentences, separator)
    .replace(/\*\*|`|\u2060/g, '')
    .replaceAll('\u00a0', ' ')
    .replace(/([<>]=?) ?/g, (_, operator: keyof typeof operators) => `${operators[operator]} `);
}

/** Percent-encodes everything except letters, digits, `-` and `_` (RFC 3986, section 2.1). */
function percentEncoded(text: string): string {
  const encoded = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[.!~*'()]/g, encoded);
}

interface List<T> {
  /** For a collapsed list: its title, which is followed by the total number of items. */
  readonly title?: string;
  readonly lead?: string | undefined;
  readonly head: readonly string[];
  readonly cells: (item: T) => readonly string[];
}

/** A GitHub alert ("Basic writing and formatting syntax", Alerts); `''` if there are no lines. Summaries ignore line breaks. */
export function alertBlock(kind: 'WARNING' | 'CAUTION', texts: readonly string[]): string {
  const lines = texts.filter((text) => text !== '');
  return lines.length === 0 ? '' : `> [!${kind}]\n> ${lines.join('<br>')}`;
}

/** A table of the first items. Returns `''` if the list is empty or unknown. */
export function listBlock<T>(
  items: readonly T[] = [],
  most: number,
  { title, lead, head, cells }: List<T>,
) {
  if (items.length === 0) return '';
  const rows = items.slice(0, most).map((item) => cells(item).map(cell));
  const unlisted = items.length - rows.length;
  const note = unlisted > 0 && `*${formatCount(unlisted)} more not listed.*`;
  const body = joined([lead, table(head, rows, 1), note], '\n\n');
  return title === undefined ? body : fold(`${title} (${formatCount(items.length)})`, body);
}

/** Collapses Markdown under a title. GitHub needs the blank lines to parse it as Markdown. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
