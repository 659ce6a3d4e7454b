import { cut } from './clean.ts';

const restMissing = '(The rest is left out.)';

/** How many bytes of UTF-8 a line takes, with its newline. */
export function lineBytes(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** Lines that together fit into so many bytes of UTF-8, each with its newline. They are handed in clean. */
export class Page {
  readonly #lines: string[] = [];
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Adds these lines if all of them fit. */
  add(...lines: readonly string[]): void {
    const bytes = lines.reduce((sum, line) => sum + lineBytes(line), 0);
    if (bytes > this.#left) return;
    this.#lines.push(...lines);
    this.#left -= bytes;
  }

  /** Adds a heading with those of the items, in order, that fit into `mostBytes`. Gives how many do not. */
  addList(heading: string, items: readonly string[], mostBytes: number): number {
    let left = this.#roomBelow(heading, mostBytes);
    const fitting = items.filter((item) => {
      const fits = lineBytes(item) <= left;
      if (fits) left -= lineBytes(item);
      return fits;
    });
    if (fitting.length > 0) this.add('', heading, ...fitting);
    return items.length - fitting.length;
  }

  /**
   * Adds a heading with as much of a text as fits into `mostBytes`, each line behind `> `, so that none can look like a line of
   * ours. Gives how many bytes do not fit.
   */
  addText(heading: string, text: string, mostBytes: number): number {
    if (text.trim() === '') return 0;
    const quoted = text.trimEnd().replace(/^/gm, '> ');
    const room = this.#roomBelow(heading, mostBytes);
    if (lineBytes(quoted) <= room) {
      this.add('', heading, quoted);
      return 0;
    }
    const beginning = cut(quoted, room - lineBytes(restMissing) - lineBytes(''));
    if (beginning === '') return lineBytes(quoted);
    this.add('', heading, beginning, restMissing);
    return lineBytes(quoted) - lineBytes(beginning);
  }

  #roomBelow(heading: string, mostBytes: number): number {
    return Math.min(mostBytes, this.#left) - lineBytes('') - lineBytes(heading);
  }
}
