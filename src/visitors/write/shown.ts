import { capped, code, joined, oneLine } from '../../text/markdown.ts';

/* Shows text from outside (paths, rules, and project names), cut to a maximum length. */

/** Maximum length of a path, glob, or rule. The report's files have the complete paths. */
const maxText = 160;

/** Maximum length of a project's name. An ID used as a name may be longer. */
const maxName = 80;

/** Shown for an empty path. Real paths are shown as code, so no path looks like this. */
const emptyPath = '(empty path)';

/** Characters that could have a meaning in a chat. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…&+'()/_-]/gu;

export function shownCode(text: string): string {
  return code(capped(text, maxText));
}

export function pathCode(path: string): string {
  return path === '' ? emptyPath : shownCode(path);
}

/** A path that chat apps don't turn into a link or markup. Even a dot, which could make a host name, is percent-encoded. */
export function plainPath(path: string): string {
  const written = path.split('/').map(percentEncoded).join('/') || emptyPath;
  return written.length > maxText ? `${written.slice(0, maxText)}…` : written;
}

export function nameCode(name: string): string {
  return code(capped(name, maxName));
}

/** A project's name as HTML, for places where Markdown doesn't work. */
export function nameHtml(name: string): string {
  const escaped = oneLine(capped(name, maxName))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return `<code>${escaped}</code>`;
}

export function pathHtml(path: string): string {
  return path === '' ? emptyPath : nameHtml(path);
}

/** A project's name in plain text that chat apps don't turn into a mention, link, or markup. */
export function plainName(name: string): string {
  return capped(name, maxName).replace(notPlain, percentEncoded);
}

/** Our own sentences without their Markdown. */
export function plainSentences(sentences: readonly string[], separator = ' '): string {
  return joined(sentences, separator).replace(/\*\*|`/g, '');
}

/** Percent-encodes everything except letters, digits, `-` and `_` (RFC 3986, section 2.1). */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
