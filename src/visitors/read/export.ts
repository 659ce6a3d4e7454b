import type { Budget } from '../../lib/budget.ts';
import type { DocsService } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage, VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';
import { type WindowRead, whyNotWhole } from './window-read.ts';

/** The most that the interface allows, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

/** How often one request is tried, as long as the budget allows it. */
const triesPerPage = 4;

/** How a window is read. */
export interface ReadOptions {
  readonly budget: Budget;
  /** Requests to leave over for the next window. Only the first request of this one may use them. */
  readonly keepBack: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a window, one request for a page of rows after another, until the service says that there are no more, the budget
 * is spent, or the service fails. The offset grows by the limit (the interface's pagination rule 2), not by the rows received.
 *
 * @throws ServiceError when the first request fails: whatever ends the reading after it leaves a window cut short; ActionError
 *   `budget-spent` when no request is left at all; the signal's reason.
 */
export async function readWindow(
  service: DocsService,
  window: Window,
  { budget, keepBack, signal }: ReadOptions,
): Promise<WindowRead> {
  const ask = (offset: number, tries: number) =>
    service.getVisitors(
      { dateFrom: window.start, dateTo: window.end, limit: rowsPerRequest, offset },
      { signal, tries: Math.min(triesPerPage, tries), beforeSend: () => budget.spend() },
    );
  // Without its first page there is no report: nothing is kept back from that.
  let page = await ask(0, Math.max(1, budget.left));
  const { totals } = page;
  const rows = new Map<string, VisitorsRow>();
  const oddities = { repeatedRows: 0, unusableRows: 0, shortPages: 0, driftedPages: 0, emptyEnd: false };
  const end = (cut = whyNotWhole(oddities)): WindowRead => {
    // Where rows may be missing, any of them may, also one of the first.
    const descending = whyNotWhole(oddities) === undefined && isDescending([...rows.values()]);
    return { window, totals, rows, cut, descending, oddities };
  };
  for (let offset = rowsPerRequest; ; offset += rowsPerRequest) {
    const known = rows.size;
    addRows(page, rows, oddities);
    if (!sameTotals(page.totals, totals)) oddities.driftedPages += 1;
    if (!page.hasMore) {
      oddities.emptyEnd = page.visitors.length === 0 && known > 0;
      return end();
    }
    if (page.visitors.length === 0) return end({ kind: 'empty-page' });
    if (page.visitors.length < rowsPerRequest) oddities.shortPages += 1;
    if (rows.size === known) {
      return end({ kind: page.visitors.some((row) => row !== null) ? 'repeated-page' : 'unusable-rows' });
    }
    const affordable = budget.left - keepBack;
    if (affordable <= 0) return end({ kind: 'budget' });
    try {
      page = await ask(offset, affordable);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { reason, message, hint } = error;
      return end({ kind: 'service', reason, message: hint === undefined ? message : `${message}. ${hint}` });
    }
  }
}

function addRows(
  { visitors }: VisitorsPage,
  rows: Map<string, VisitorsRow>,
  oddities: { repeatedRows: number; unusableRows: number },
): void {
  for (const row of visitors) {
    if (row === null) oddities.unusableRows += 1;
    else if (rows.has(row.path)) oddities.repeatedRows += 1;
    else rows.set(row.path, row);
  }
}

/** Whether each row has at most as many visitors as the one before, and the last has fewer than the first. */
function isDescending(rows: readonly VisitorsRow[]): boolean {
  const neverRises = rows.every(({ total }, index) => total <= (rows[index - 1]?.total ?? total));
  return neverRises && (rows[0]?.total ?? 0) > (rows.at(-1)?.total ?? 0);
}

function sameTotals(a: VisitorsTotals, b: VisitorsTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total;
}
