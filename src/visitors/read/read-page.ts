import type { Budget } from '../../core/budget.ts';
import { ActionError } from '../../core/errors.ts';
import type { ShownProject } from '../../core/projects.ts';
import type { Deps } from '../../deps.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage } from '../../service/schemas.ts';
import type { History, KnownWindow } from './history.ts';
import type { Window } from './window.ts';
import { type Cut, cutOf, isSilent, kindsOfTotals, makeServiceCut } from './window-read.ts';

/** The API's maximum, so that a window takes as few requests as possible. */
export const rowsPerRequest = 250;

const triesPerPage = 4;

/** After this many requests in a row get no response, no more requests are sent. */
const maxSilences = 2;

/** What a report reads. `baseline`: how many windows before the last two show what is usual. */
export interface ReadOptions extends Pick<Deps, 'service'> {
  readonly projects: readonly ShownProject[];
  readonly window: Window;
  readonly compare: 'previous' | 'none';
  readonly baseline: number;
  readonly gaps: 'none' | 'counts' | 'words';
  readonly budget: Budget;
  readonly history: History;
}

/**
 * A window that is read page by page, so that several can take turns. Until its last page has been
 * read, it is cut.
 */
export interface Reading extends KnownWindow {
  readonly projectId: string;
  /** How many rows were known at the beginning; `undefined` if all were. */
  known: number | undefined;
  /** The offset of the next page; `undefined` once the window has been read. */
  next: number | undefined;
  /** Set if the first page couldn't be read, and no rows are known from an earlier run. */
  failure: ActionError | undefined;
}

export function beginReading(projectId: string, window: KnownWindow): Reading {
  const known = window.cut === undefined ? undefined : window.rows.size;
  return { ...window, projectId, known, next: known, failure: undefined };
}

/**
 * Creates the function that sends all requests, with one budget and hourly limit. It returns a
 * response or an error.
 */
export function createAsk(budget: Budget) {
  let silences = 0;
  /** Set once every further request would fail the same way. */
  let finalError: ServiceError | undefined;
  return async <T>(request: (options: CallOptions) => Promise<T>, tries: number) => {
    if (finalError !== undefined) return finalError;
    try {
      const beforeSend = () => budget.spend();
      const answer = await request({ tries: Math.max(1, tries), beforeSend });
      silences = 0;
      return answer;
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'budget-spent') return error;
      if (!(error instanceof ServiceError)) throw error;
      if (error.reason === 'unreachable' || error.reason === 'timeout') silences += 1;
      else silences = 0;
      if (error.reason === 'rate-limited' || silences >= maxSilences) finalError = error;
      return error;
    }
  };
}

/** Creates the function that reads the next page of a window. The history keeps what was read. */
export function createReadPage(options: ReadOptions) {
  const { service, budget } = options;
  const ask = createAsk(budget);
  return async (reading: Reading): Promise<void> => {
    const { projectId, window } = reading;
    const offset = reading.next;
    if (offset === undefined) return;
    const dates = { dateFrom: window.start, dateTo: window.end };
    const query = { ...dates, limit: rowsPerRequest, offset };
    const page = await ask(
      (more) => service.forProject(projectId).getVisitors(query, more),
      Math.min(triesPerPage, budget.remaining),
    );
    if (page instanceof ActionError) {
      reading.cut = cutOf(page);
      reading.next = undefined;
      if (reading.rows.size === 0) reading.failure = page;
    } else {
      takePage(reading, page, offset);
    }
    // A report without visitors may come before the service has counted them. A later run looks again.
    const isTooEarly = window.start === options.window.start && isSilent(reading);
    if (reading.failure === undefined && !isTooEarly) options.history.keep(projectId, reading);
  };
}

function takePage(reading: Reading, page: VisitorsPage, offset: number): void {
  const { rows } = reading;
  const hasChanged = kindsOfTotals.some((kind) => page.totals[kind] !== reading.totals[kind]);
  const isRecounted = offset > 0 && hasChanged;
  if (isRecounted && offset === reading.known) {
    // The rows that an earlier run read are outdated, so the list starts over. Until its first page
    // is there, the old rows are better than none.
    reading.known = 0;
    reading.next = 0;
    return;
  }
  if (offset === 0) {
    reading.totals = page.totals;
    rows.clear();
  }
  const before = rows.size;
  for (const row of page.visitors) if (row !== null && !rows.has(row.path)) rows.set(row.path, row);
  const added = rows.size - before;
  reading.flaw ??= findFlaw(page);
  if (isRecounted || added < page.visitors.length) reading.flaw ??= { kind: 'changed' };
  if (page.hasMore && added > 0) {
    // The offset grows by the limit, whatever the number of rows received (the interface's
    // pagination rule 2).
    reading.next = offset + rowsPerRequest;
    return;
  }
  reading.next = undefined;
  reading.cut = reading.flaw;
}

/** Why rows may be missing because of what the service sent. */
function findFlaw({ visitors, hasMore }: VisitorsPage): Cut | undefined {
  if (hasMore && visitors.length < rowsPerRequest)
    return makeServiceCut(
      'The service sent fewer pages than requested, and said there are more, so some may be missing',
      'Re-running the workflow doesn’t help.',
    );
  if (visitors.includes(null))
    return makeServiceCut(
      'The service sent pages that can’t be read, so some are missing',
      'If every report says so, tell the service.',
    );
  return undefined;
}
