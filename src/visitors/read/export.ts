import type { DocsService } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage, VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { type Cut, cutOf } from './cut.ts';
import type { Window } from './period.ts';
import type { Requests } from './requests.ts';
import { type WindowRead, whyNotWhole } from './window-read.ts';

/** The most that the interface allows, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

/** Where the pages of a window come from, and where it goes. */
export interface Source {
  readonly service: DocsService;
  readonly requests: Requests;
  /** Called with what was read, once it is over. */
  readonly onEnd?: (read: WindowRead) => void;
}

/**
 * A window that is read a page of rows at a time, so that several can be read in turn. It ends when the service says that there
 * are no more rows, the budget is spent, or the service fails. The offset grows by the limit (the interface's pagination rule
 * 2), not by the rows received.
 */
export class WindowReading {
  readonly #window: Window;
  readonly #source: Source;
  readonly #totals: VisitorsTotals;
  readonly #rows = new Map<string, VisitorsRow>();
  readonly #oddities = { repeatedRows: 0, unusableRows: 0, shortPages: 0, driftedPages: 0, emptyEnd: false };
  #offset = 0;
  #cut: Cut | undefined;
  #isOver = false;

  /**
   * Reads the first page, which the totals come with.
   *
   * @param keepBack requests to leave over; the first try may use them.
   * @throws what `Requests.page` throws: whatever ends the reading after the first page leaves a window cut short.
   */
  static async begin(window: Window, source: Source, keepBack = 0): Promise<WindowReading> {
    const first = await source.requests.page(source.service, queryOf(window, 0), keepBack);
    return new WindowReading(window, source, first);
  }

  private constructor(window: Window, source: Source, first: VisitorsPage) {
    this.#window = window;
    this.#source = source;
    this.#totals = first.totals;
    this.#take(first);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Reads the next page, if a request is left. @throws the signal's reason. */
  async next(): Promise<void> {
    const { service, requests } = this.#source;
    if (requests.left === 0) {
      this.#end({ kind: 'budget' });
      return;
    }
    this.#offset += rowsPerRequest;
    try {
      this.#take(await requests.page(service, queryOf(this.#window, this.#offset), 0));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#end(cutOf(error));
    }
  }

  /** What was read, once it is over. */
  get read(): WindowRead {
    const rows = this.#rows;
    // Where rows may be missing, any of them may, also one of the first.
    const descending = whyNotWhole(this.#oddities) === undefined && isDescending([...rows.values()]);
    return {
      window: this.#window,
      totals: this.#totals,
      rows,
      cut: this.#cut,
      descending,
      oddities: this.#oddities,
    };
  }

  #take(page: VisitorsPage): void {
    const rows = this.#rows;
    const known = rows.size;
    this.#addRows(page);
    if (!sameTotals(page.totals, this.#totals)) this.#oddities.driftedPages += 1;
    if (!page.hasMore) {
      this.#oddities.emptyEnd = page.visitors.length === 0 && known > 0;
      this.#end(whyNotWhole(this.#oddities));
    } else if (page.visitors.length === 0) {
      this.#end({ kind: 'empty-page' });
    } else {
      if (page.visitors.length < rowsPerRequest) this.#oddities.shortPages += 1;
      if (rows.size > known) return;
      this.#end({ kind: page.visitors.some((row) => row !== null) ? 'repeated-page' : 'unusable-rows' });
    }
  }

  #addRows({ visitors }: VisitorsPage): void {
    for (const row of visitors) {
      if (row === null) this.#oddities.unusableRows += 1;
      else if (this.#rows.has(row.path)) this.#oddities.repeatedRows += 1;
      else this.#rows.set(row.path, row);
    }
  }

  #end(cut: Cut | undefined): void {
    this.#cut = cut;
    this.#isOver = true;
    this.#source.onEnd?.(this.read);
  }
}

function queryOf({ start, end }: Window, offset: number) {
  return { dateFrom: start, dateTo: end, limit: rowsPerRequest, offset };
}

/** Whether each row has at most as many visitors as the one before, and the last has fewer than the first. */
function isDescending(rows: readonly VisitorsRow[]): boolean {
  const neverRises = rows.every(({ total }, index) => total <= (rows[index - 1]?.total ?? total));
  return neverRises && (rows[0]?.total ?? 0) > (rows.at(-1)?.total ?? 0);
}

function sameTotals(a: VisitorsTotals, b: VisitorsTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total;
}
