import type { VisitorsRow } from '../service/schemas.ts';

/** The rows of a window by path, each path once, in the order they came. */
export type Rows = Pick<ReadonlyMap<string, VisitorsRow>, 'size' | 'has' | 'get' | 'keys' | 'values'>;

const columns = 3;
const firstCapacity = 256;

/**
 * Rows in columns of numbers, made into objects only when asked for: kept as objects, the rows of a large site take
 * twice the memory.
 */
export class RowTable implements Rows {
  readonly #places = new Map<string, number>();
  #counts = new Float64Array(firstCapacity * columns);

  /** Adds a row unless its path is there already; tells whether it did. */
  add({ path, human, ai, total }: VisitorsRow): boolean {
    if (this.#places.has(path)) return false;
    const place = this.#places.size * columns;
    if (place === this.#counts.length) {
      const grown = new Float64Array(this.#counts.length * 2);
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#counts[place] = human;
    this.#counts[place + 1] = ai;
    this.#counts[place + 2] = total;
    this.#places.set(path, place);
    return true;
  }

  get size(): number {
    return this.#places.size;
  }

  has(path: string): boolean {
    return this.#places.has(path);
  }

  get(path: string): VisitorsRow | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#row(path, place);
  }

  keys(): MapIterator<string> {
    return this.#places.keys();
  }

  *values(): MapIterator<VisitorsRow> {
    for (const [path, place] of this.#places) yield this.#row(path, place);
  }

  #row(path: string, place: number): VisitorsRow {
    const count = (column: number) => this.#counts[place + column] ?? 0;
    return { path, human: count(0), ai: count(1), total: count(2) };
  }
}
