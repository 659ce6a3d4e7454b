import { replaceInvisible } from './invisible.ts';

/*
 * Outside text goes into Markdown as code or as link text, never as prose. There, GitHub doesn't turn it into a mention,
 * reference, link, image or HTML.
 */

/** Controls except tab and newline, lone surrogates, line separators, and format characters except joiners. */
const control = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const shortCharacters = 300;
const titleCharacters = 120;

/** ASCII punctuation: every character that can have a meaning in Markdown. */
const marks = /[!-/:-@[-`{-~]/g;

/** Shows control, bidi, and invisible characters as `\u{…}`, so that they can't reorder or hide text. */
export function visible(text: string): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return replaceInvisible(text.replace(control, escaped), escaped);
}

/** Text as one line, with everything visible. */
export function oneLine(text: string): string {
  return visible(text.replace(/\r\n|\r|\n/g, '⏎')).replaceAll('\t', '\\u{9}');
}

/** One line of text as a code span, in a fence longer than its own backticks (CommonMark §6.1). */
export function code(text: string): string {
  const line = withShortRuns(oneLine(text));
  if (line.trim() === '') return line === '' ? '``` ```' : `\`${line}\``;
  const fence = '`'.repeat(longestBackticks(line) + 1);
  const pad =
    line.startsWith('`') || line.endsWith('`') || (line.startsWith(' ') && line.endsWith(' ')) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A code span for text that is usually short. Long text is cut. */
export function shortCode(text: string): string {
  return code(capped(text, shortCharacters));
}

/**
 * One line as link text. With all punctuation escaped (CommonMark §2.4), it can't end the link or have any other effect.
 */
export function linkText(text: string): string {
  return capped(oneLine(text).trim(), titleCharacters).replace(marks, '\\$&');
}

/** Reverses the escapes of `linkText`. */
export function withoutEscapes(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/**
 * Markdown for a table cell, where GFM requires escaped pipes even in code. Parsers disagree on whether the second of two
 * backslashes still escapes a pipe, so each pipe gets an odd number of them, even if one too many is shown.
 */
export function cell(markdown: string): string {
  return markdown.replace(/(\\*)\|/g, (_, before) => `${before}${before.length % 2 === 0 ? '\\' : '\\\\'}|`);
}

/** Text of any length as a fenced block that no fence inside it can close (CommonMark §4.5). */
export function fenced(text: string): string {
  const body = withShortRuns(text).replace(/\r\n?/g, '\n').split('\n').map(visible).join('\n');
  const fence = '`'.repeat(Math.max(3, longestBackticks(body) + 1));
  return `${fence}text\n${body}\n${fence}`;
}

/** The first `most` characters, cut between code points, and how many more there were. */
export function capped(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  return `${characters.slice(0, most).join('')}… (${(characters.length - most).toLocaleString('en')} more characters)`;
}

/**
 * A GFM table. The cells are Markdown without newlines.
 * @param numbersFrom the first column with numbers; numbers are right-aligned.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbersFrom = head.length,
): string {
  // By default, GitHub centers the headers.
  const rule = head.map((_, column) => (column < numbersFrom ? ':--' : '--:'));
  return [head, rule, ...rows].map(tableRow).join('\n');
}

/** One row of a GFM table. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * Shortens runs of backticks so that a fence can be longer. cmark-gfm, GitHub's renderer, allows at most 80 backticks in a code
 * span's fence, and stores the length of a block's fence in one byte.
 */
function withShortRuns(text: string): string {
  return text.replace(/`{61,}/g, (run) => `${'`'.repeat(60)}… (${run.length} backticks)`);
}

function longestBackticks(text: string): number {
  // Don't spread into Math.max: a long text may have more runs than a call can take arguments.
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
