import { replaceInvisible } from '../../text/invisible.ts';
import type { Scrub } from '../../text/scrub.ts';

/** Everything that a reader might take for the end of a line. */
const lineBreak = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;
/** Replaces a line break that would end one of our lines. */
const shownBreak = '⏎';
/** In bytes. GitHub allows titles of 256 characters, of up to four bytes. */
const longestTitle = 800;
const longestName = 256;

/**
 * Makes texts from GitHub fit to send: well-formed, without control characters, invisible characters and our secrets. HTML
 * comments stay: bodies come without, as GitHub renders them, and everything else (titles, commit subjects, code) GitHub shows
 * as it is written, so readers have seen them.
 */
export type Clean = ReturnType<typeof createClean>;

/** @param scrub removes our secrets from a text. */
export function createClean(scrub: Scrub) {
  const cleaned = (text: string) => {
    const wellFormed = text.toWellFormed().replace(/(?![\t\n])\p{Cc}/gu, '');
    // And again after scrubbing: a joiner between letters may now be next to a mask.
    return withoutInvisible(scrub(withoutInvisible(wellFormed)));
  };
  const oneLine = (text: string) => cleaned(text.replace(lineBreak, shownBreak).replaceAll('\t', ' '));
  return {
    /** A path, however long. */
    oneLine,
    /** A title, or a commit's subject; longer than GitHub's limit it is cut. */
    title: (text: string) => shortened(oneLine(text), longestTitle),
    /** A login, a label, a tag, an address; likewise. */
    name: (text: string) => shortened(oneLine(text), longestName),
    /** A body, with `\n` between its lines. */
    paragraphs: (text: string) => cleaned(text.replace(lineBreak, '\n')),
    /** A hunk: other line breaks than `\n` stay within their line. */
    hunk: (text: string) =>
      cleaned(text.replace(/\r(?=\n|$)/g, '').replace(/[\v\f\r\x85\u2028\u2029]/g, shownBreak)),
  };
}

/** The beginning of a clean text, in at most so many bytes of UTF-8, cut between code points. */
export function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  // As of a stream, the decoder keeps back the bytes of a code point that isn't complete.
  const beginning = new TextDecoder().decode(bytes.subarray(0, Math.max(0, mostBytes)), { stream: true });
  return withoutInvisible(beginning);
}

function shortened(text: string, mostBytes: number): string {
  const beginning = cut(text, mostBytes);
  return beginning === text ? text : `${beginning}…`;
}

function withoutInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}
