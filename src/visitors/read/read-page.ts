import type { Budget } from '../../core/budget.ts';
import { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps } from '../../deps.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage } from '../../service/schemas.ts';
import type { History } from './history.ts';
import type { Window } from './window.ts';
import { type Cut, cutOf, kindsOfTotals } from './window-read.ts';

/** The API's maximum, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

const triesPerPage = 4;

/** After this many requests in a row get no response, no more requests are sent. */
const maxSilences = 2;

/** `baseline`: how many earlier windows show what is usual. */
export interface ReadOptions extends Pick<Deps, 'service'> {
  readonly projects: readonly Project[];
  readonly window: Window;
  readonly compare: 'previous' | 'none';
  readonly baseline: number;
  readonly gaps: 'none' | 'counts' | 'words';
  readonly budget: Budget;
  readonly history: History;
}

/** A window that is read page by page, so that several can take turns. Until its last page has been read, it is cut. */
export type Reading = ReturnType<typeof beginReading>;

export function beginReading(projectId: string, begun: ReturnType<History['find']>) {
  return {
    ...begun,
    projectId,
    /** How many rows were known at the beginning; `undefined` if all were. */
    known: begun.cut && begun.rows.size,
    /** The offset of the next page; `undefined` once the window has been read. */
    next: begun.cut && begun.rows.size,
    /** Set if even the first page couldn't be read. */
    failure: undefined as ActionError | undefined,
  };
}

/** Creates the function that sends all requests, with one budget and hourly limit. It returns a response or an error. */
export function createAsk(budget: Budget) {
  let silences = 0;
  /** Set once every further request would fail the same way. */
  let end: ServiceError | undefined;
  return async <T>(request: (options: CallOptions) => Promise<T>, tries: number) => {
    if (end !== undefined) return end;
    try {
      const answer = await request({
        tries: Math.max(1, tries),
        beforeSend: () => budget.spend(),
      });
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

/** Creates the function that reads the next page of a window. The history keeps what was read. */
export function createReadPage({ service, budget, history }: ReadOptions) {
  const ask = createAsk(budget);
  return async (reading: Reading): Promise<void> => {
    const { projectId, next: offset = 0, window } = reading;
    const query = { dateFrom: window.start, dateTo: window.end, limit: rowsPerRequest, offset };
    const page = await ask(
      (options) => service.forProject(projectId).getVisitors(query, options),
      Math.min(triesPerPage, budget.remaining),
    );
    if (!(page instanceof ActionError)) takePage(reading, page);
    else endReading(reading, cutOf(page));
    if (page instanceof ActionError && offset === 0) reading.failure = page;
    else history.keep(projectId, reading);
  };
}

function endReading(reading: Reading, cut?: Cut): void {
  reading.cut = cut ?? (reading.mayLackRows ? { kind: 'changed' } : undefined);
  reading.next = undefined;
}

/** The offset grows by the limit, whatever the number of rows received (the interface's pagination rule 2). */
function takePage(reading: Reading, { totals, visitors, hasMore }: VisitorsPage): void {
  const { next = 0, known, rows } = reading;
  const isRecounted =
    next > 0 && kindsOfTotals.some((kind) => totals[kind] !== reading.totals[kind]);
  if (isRecounted && next === known) {
    // The rows that an earlier run read are outdated, so the list starts over.
    rows.clear();
    Object.assign(reading, { known: 0, next: 0 });
    return;
  }
  if (next === 0) reading.totals = totals;
  const before = rows.size;
  for (const row of visitors) if (row !== null && !rows.has(row.path)) rows.set(row.path, row);
  const added = rows.size - before;
  const isShort = hasMore && visitors.length < rowsPerRequest;
  reading.mayLackRows ||= isShort || added < visitors.length || isRecounted;
  if (hasMore && added > 0) reading.next = next + rowsPerRequest;
  else endReading(reading);
}
