import { capped, code, codeCell } from '../../text/markdown.ts';

/** Characters shown of a path, glob or rule; the files have paths whole. */
const longest = 160;

/** What a text may take once it is written, in proportion to the characters that are shown of it. */
const mostWritten = 2.25;

/**
 * A text as it is written, cut to so many characters, and to fewer where it would take far more: a fence is longer than all
 * backticks in it, and what nobody sees is written out.
 */
export function cutWritten(text: string, most: number, write: (text: string) => string): string {
  const shown = Array.from(text.slice(0, 2 * most)).slice(0, most);
  let kept = shown.length;
  while (kept > 1 && write(shown.slice(0, kept).join('')).length > most * mostWritten) kept -= 1;
  return write(capped(text, kept));
}

/** A glob or rule as code in a sentence. */
export function quoted(text: string): string {
  return cutWritten(text, longest, code);
}

/** A path as code in a sentence. */
export function pathCode(path: string, most = longest): string {
  return path === '' ? emptyPath : cutWritten(path, most, code);
}

/** A path as code in the cell of a table. */
export function pathCell(path: string, most = longest): string {
  return path === '' ? emptyPath : cutWritten(path, most, codeCell);
}

/** Stands for a path without characters; no code, since a page may have these words for a path. */
export const emptyPath = '(empty path)';
