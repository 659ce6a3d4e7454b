import { capped, code, codeCell, oneLine } from '../text/markdown.ts';

/*
 * How words from outside are shown, cut to a length: paths, rules, and the names of projects.
 */

/** Characters shown of a path, glob or rule; the files have paths whole. */
const longestText = 160;

/** Characters shown of a project's name, which may be an id of any length. */
const longestName = 80;

/** How long a text may become once it is written, per character shown. */
const mostWritten = 2.25;

/** Stands for a path without characters; not code, since a page may have these words for a path. */
const emptyPath = '(empty path)';

/** All but letters, digits, emoji, and what a chat reads as mere punctuation. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…&+'()/_-]/gu;

/** A glob or rule as code in a sentence. */
export function shownCode(text: string): string {
  return cutWritten(text, longestText, code);
}

/** A path as code in a sentence. */
export function pathCode(path: string): string {
  return path === '' ? emptyPath : shownCode(path);
}

/** A path as code in the cell of a table. */
export function pathCell(path: string): string {
  return path === '' ? emptyPath : cutWritten(path, longestText, codeCell);
}

/**
 * A path in which no chat finds a mention, a link, an emoji or markup: every character but letters, digits, `/`, `-` and `_` is
 * percent-encoded, even the dots that would make a host name of it. It is the same address.
 */
export function plainPath(path: string): string {
  if (path === '') return emptyPath;
  let written = '';
  for (const character of path) {
    const encoded = character === '/' ? character : percentEncoded(character);
    // Half a character would be another address.
    if (written.length + encoded.length > longestText) return `${written}…`;
    written += encoded;
  }
  return written;
}

/** A project's name as code in a sentence. */
export function nameCode(name: string): string {
  return cutWritten(name, longestName, code);
}

/** A name, or a few words, as code in the cell of a table. */
export function nameCell(name: string): string {
  return cutWritten(name, longestName, codeCell);
}

/** A project's name as code in HTML, which Markdown does not reach. */
export function nameHtml(name: string): string {
  return codeHtml(name);
}

/** A path as code in HTML. */
export function pathHtml(path: string): string {
  return path === '' ? emptyPath : codeHtml(path);
}

function codeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escaped = (some: string) => oneLine(some).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);
  return `<code>${cutWritten(text, longestName, escaped)}</code>`;
}

/** A project's name in plain text: no chat finds a mention, a link or markup in it. */
export function plainName(name: string): string {
  return cutWritten(name, longestName, (text) => text.replace(notPlain, percentEncoded));
}

/** Our own sentences without their Markdown. */
export function plainText(sentences: readonly string[]): string {
  return sentences
    .filter((sentence) => sentence !== '')
    .join(' ')
    .replace(/\*\*|`/g, '');
}

/**
 * A text as it is written, cut to so many characters, and to fewer if it would take far more room: a fence is longer than all
 * backticks in it, and invisible characters are written out.
 */
function cutWritten(text: string, most: number, write: (text: string) => string): string {
  const shown = Array.from(text.slice(0, 2 * most)).slice(0, most);
  const excessOf = (count: number) => write(shown.slice(0, count).join('')).length / (most * mostWritten);
  let kept = shown.length;
  for (let excess = excessOf(kept); kept > 1 && excess > 1; excess = excessOf(kept))
    kept = Math.max(1, Math.floor(kept / excess));
  return write(capped(text, kept));
}

/** All characters but letters, digits, `-` and `_` as RFC 3986, section 2.1, has them. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
