import { ActionError } from '../../lib/errors.ts';
import type { DocsService } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';
import type { Cut, WindowRead } from './window-read.ts';

/** The most rows a page may have, by the interface: the fewest requests. */
export const rowsPerRequest = 250;

/** Tries for one page while the budget allows them. */
const triesPerPage = 4;

/** How many requests the run may still send, and how many it sent, retries included. */
export class Budget {
  readonly most: number;
  used = 0;

  constructor(most: number) {
    this.most = most;
  }

  get left(): number {
    return this.most - this.used;
  }

  /** @throws ActionError `budget-spent` instead of going beyond. */
  spend(): void {
    if (this.left <= 0) throw budgetSpent(this.most);
    this.used += 1;
  }
}

export interface ReadOptions {
  readonly budget: Budget;
  /** Requests to leave for what is read after this window; its first page may use them all the same. */
  readonly keepBack: number;
  /** What follows when the service refuses a later page for good: an error, or a window that is cut short. */
  readonly onRefusal: 'throw' | 'cut';
  readonly signal: AbortSignal;
}

/**
 * Reads a window page by page, one request after another, until the service says that there is no more, the budget is
 * spent, or a page cannot be had.
 *
 * The offset grows by the rows received. For a service that honours `limit` this is the interface's rule (the offset
 * grows by `limit`); for one that gives fewer, growing by `limit` would skip rows without a trace.
 *
 * @throws ServiceError when the first page fails, or (`onRefusal: 'throw'`) a later one is refused for good; ActionError
 *   `budget-spent` when not even the first page may be asked for; the signal's reason.
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
  if (budget.left <= 0) throw budgetSpent(budget.most);
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

/** Whether the rows never rise and do fall: rows that are all equal show no order at all. */
function isDescending(rows: readonly VisitorsRow[]): boolean {
  const neverRises = rows.every(({ total }, index) => total <= (rows[index - 1]?.total ?? total));
  return neverRises && (rows[0]?.total ?? 0) > (rows.at(-1)?.total ?? 0);
}

function sameTotals(a: VisitorsTotals, b: VisitorsTotals): boolean {
  return a.human === b.human && a.ai === b.ai && a.total === b.total;
}

function budgetSpent(most: number): ActionError {
  return new ActionError('budget-spent', `The budget of ${most} requests is spent`, {
    hint: 'Raise `max-requests`; the service allows 100 an hour for the whole organisation.',
  });
}
