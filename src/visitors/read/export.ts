import { ActionError } from '../../lib/errors.ts';
import type { DocsService } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';
import type { Cut, WindowRead } from './window-read.ts';

/** The most that the interface allows, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

/** How often one request is tried, as long as the budget allows it. */
const triesPerPage = 4;

/** Counts the requests that a run sends, retries included, and stops it at the most it may send. */
export class Budget {
  readonly most: number;
  used = 0;

  constructor(most: number) {
    this.most = most;
  }

  get left(): number {
    return this.most - this.used;
  }

  /** Counts one request before it is sent. @throws ActionError `budget-spent` when none is left. */
  spend(): void {
    if (this.left <= 0) {
      throw new ActionError('budget-spent', `The budget of ${this.most} requests is spent`, {
        hint: 'Raise `max-requests`; the service allows 100 an hour for the whole organisation.',
      });
    }
    this.used += 1;
  }
}

/** How a window is read. */
export interface ReadOptions {
  readonly budget: Budget;
  /** Requests to leave over for the next window. Only the first request of this one may use them. */
  readonly keepBack: number;
  /** When the service refuses a later page of rows for good: throw its error, or give the window as far as it was read. */
  readonly onRefusal: 'throw' | 'cut';
  readonly signal: AbortSignal;
}

/**
 * Reads a window, one request for a page of rows after another, until the service says that there are no more, the budget
 * is spent, or the service fails.
 *
 * The offset grows by the rows received. Where the service honours `limit`, this is the interface's rule (the offset grows
 * by `limit`); where it sends fewer rows, growing by `limit` would skip some unnoticed.
 *
 * @throws ServiceError when the first request fails, or (`onRefusal: 'throw'`) a later one is refused for good; ActionError
 *   `budget-spent` when no request is left at all; the signal's reason.
 */
export async function readWindow(
  service: DocsService,
  window: Window,
  { budget, keepBack, onRefusal, signal }: ReadOptions,
): Promise<WindowRead> {
  const ask = (offset: number, tries: number) =>
    service.getVisitors(
      { dateFrom: window.start, dateTo: window.end, limit: rowsPerRequest, offset },
      { signal, tries: Math.min(triesPerPage, tries), beforeSend: () => budget.spend() },
    );
  let page = await ask(0, Math.max(1, budget.left - keepBack));
  const { totals } = page;
  const rows = new Map<string, VisitorsRow>();
  let [received, repeatedRows, driftedPages] = [0, 0, 0];
  const end = (cut?: Cut): WindowRead => {
    const oddities = { repeatedRows, driftedPages };
    return { window, totals, rows, cut, descending: isDescending([...rows.values()]), oddities };
  };
  for (;;) {
    const known = rows.size;
    for (const row of page.visitors) {
      if (rows.has(row.path)) repeatedRows += 1;
      else rows.set(row.path, row);
    }
    received += page.visitors.length;
    if (!sameTotals(page.totals, totals)) driftedPages += 1;
    if (!page.hasMore) return end();
    if (page.visitors.length === 0) return end({ kind: 'empty-page' });
    if (rows.size === known) return end({ kind: 'repeated-page' });
    const affordable = budget.left - keepBack;
    if (affordable <= 0) return end({ kind: 'budget' });
    try {
      page = await ask(received, affordable);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!error.transient && onRefusal === 'throw') throw error;
      return end({ kind: 'service', reason: error.reason, message: error.message });
    }
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
