import { cut } from './clean.ts';

const restOmitted = '(The rest is left out.)';
/** In bytes: room for the sentence about what was left out, which has nothing from outside but counts. */
const omissionsBytes = 1024;

/** Lines that fit into a number of bytes of UTF-8, and a sentence about what didn't. Texts are handed in clean. */
export class BoundedLines {
  readonly #lines: string[] = [];
  readonly #omitted: string[] = [];
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes - omissionsBytes;
  }

  get left(): number {
    return this.#left;
  }

  /** What was left out, in one sentence; `undefined` for nothing. */
  get leftOut(): string | undefined {
    return this.#omitted.length === 0 ? undefined : `Left out: ${this.#omitted.join('; ')}.`;
  }

  /** All lines, those about what was left out included. */
  all(): readonly string[] {
    return this.leftOut === undefined ? this.#lines : [...this.#lines, '', this.leftOut];
  }

  omit(what: string): void {
    this.#omitted.push(what);
  }

  /** Adds these lines if all of them fit. */
  add(...lines: readonly string[]): void {
    const bytes = linesBytes(lines);
    if (bytes > this.#left) return;
    this.#lines.push(...lines);
    this.#left -= bytes;
  }

  /**
   * Adds a heading with the items that fit into `mostBytes`, in order: one that is too large leaves room for smaller ones.
   *
   * @param omission says how many are missing, of which there may be more than were handed in.
   */
  addList(
    heading: string,
    items: readonly string[],
    mostBytes: number,
    omission: (missing: number) => string,
    total = items.length,
  ): void {
    let left = this.#roomBelow(heading, mostBytes);
    const fitting = items.filter((item) => {
      const fits = lineBytes(item) <= left;
      if (fits) left -= lineBytes(item);
      return fits;
    });
    if (fitting.length > 0) this.add('', heading, ...fitting);
    if (total > fitting.length) this.omit(omission(total - fitting.length));
  }

  /** Adds a heading with as much of a text as fits into `mostBytes`, quoted so that none of its lines looks like ours. */
  addText(heading: string, text: string, mostBytes: number, name: string): void {
    if (text.trim() === '') return;
    const quoted = text.trimEnd().replace(/^/gm, '> ');
    const room = this.#roomBelow(heading, mostBytes);
    if (lineBytes(quoted) <= room) {
      this.add('', heading, quoted);
      return;
    }
    const beginning = cut(quoted, room - linesBytes([restOmitted, '']));
    if (beginning !== '') this.add('', heading, beginning, restOmitted);
    const missing = Buffer.byteLength(quoted) - Buffer.byteLength(beginning);
    this.omit(`the last ${counted(missing, 'byte')} of ${name}`);
  }

  #roomBelow(heading: string, mostBytes: number): number {
    return Math.min(mostBytes, this.#left) - linesBytes(['', heading]);
  }
}

/** How many bytes of UTF-8 lines take, each with its newline. */
export function linesBytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + lineBytes(line), 0);
}

/** A number of things in words: `1 file`, `1,200 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** How many bytes of UTF-8 a line takes, with its newline. */
export function lineBytes(line: string): number {
  return Buffer.byteLength(line) + 1;
}
