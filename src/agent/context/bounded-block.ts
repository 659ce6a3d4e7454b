import { pluralize } from '../../text/counts.ts';
import { joinTexts } from '../../text/markdown.ts';
import { type Clean, cut, quote } from './clean.ts';

/**
 * The space for the sentence about what was left out, in bytes. The sentence contains only fixed
 * text and numbers.
 */
const noteBytes = 1024;

/**
 * Collects clean lines (see clean.ts) up to a limit in bytes of UTF-8, and describes what was left
 * out.
 */
export class Block {
  readonly clean: Clean;
  readonly maxSectionBytes: number;
  remainingBytes: number;
  readonly #lines: string[] = [];
  readonly #sentences: string[] = [];
  readonly #omissions: string[] = [];

  constructor(clean: Clean, maxBytes: number, maxSectionBytes: number) {
    this.clean = clean;
    this.maxSectionBytes = maxSectionBytes;
    this.remainingBytes = maxBytes - noteBytes;
  }

  /** Sentences about what was left out; `undefined` if nothing was. */
  get note() {
    const omitted = this.#omissions.join('; ');
    const sentences = [...this.#sentences, omitted && `Not sent: ${omitted}.`];
    return joinTexts(sentences) || undefined;
  }

  /** All lines, and the note. */
  all() {
    return this.note ? [...this.#lines, '', this.note] : this.#lines;
  }

  /** Adds a sentence to the note. */
  tell(sentence: string) {
    this.#sentences.push(sentence);
  }

  omit(part: string) {
    this.#omissions.push(part);
  }

  /** Adds these lines, which must be clean, if all of them fit. */
  add(...lines: readonly string[]) {
    const bytes = linesBytes(lines);
    if (bytes > this.remainingBytes) return;
    this.#lines.push(...lines);
    this.remainingBytes -= bytes;
  }

  /**
   * Adds a heading and the items that fit, which must be clean. `omission` says how many of `total`
   * are missing.
   */
  addList(
    heading: string,
    items: readonly string[],
    omission: (missing: number) => string,
    { maxBytes = this.maxSectionBytes, total = items.length } = {},
  ) {
    const fitting = chooseFitting(items, this.#bytesBelow(heading, maxBytes));
    if (fitting.length > 0) this.add('', heading, ...fitting);
    if (total > fitting.length) this.omit(omission(total - fitting.length));
  }

  /**
   * Adds a heading and the newest items that fit, which must be clean and sorted oldest first.
   * Returns how many.
   */
  addNewest(heading: string, items: readonly string[], maxBytes: number) {
    const fitting = chooseFitting(items.toReversed(), this.#bytesBelow(heading, maxBytes));
    if (fitting.length > 0) this.add('', heading, ...fitting.toReversed());
    return fitting.length;
  }

  /** Adds a heading and as much of a text as fits, quoted. */
  addText(heading: string, text: string, name: string) {
    const cleanText = this.clean.lines(text);
    if (cleanText.trim() === '') return;
    const quoted = quote(cleanText);
    const fitting = cut(quoted, this.#bytesBelow(heading, this.maxSectionBytes) - 1);
    if (fitting !== '') this.add('', heading, fitting);
    const missing = Buffer.byteLength(quoted) - Buffer.byteLength(fitting);
    if (missing > 0) this.omit(`the last ${pluralize(missing, 'byte')} of ${name}`);
  }

  #bytesBelow(heading: string, maxBytes: number) {
    return Math.min(maxBytes, this.remainingBytes) - linesBytes(['', heading]);
  }
}

/** The items that fit. If one is too large, smaller items after it may still fit. */
export function chooseFitting(items: readonly string[], maxBytes: number): string[] {
  const fitting: string[] = [];
  let remainingBytes = maxBytes;
  for (const item of items) {
    const bytes = linesBytes([item]);
    if (bytes > remainingBytes) continue;
    fitting.push(item);
    remainingBytes -= bytes;
  }
  return fitting;
}

/** The size of lines with their newlines, in bytes of UTF-8. */
export function linesBytes(lines: readonly string[]): number {
  let bytes = 0;
  for (const line of lines) bytes += Buffer.byteLength(line) + 1;
  return bytes;
}
