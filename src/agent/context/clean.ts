import { replaceInvisible } from '../../text/invisible.ts';
import type { Scrub } from '../../text/scrub.ts';

/** In bytes. GitHub allows titles of 256 characters, of up to four bytes. */
const longestLine = 800;

/**
 * Makes text from GitHub safe to send: well-formed, without control characters, invisible characters, and our secrets. HTML
 * comments stay: rendered bodies have none, and GitHub shows everything else (titles, commit subjects, code) as it was written,
 * so readers have seen them.
 */
export type Clean = ReturnType<typeof createClean>;

/** @param scrub removes our secrets from a text. */
export function createClean(scrub: Scrub) {
  /** Text with `\n` between its lines; anything else that could pass for a line end becomes a visible sign. */
  const lines = (text: string) => {
    const breaks = text.replace(/\r(?=\n|$)/g, '').replace(/[\v\f\r\x85\u2028\u2029]/g, '⏎');
    const wellFormed = breaks.toWellFormed().replace(/(?![\t\n])\p{Cc}/gu, '');
    // And again after scrubbing: a joiner between letters may now be next to a mask.
    return withoutInvisible(scrub(withoutInvisible(wellFormed)));
  };
  return {
    lines,
    /** A title, a path, or a name as one line, cut if it is longer than any title on GitHub. */
    line(text: string): string {
      const whole = lines(text).replaceAll('\n', '⏎');
      const beginning = cut(whole, longestLine);
      return beginning === whole ? whole : `${beginning}…`;
    },
  };
}

/** The beginning of a clean text, in at most this many bytes of UTF-8, cut between code points. */
export function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  // In streaming mode, the decoder holds back the bytes of an incomplete code point.
  const beginning = new TextDecoder().decode(bytes.subarray(0, Math.max(0, mostBytes)), { stream: true });
  return withoutInvisible(beginning);
}

function withoutInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}
