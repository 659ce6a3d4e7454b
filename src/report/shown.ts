import { capped, cell, code, oneLine } from '../text/markdown.ts';

/*
 * Shows outside text at a limited length: paths, rules, and project names.
 */

/** Characters shown of a path, glob, or rule. The files have complete paths. */
const longestText = 160;

/** Characters shown of a project's name, which may be an ID of any length. */
const longestName = 80;

/** Shown for an empty path. It isn't code, because a real path could consist of these words. */
const emptyPath = '(empty path)';

/** Everything except letters, digits, emoji, and plain punctuation in a chat. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…&+'()/_-]/gu;

/** A glob or rule as code in a sentence. */
export function shownCode(text: string): string {
  return code(capped(text, longestText));
}

/** A path as code in a sentence. */
export function pathCode(path: string): string {
  return path === '' ? emptyPath : shownCode(path);
}

/** A path as code in a table cell. */
export function pathCell(path: string): string {
  return path === '' ? emptyPath : cell(shownCode(path));
}

/**
 * A path that no chat turns into a mention, link, emoji, or markup: all characters except letters, digits, `/`, `-`, and `_`
 * are percent-encoded, even dots, which could make it look like a host name. It is still the same address.
 */
export function plainPath(path: string): string {
  if (path === '') return emptyPath;
  let written = '';
  for (const character of path) {
    const encoded = character === '/' ? character : percentEncoded(character);
    // Cutting a character in half would change the address.
    if (written.length + encoded.length > longestText) return `${written}…`;
    written += encoded;
  }
  return written;
}

/** A project's name as code in a sentence. */
export function nameCode(name: string): string {
  return code(capped(name, longestName));
}

/** A name, or a few words, as code in a table cell. */
export function nameCell(name: string): string {
  return cell(nameCode(name));
}

/** A project's name as code in HTML, for places where Markdown doesn't work. */
export function nameHtml(name: string): string {
  return codeHtml(name);
}

/** A path as code in HTML. */
export function pathHtml(path: string): string {
  return path === '' ? emptyPath : codeHtml(path);
}

function codeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escaped = oneLine(capped(text, longestName)).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);
  return `<code>${escaped}</code>`;
}

/** A project's name in plain text that no chat turns into a mention, link, or markup. */
export function plainName(name: string): string {
  return capped(name, longestName).replace(notPlain, percentEncoded);
}

/** Our own sentences without Markdown. */
export function plainText(sentences: readonly string[]): string {
  return sentences
    .filter((sentence) => sentence !== '')
    .join(' ')
    .replace(/\*\*|`/g, '');
}

/** Percent-encodes everything except letters, digits, `-` and `_` (RFC 3986, section 2.1). */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
