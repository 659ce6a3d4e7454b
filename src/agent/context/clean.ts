import { withoutInvisible } from '../../text/invisible.ts';
import type { Scrub } from '../../text/scrub.ts';

/** The longest line, in bytes. A title on GitHub has at most 256 characters. */
const maxLineBytes = 800;

export type Clean = ReturnType<typeof createClean>;

/**
 * Makes text from GitHub safe to send. HTML comments stay, because readers see them in titles and
 * code.
 */
export function createClean(scrub: Scrub) {
  /** Keeps only `\n` as a line ending. Other characters that end a line become `⏎`. */
  const lines = (text: string) => {
    const breaks = text.replace(/\r(?=\n|$)/g, '').replace(/[\v\f\r\x85\u2028\u2029]/g, '⏎');
    const wellFormed = breaks.toWellFormed().replace(/(?![\t\n])\p{Cc}/gu, '');
    // Scrubbing may remove the letter next to an invisible joiner, so invisible characters are
    // removed again.
    return withoutInvisible(scrub(withoutInvisible(wellFormed)));
  };
  /** Turns a title, path, or name into one line. Very long text is cut. */
  const line = (text: string) => {
    const whole = lines(text).replaceAll('\n', '⏎');
    const beginning = cut(whole, maxLineBytes);
    if (beginning === whole) return whole;
    return `${beginning}…`;
  };
  return { lines, line };
}

/** The beginning of a clean text, in at most this many bytes of UTF-8. No code point is split. */
export function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const beginning = bytes.subarray(0, Math.max(0, maxBytes));
  // In streaming mode, the decoder holds back an incomplete code point at the end.
  return withoutInvisible(new TextDecoder().decode(beginning, { stream: true }));
}

/** Quotes a text, so that none of its lines can pass for one of ours. */
export function quote(text: string): string {
  return text.trimEnd().replace(/^/gm, '> ');
}

/** Indents a hunk, so that none of its lines can pass for one of ours. */
export function indent(hunk: string): string {
  return hunk.replace(/^/gm, '    ');
}
