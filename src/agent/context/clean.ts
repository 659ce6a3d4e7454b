import { withoutInvisible } from '../../text/invisible.ts';
import { changeScrubbed, type Scrub, type Scrubbed } from '../../text/scrub.ts';

/** The longest line, in bytes. A title on GitHub has at most 256 characters. */
const maxLineBytes = 800;

export type Clean = ReturnType<typeof createClean>;

/**
 * Makes text from GitHub safe to send. HTML comments stay, because readers see them in titles and
 * code.
 */
export function createClean(scrub: Scrub) {
  /**
   * Scrubbing may remove the letter next to an invisible joiner, so this repeats until nothing
   * changes.
   */
  const clean = (text: string): Scrubbed => {
    const visible = withoutInvisible(text);
    const safe = scrub(visible);
    return safe === visible ? safe : clean(safe);
  };
  /** Keeps only `\n` as a line ending. Other characters that end a line become `⏎`. */
  const lines = (text: string) => {
    const breaks = text.replace(/\r(?=\n|$)/g, '').replace(/[\v\f\r\x85\u2028\u2029]/g, '⏎');
    return clean(breaks.toWellFormed().replace(/(?![\t\n])\p{Cc}/gu, ''));
  };
  /** Turns a title, path, or name into one line. Very long text is cut. */
  const line = (text: string) => {
    const whole = changeScrubbed(lines(text), (several) => several.replaceAll('\n', '⏎'));
    const beginning = cut(whole, maxLineBytes);
    if (beginning === whole) return whole;
    return `${beginning}…`;
  };
  return { lines, line };
}

/** The beginning of a clean text, in at most this many bytes of UTF-8. No code point is split. */
export function cut(text: Scrubbed, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const beginning = bytes.subarray(0, Math.max(0, maxBytes));
  // In streaming mode, the decoder holds back an incomplete code point at the end.
  return withoutInvisible(new TextDecoder().decode(beginning, { stream: true }));
}

/** Quotes a text, so that none of its lines can pass for one of ours. */
export function quote(text: Scrubbed): Scrubbed {
  return changeScrubbed(text, (words) => words.trimEnd().replace(/^/gm, '> '));
}

/** Indents a hunk, so that none of its lines can pass for one of ours. */
export function indent(hunk: Scrubbed): Scrubbed {
  return changeScrubbed(hunk, (lines) => lines.replace(/^/gm, '    '));
}
