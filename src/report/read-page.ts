import type { Budget } from '../core/budget.ts';
import { ActionError } from '../core/errors.ts';
import type { DocsService, VisitorsQuery } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { VisitorsPage, VisitorsRow } from '../service/schemas.ts';
import type { Window } from './window.ts';
import { type Cut, cutOf, type WindowRead } from './window-read.ts';

/** The most that the interface allows, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

/** How often one request is tried, as long as the budget allows it. */
const triesPerPage = 4;

/** After this many requests in a row without an answer, with all their tries, the run stops asking. */
const mostSilences = 2;

const kinds = ['human', 'ai', 'total'] as const;

/** A window while it is read, a page at a time, so that several can be read in turn. */
export interface Reading {
  readonly projectId: string;
  readonly window: Window;
  read?: WindowRead | undefined;
  /** The rows that came so far. */
  readonly rows: Map<string, VisitorsRow>;
  /** Why not even the first page could be read. */
  failure?: ActionError;
  /** Where the next page begins; `undefined` once the reading is over. */
  next: number | undefined;
}

/**
 * Reads the next page, with as many tries as the budget allows, and at least one. The reading is over when the service says that
 * there are no more rows, the budget is spent, or the service fails.
 *
 * @param keepBack requests to leave for others.
 * @throws the signal's reason.
 */
export type ReadPage = (reading: Reading, keepBack?: number) => Promise<void>;

/** How a run reads the pages of all its projects: they share one budget, and the hourly limit of their organization. */
export function createReadPage(service: DocsService, budget: Budget, signal: AbortSignal): ReadPage {
  let silences = 0;
  /** Why nothing more is asked: a request for any project would meet the same error. */
  let end: ServiceError | undefined;
  const ask = async (projectId: string, query: VisitorsQuery, keepBack: number) => {
    if (end !== undefined) throw end;
    const tries = Math.max(1, Math.min(triesPerPage, budget.left - keepBack));
    const beforeSend = () => budget.spend();
    try {
      const page = await service.forProject(projectId).getVisitors(query, { signal, tries, beforeSend });
      silences = 0;
      return page;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { reason } = error;
      silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
      if (reason === 'rate-limited' || silences >= mostSilences) end = error;
      throw error;
    }
  };
  return async (reading, keepBack = 0) => {
    const { projectId, window, next: offset = 0, read } = reading;
    if (read !== undefined && budget.left <= keepBack) return endReading(reading, { kind: 'budget' });
    const query = { dateFrom: window.start, dateTo: window.end, limit: rowsPerRequest, offset };
    try {
      takePage(reading, await ask(projectId, query, keepBack));
    } catch (error) {
      const isSpent = error instanceof ActionError && error.reason === 'budget-spent';
      if (!isSpent && !(error instanceof ServiceError)) throw error;
      if (read === undefined) reading.failure = error;
      endReading(reading, cutOf(error));
    }
  };
}

function endReading(reading: Reading, cut?: Cut): void {
  const { read } = reading;
  if (read !== undefined) reading.read = { ...read, cut: cut ?? lackOf(read) };
  reading.next = undefined;
}

/** What a window lacks although its list was read to the end. */
function lackOf({ totals, hasGaps }: WindowRead): Cut | undefined {
  if (hasGaps) return { kind: 'changed' };
  const uncounted = kinds.filter((kind) => totals[kind] === undefined);
  if (uncounted.length === 0) return undefined;
  const message = `The service gave no usable total (${uncounted.join(', ')})`;
  return { kind: 'service', reason: 'invalid-response', message, hint: 'Run again later.' };
}

/** The offset grows by the limit (the interface's pagination rule 2), not by the rows received. */
function takePage(reading: Reading, page: VisitorsPage): void {
  const { window, next = 0, read, rows } = reading;
  const { totals } = read ?? page;
  const known = rows.size;
  for (const row of page.visitors) if (row !== null && !rows.has(row.path)) rows.set(row.path, row);
  const added = rows.size - known;
  const isShort = page.hasMore && page.visitors.length < rowsPerRequest;
  const isRecounted = kinds.some((kind) => page.totals[kind] !== totals[kind]);
  const hasGaps = read?.hasGaps || isShort || added < page.visitors.length || isRecounted;
  reading.read = { window, totals, rows, cut: undefined, hasGaps };
  if (page.hasMore && added > 0) reading.next = next + rowsPerRequest;
  else endReading(reading);
}
