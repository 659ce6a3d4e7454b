import { replaceInvisible } from '../../../text/invisible.ts';
import type { Scrub } from '../../../text/scrub.ts';

/** All that some reader might take for the end of a line. */
const lineBreak = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;
/** Stands where a line break would end a line of ours. */
const shownBreak = '⏎';

/**
 * Texts from GitHub as the agent is given them: well-formed, without control characters, without what nobody sees, and without
 * our secrets. HTML comments stay: bodies come as GitHub renders them, which is without, and everything else (titles, commit
 * subjects, code) is shown by GitHub as it is written, so that readers have seen them.
 */
export interface Clean {
  /** A title, a name, a commit's subject. */
  oneLine(text: string): string;
  /** A body, with `\n` between its lines. */
  paragraphs(text: string): string;
  /** A hunk, verbatim else: a line break of another kind stays within its line. */
  hunk(text: string): string;
}

/** @param scrub takes our secrets out of a text. */
export function createClean(scrub: Scrub): Clean {
  const cleaned = (text: string) => {
    const wellFormed = text.toWellFormed().replace(/(?![\t\n])\p{Cc}/gu, '');
    // Once more behind the scrubber: what stood between letters may now stand beside a mask.
    return withoutInvisible(scrub(withoutInvisible(wellFormed)));
  };
  return {
    oneLine: (text) => cleaned(text.replace(lineBreak, shownBreak).replaceAll('\t', ' ')),
    paragraphs: (text) => cleaned(text.replace(lineBreak, '\n')),
    hunk: (text) => cleaned(text.replace(/\r(?=\n|$)/g, '').replace(/[\v\f\r\x85\u2028\u2029]/g, shownBreak)),
  };
}

/** The beginning of a clean text, in at most so many bytes of UTF-8, cut between code points. */
export function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  let end = Math.max(0, mostBytes);
  while (end > 0 && isInsideCodePoint(bytes[end])) end -= 1;
  return withoutInvisible(bytes.toString('utf8', 0, end));
}

function isInsideCodePoint(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

function withoutInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}
