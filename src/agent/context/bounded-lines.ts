import { cut } from './clean.ts';

/** In bytes: room for the sentence about what was left out, which contains only our own words and numbers. */
const omissionsBytes = 1024;

/** Lines that fit into a number of bytes of UTF-8, and a sentence about what didn't. Expects clean text. */
export class BoundedLines {
  readonly #lines: string[] = [];
  readonly #omitted: string[] = [];
  /** In bytes of UTF-8. */
  left: number;

  constructor(bytes: number) {
    this.left = bytes - omissionsBytes;
  }

  /** What was left out, in one sentence; `undefined` for nothing. */
  get leftOut(): string | undefined {
    return this.#omitted.length === 0 ? undefined : `Left out: ${this.#omitted.join('; ')}.`;
  }

  /** All lines, including the one about what was left out. */
  all(): readonly string[] {
    return this.leftOut === undefined ? this.#lines : [...this.#lines, '', this.leftOut];
  }

  omit(what: string): void {
    this.#omitted.push(what);
  }

  /** Adds these lines if all of them fit. */
  add(...lines: readonly string[]): void {
    const bytes = linesBytes(lines);
    if (bytes > this.left) return;
    this.#lines.push(...lines);
    this.left -= bytes;
  }

  /**
   * Adds a heading with the items that fit into `mostBytes`, in order: one that is too large leaves room for smaller ones.
   *
   * @param omission describes how many are missing.
   * @param total how many there are, if `items` is incomplete.
   */
  addList(
    heading: string,
    items: readonly string[],
    mostBytes: number,
    omission: (missing: number) => string,
    total = items.length,
  ): void {
    const fitting = firstFitting(items, this.#roomBelow(heading, mostBytes));
    if (fitting.length > 0) this.add('', heading, ...fitting);
    if (total > fitting.length) this.omit(omission(total - fitting.length));
  }

  /** Adds a heading with as much of a text as fits into `mostBytes`, quoted so that none of its lines looks like ours. */
  addText(heading: string, text: string, mostBytes: number, name: string): void {
    if (text.trim() === '') return;
    const quoted = text.trimEnd().replace(/^/gm, '> ');
    const shown = cut(quoted, this.#roomBelow(heading, mostBytes) - 1);
    if (shown !== '') this.add('', heading, shown);
    const missing = Buffer.byteLength(quoted) - Buffer.byteLength(shown);
    if (missing > 0) this.omit(`the last ${counted(missing, 'byte')} of ${name}`);
  }

  #roomBelow(heading: string, mostBytes: number): number {
    return Math.min(mostBytes, this.left) - linesBytes(['', heading]);
  }
}

/** The items that fit into so many bytes, in order: one that is too large leaves room for smaller ones. */
export function firstFitting(items: readonly string[], bytes: number): string[] {
  let left = bytes;
  return items.filter((item) => {
    const needed = linesBytes([item]);
    if (needed > left) return false;
    left -= needed;
    return true;
  });
}

/** How many bytes of UTF-8 lines take, each with its newline. */
export function linesBytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** A number with its noun: `1 file`, `1,200 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
