import { counted } from '../../text/counts.ts';
import { cut } from './clean.ts';

/** The space for the sentence about what was left out, in bytes. The sentence contains only fixed text and numbers. */
const omissionsBytes = 1024;

/** Collects clean lines (see clean.ts) up to a limit in bytes of UTF-8, and describes what was left out. */
export class BoundedLines {
  readonly #lines: string[] = [];
  readonly #omitted: string[] = [];
  /** The most bytes in one section. */
  readonly maxSection: number;
  /** The remaining space, in bytes. */
  remaining: number;

  constructor(bytes: number, maxSection: number) {
    this.maxSection = maxSection;
    this.remaining = bytes - omissionsBytes;
  }

  /** A sentence about what was left out; `undefined` if nothing was. */
  get leftOut(): string | undefined {
    return this.#omitted.length === 0 ? undefined : `Not sent: ${this.#omitted.join('; ')}.`;
  }

  all(): readonly string[] {
    return this.leftOut === undefined ? this.#lines : [...this.#lines, '', this.leftOut];
  }

  omit(what: string): void {
    this.#omitted.push(what);
  }

  /** Adds these lines if all of them fit. */
  add(...lines: readonly string[]): void {
    const bytes = linesBytes(lines);
    if (bytes > this.remaining) return;
    this.#lines.push(...lines);
    this.remaining -= bytes;
  }

  /** Adds a heading and the items that fit. `omission` describes how many are missing from `total`. */
  addList(
    heading: string,
    items: readonly string[],
    omission: (missing: number) => string,
    { maxBytes = this.maxSection, total = items.length } = {},
  ): void {
    const fitting = firstFitting(items, this.#roomBelow(heading, maxBytes));
    if (fitting.length > 0) this.add('', heading, ...fitting);
    if (total > fitting.length) this.omit(omission(total - fitting.length));
  }

  /** Adds a heading and as much of a text as fits. The text is quoted, so that no line can pass for one of ours. */
  addText(heading: string, text: string, name: string): void {
    if (text.trim() === '') return;
    const quoted = text.trimEnd().replace(/^/gm, '> ');
    const shown = cut(quoted, this.#roomBelow(heading, this.maxSection) - 1);
    if (shown !== '') this.add('', heading, shown);
    const missing = Buffer.byteLength(quoted) - Buffer.byteLength(shown);
    if (missing > 0) this.omit(`the last ${counted(missing, 'byte')} of ${name}`);
  }

  #roomBelow(heading: string, maxBytes: number): number {
    return Math.min(maxBytes, this.remaining) - linesBytes(['', heading]);
  }
}

/** The items that fit. An item that is too large is skipped, because smaller items after it may still fit. */
export function firstFitting(items: readonly string[], bytes: number): string[] {
  let remaining = bytes;
  return items.filter((item) => {
    const needed = linesBytes([item]);
    if (needed > remaining) return false;
    remaining -= needed;
    return true;
  });
}

/** The size of lines with their newlines, in bytes of UTF-8. */
export function linesBytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
