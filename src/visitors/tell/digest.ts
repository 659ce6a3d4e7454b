import { alertVerdict, uncheckedVerdict } from './alert-texts.ts';
import type { ReportContent } from './content.ts';
import { headline, titleOf } from './headline.ts';
import { whatIsMissing } from './incomplete.ts';
import { formatSigned } from './numbers.ts';
import { emptyPath } from './quoted.ts';

/** Characters of a digest. */
export const digestMost = 3_000;

const movers = 3;

/** Characters shown of a path. */
const longestPath = 160;

/**
 * The report in a few lines of plain text, for a chat; at most 3,000 characters. Of all that is told, only paths are from
 * outside.
 */
export function digest(content: ReportContent, runUrl: string): string {
  const { findings, windows, alerts } = content;
  const moved = findings.movers?.slice(0, movers) ?? [];
  const parts = [
    titleOf(windows.now.window),
    plainText([headline(content)]),
    moved.map(({ path, delta }) => `${formatSigned(delta)} ${harmless(path)}`).join('\n'),
    alertVerdict(alerts),
    uncheckedVerdict(alerts),
    plainText(whatIsMissing(content)),
    runUrl,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Our own sentences without their Markdown. */
export function plainText(sentences: readonly string[]): string {
  return sentences
    .filter((sentence) => sentence !== '')
    .join(' ')
    .replace(/\*\*|`/g, '');
}

/**
 * A path in which no chat finds a mention, a link, an emoji or markup: but for letters, digits, `/`, `-` and `_`, every
 * character is percent-encoded, the dots that would make a host name of it too. It is the same address.
 */
export function harmless(path: string): string {
  if (path === '') return emptyPath;
  let written = '';
  for (const character of path) {
    const encoded = character === '/' ? character : percentEncoded(character);
    // Half a character would be another address.
    if (written.length + encoded.length > longestPath) return `${written}…`;
    written += encoded;
  }
  return written;
}

/** All characters but letters, digits, `-` and `_` as RFC 3986, section 2.1, has them. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
