import { ActionError } from '../core/errors.ts';
import { ServiceError } from '../service/errors.ts';
import type { VisitorsPage, VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import type { AskForPage } from './ask.ts';
import { type Cut, cutOf } from './cut.ts';
import type { Window } from './window.ts';
import type { WindowRead } from './window-read.ts';

/** The most that the interface allows, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

/** What a window has so far. */
interface Draft extends Omit<WindowRead, 'cut' | 'hasGaps' | 'rows'> {
  readonly rows: Map<string, VisitorsRow>;
  hasGaps: boolean;
  cut: Cut | undefined;
}

/** A window while it is read, a page at a time, so that several can be read in turn. */
export interface Reading {
  readonly projectId: string;
  readonly window: Window;
  read: Draft | undefined;
  /** Why not even the first page could be read. */
  failure: ActionError | undefined;
  /** Where the next page begins; `undefined` once the reading is over. */
  next: number | undefined;
}

/** A window that is still to be read, unless it is known already. */
export function readingOf(projectId: string, window: Window, known: WindowRead | undefined): Reading {
  const read = known && { ...known, rows: new Map(known.rows) };
  return { projectId, window, read, failure: undefined, next: known === undefined ? 0 : undefined };
}

/** What the pages of a run come from. */
export interface PageSource {
  readonly ask: AskForPage;
  readonly budget: { readonly left: number };
}

/**
 * Reads the next page. The reading is over when the service says that there are no more rows, the budget is spent, or the service
 * fails. The offset grows by the limit (the interface's pagination rule 2), not by the rows received.
 *
 * @param keepBack requests to leave for others.
 * @throws the signal's reason.
 */
export async function readPage(reading: Reading, { ask, budget }: PageSource, keepBack = 0): Promise<void> {
  const { projectId, window, next: offset = 0, read } = reading;
  if (read !== undefined && budget.left === 0) {
    end(reading, { kind: 'budget' });
    return;
  }
  const query = { dateFrom: window.start, dateTo: window.end, limit: rowsPerRequest, offset };
  try {
    take(reading, await ask(projectId, query, keepBack));
  } catch (error) {
    const isSpent = error instanceof ActionError && error.reason === 'budget-spent';
    if (!isSpent && !(error instanceof ServiceError)) throw error;
    if (read === undefined) reading.failure = error;
    end(reading, cutOf(error));
  }
}

function end(reading: Reading, cut: Cut | undefined): void {
  const { read } = reading;
  if (read !== undefined) read.cut = cut ?? (read.hasGaps ? { kind: 'changed' } : undefined);
  reading.next = undefined;
}

function take(reading: Reading, page: VisitorsPage): void {
  const { window, next = 0 } = reading;
  reading.read ??= { window, totals: page.totals, rows: new Map(), cut: undefined, hasGaps: false };
  const { rows, totals } = reading.read;
  const known = rows.size;
  for (const row of page.visitors) if (row !== null && !rows.has(row.path)) rows.set(row.path, row);
  const added = rows.size - known;
  const isShort = page.hasMore && page.visitors.length < rowsPerRequest;
  reading.read.hasGaps ||= isShort || added < page.visitors.length || !isEqual(page.totals, totals);
  if (page.hasMore && added > 0) reading.next = next + rowsPerRequest;
  else end(reading, undefined);
}

function isEqual(a: VisitorsTotals, b: VisitorsTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total;
}
