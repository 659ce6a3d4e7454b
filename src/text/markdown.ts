import { replaceInvisible } from './invisible.ts';
import { changeScrubbed, type Scrubbed } from './scrub.ts';

/*
 * External text is shown as code or link text. There, GitHub doesn't make it a mention, reference,
 * link, image, or HTML.
 */

/**
 * Control characters except tab and newline, lone surrogates, line separators, and format
 * characters except joiners.
 */
const control = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** All ASCII punctuation, because each of these characters can have a meaning in Markdown. */
const marks = /[!-/:-@[-`{-~]/g;

/**
 * Escapes control characters, bidi controls, and invisible characters as `\u{…}`, so that they
 * can't reorder or hide text.
 */
export function escapeInvisible(text: string): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return replaceInvisible(text.replace(control, escaped), escaped);
}

/** Turns text into one line in which every character is visible. */
export function toOneLine(text: string): string {
  return escapeInvisible(text.replace(/\r\n|\r|\n/g, '⏎')).replaceAll('\t', '\\u{9}');
}

/**
 * Text as a code span on one line, with a fence longer than any run of backticks in the text
 * (CommonMark §6.1).
 */
export function code(text: string): string {
  const line = shortenRuns(toOneLine(text));
  if (line === '') return '``` ```';
  if (line.trim() === '') return `\`${line}\``;
  const fence = '`'.repeat(maxBackticks(line) + 1);
  const padding = /^`|`$|^ .* $/s.test(line) ? ' ' : '';
  return fence + padding + line + padding + fence;
}

/** A code span for text that is usually short. Long text is cut. */
export function shortCode(text: Scrubbed): string {
  return code(truncate(text, 300));
}

/** External text such as a title, on one line. Long text is cut. */
export function titleOf(text: Scrubbed): string {
  return truncate(
    changeScrubbed(text, (title) => toOneLine(title).trim()),
    120,
  );
}

/** Text for a link. All punctuation is escaped (CommonMark §2.4), so it can't end the link. */
export function linkText(text: Scrubbed): string {
  return titleOf(text).replace(marks, '\\$&');
}

/**
 * Escapes pipes for a table cell. Parsers disagree about two backslashes before a pipe, so each
 * pipe gets an odd number.
 */
export function cell(markdown: string): string {
  return markdown.replace(/(\\*)\|/g, (_, before: string) => {
    const added = before.length % 2 === 0 ? '\\' : '\\\\';
    return `${before}${added}|`;
  });
}

/**
 * Text as a fenced code block, with a fence longer than any run of backticks in the text
 * (CommonMark §4.5).
 */
export function codeBlock(text: string): string {
  const lines = shortenRuns(text).replace(/\r\n?/g, '\n').split('\n');
  const body = lines.map(escapeInvisible).join('\n');
  const fence = '`'.repeat(Math.max(3, maxBackticks(body) + 1));
  return `${fence}text\n${body}\n${fence}`;
}

/** Cuts text after `maxLength` characters. */
export function truncate(text: Scrubbed, maxLength: number): Scrubbed {
  const characters = Array.from(text);
  if (characters.length <= maxLength) return text;
  return changeScrubbed(text, () => `${characters.slice(0, maxLength).join('')}…`);
}

type Row = readonly string[];

/** A GFM table. Columns from `numbersFrom` on contain numbers and are right-aligned. */
export function table(head: Row, rows: readonly Row[], numbersFrom = head.length): string {
  // Headers need an alignment, because GitHub centers them by default.
  const alignments = head.map((_, column) => (column < numbersFrom ? ':--' : '--:'));
  const lines = [head, alignments, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

/**
 * Shortens long runs of backticks, because cmark-gfm, GitHub's renderer, limits the length of a
 * fence.
 */
function shortenRuns(text: string) {
  return text.replace(/`{61,}/g, (run) => `${'`'.repeat(60)}… (${run.length} backticks)`);
}

/** The length of the longest run of backticks. */
function maxBackticks(text: string) {
  let max = 0;
  // A long text may have more runs than a call of Math.max can take as arguments.
  for (const run of text.match(/`+/g) ?? []) max = Math.max(max, run.length);
  return max;
}

type Texts = readonly (string | false | undefined)[];

/** Joins the texts that aren't empty. */
export function joinTexts(texts: Texts, separator = ' '): string {
  return texts.filter(Boolean).join(separator);
}

/** Joins Markdown paragraphs with blank lines and skips empty ones. */
export function paragraphs(parts: Texts): string {
  return joinTexts(parts, '\n\n');
}
