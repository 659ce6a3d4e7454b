import { replaceInvisible } from './invisible.ts';

/*
 * Text from outside goes into Markdown as code, never as prose: in a code span or block, GitHub makes no mention, reference,
 * link, image or HTML of it.
 */

/** Controls but for tab and newline, lone surrogates, line separators, and format characters but for the joiners. */
const control = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const shortCharacters = 300;

/** Control, bidi and invisible characters as `\u{…}`, so that none of them can reorder or hide what is shown. */
export function visible(text: string): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return replaceInvisible(text.replace(control, escaped), escaped);
}

/** Text as one line, with nothing invisible in it. */
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

/** A code span of text that is short by nature; a long one is cut. */
export function shortCode(text: string): string {
  return code(capped(text, shortCharacters));
}

/** A code span for a table cell. */
export function codeCell(text: string): string {
  return cell(code(text));
}

/**
 * Markdown for a table cell, where GFM wants pipes escaped even in code. Parsers do not agree whether the second of two
 * backslashes still escapes a pipe, so each gets an odd number of them, even if one too many is shown.
 */
export function cell(markdown: string): string {
  return markdown.replace(/(\\*)\|/g, (_, before) => `${before}${before.length % 2 === 0 ? '\\' : '\\\\'}|`);
}

/** Text of any length as a fenced block, every line inside it, whatever fences it brings (CommonMark §4.5). */
export function fenced(text: string): string {
  const body = withShortRuns(text).replace(/\r\n?/g, '\n').split('\n').map(visible).join('\n');
  const fence = '`'.repeat(Math.max(3, longestBackticks(body) + 1));
  return `${fence}text\n${body}\n${fence}`;
}

/** The first `most` characters, cut between code points, with a note of how many more there were. */
export function capped(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  return `${characters.slice(0, most).join('')}… (${(characters.length - most).toLocaleString('en')} more characters)`;
}

/**
 * A GFM table; the cells are Markdown already, without newlines.
 * @param numbersFrom the first of the columns with numbers, which are aligned to the right.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbersFrom = head.length,
): string {
  // By default, GitHub centers the heads.
  const rule = head.map((_, column) => (column < numbersFrom ? ':--' : '--:'));
  return [head, rule, ...rows].map(tableRow).join('\n');
}

/** One row of a GFM table. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * Backticks in runs that a fence can outdo: cmark-gfm, which GitHub renders with, knows code spans of up to 80 backticks, and keeps
 * the length of a block's fence in one byte.
 */
function withShortRuns(text: string): string {
  return text.replace(/`{61,}/g, (run) => `${'`'.repeat(60)}… (${run.length} backticks)`);
}

function longestBackticks(text: string): number {
  // No spread into Math.max: a long text may bring more runs than a call takes arguments.
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
