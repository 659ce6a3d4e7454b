import type { Budget } from '../../core/budget.ts';
import { ActionError } from '../../core/errors.ts';
import type { CallOptions, DocsService } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage, VisitorsRow } from '../../service/schemas.ts';
import { type Cut, cutOf, kindsOfTotals, type WindowRead } from './window-read.ts';

/** The API's maximum, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

const triesPerPage = 4;

/** After this many requests in a row get no response, no more requests are sent. */
const maxSilences = 2;

/** A window that is read page by page, so that several windows can take turns. */
export interface Reading {
  readonly projectId: string;
  /** What was known at the beginning, from the history. */
  begun: WindowRead;
  /** What is known so far. Until the last page has been read, it is cut. */
  read: WindowRead;
  readonly rows: Map<string, VisitorsRow>;
  /** The offset of the next page; `undefined` once the window has been read. */
  next: number | undefined;
  /** Set if even the first page couldn't be read. */
  failure?: ActionError;
}

export function beginReading(projectId: string, begun: WindowRead): Reading {
  return {
    projectId,
    begun,
    read: begun,
    rows: new Map(begun.cut && begun.rows),
    next: begun.cut && begun.rows.size,
  };
}

/** Creates the function that sends all requests, with one budget and hourly limit. It returns a response or an error. */
export function createAsk(budget: Budget, signal: AbortSignal) {
  let silences = 0;
  /** Set once every further request would fail the same way. */
  let end: ServiceError | undefined;
  return async <T>(request: (options: CallOptions) => Promise<T>, tries: number) => {
    if (end !== undefined) return end;
    try {
      const answer = await request({ signal, tries: Math.max(1, tries), beforeSend: () => budget.spend() });
      silences = 0;
      return answer;
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'budget-spent') return error;
      if (!(error instanceof ServiceError)) throw error;
      const { reason } = error;
      silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
      if (reason === 'rate-limited' || silences >= maxSilences) end = error;
      return error;
    }
  };
}

export type ReadPage = ReturnType<typeof createReadPage>;

export function createReadPage(service: DocsService, budget: Budget, signal: AbortSignal) {
  const ask = createAsk(budget, signal);
  return async (reading: Reading): Promise<void> => {
    const { projectId, next: offset = 0, read } = reading;
    const { start: dateFrom, end: dateTo } = read.window;
    const query = { dateFrom, dateTo, limit: rowsPerRequest, offset };
    const page = await ask(
      (options) => service.forProject(projectId).getVisitors(query, options),
      Math.min(triesPerPage, budget.remaining),
    );
    if (!(page instanceof ActionError)) return takePage(reading, page);
    if (offset === 0) reading.failure = page;
    endReading(reading, cutOf(page));
  };
}

function endReading(reading: Reading, cut?: Cut): void {
  const { read } = reading;
  reading.read = { ...read, cut: cut ?? (read.mayLackRows ? { kind: 'changed' } : undefined) };
  reading.next = undefined;
}

/** The offset grows by the limit, whatever the number of rows received (the interface's pagination rule 2). */
function takePage(reading: Reading, page: VisitorsPage): void {
  const { next = 0, begun, read, rows } = reading;
  const totals = next === 0 ? page.totals : read.totals;
  const known = rows.size;
  for (const row of page.visitors) if (row !== null && !rows.has(row.path)) rows.set(row.path, row);
  const added = rows.size - known;
  const isShort = page.hasMore && page.visitors.length < rowsPerRequest;
  const isRecounted = kindsOfTotals.some((kind) => page.totals[kind] !== totals[kind]);
  if (isRecounted && next > 0 && next === begun.rows.size) {
    // The rows that an earlier run read are outdated, so the list starts over.
    Object.assign(reading, beginReading(reading.projectId, { ...begun, rows: new Map() }));
    return;
  }
  const mayLackRows = read.mayLackRows || isShort || added < page.visitors.length || isRecounted;
  reading.read = { ...read, totals, rows, cut: { kind: 'budget' }, mayLackRows };
  if (page.hasMore && added > 0) reading.next = next + rowsPerRequest;
  else endReading(reading);
}
