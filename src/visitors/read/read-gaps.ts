import { ActionError } from '../../core/errors.ts';
import type { ShownProject } from '../../core/projects.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Asked, AskedPage, GapsList } from '../../service/gaps-schemas.ts';
import { createAsk, type ReadOptions } from './read-page.ts';
import { type Cut, cutOf, isLimit } from './window-read.ts';

/**
 * The most requests for one project. Its lists take turns, so a list that failed temporarily is
 * tried again later.
 */
export const maxGapRequests = 6;

/**
 * The maximum number of rows that the API allows. It is lower for conversations, because each may
 * take up 100 KB.
 */
const limits = { assistant: 250, 'feedback/by-page': 100, searches: 100, feedback: 100 } as const;
const lists = Object.keys(limits) as GapsList[];

/** One of a project's lists, with the rows that were read. */
export interface GapsPart {
  readonly list: GapsList;
  rows: readonly Asked[];
  /** The number of rows that don't match the API documentation. */
  odd: number;
  /** Why the list was not read to its end; unset if it is only longer than we read. */
  cut?: Cut | undefined;
  hasMore: boolean;
  cursor?: string | undefined;
}

/**
 * Reads each project's questions, votes, searches, and feedback, in that order. If a list fails,
 * only that one is missing.
 */
export async function readGapLists(projects: readonly ShownProject[], options: ReadOptions) {
  const { service, window } = options;
  const sites = projects.map(({ id }) => {
    const parts = lists.map((list): GapsPart => ({ list, rows: [], odd: 0, hasMore: false }));
    return { id, parts, open: [...parts] };
  });
  // Each list has its own limit on unanswered requests, so one list can't block the others or the
  // report.
  const ask = () => createAsk(options.budget);
  const asks = { assistant: ask(), 'feedback/by-page': ask(), searches: ask(), feedback: ask() };
  for (let round = 0; round < maxGapRequests; round += 1) {
    for (const { id, open } of sites) {
      const part = open.shift();
      if (part === undefined) continue;
      const { list, cursor } = part;
      const dates = { dateFrom: window.start, dateTo: window.end };
      const query = { ...dates, limit: limits[list], cursor };
      const page = await asks[list]((more) => service.forProject(id).getGaps(list, query, more), 1);
      if (page instanceof ActionError) {
        part.cut = cutOf(page);
        if (page instanceof ServiceError && page.transient) open.push(part);
      } else {
        takePage(part, page);
        if (part.cursor !== undefined && page.rows.length > 0) open.push(part);
      }
      if (!isLimit(part.cut)) continue;
      // The organization's lists share one hourly limit.
      for (const other of sites.flatMap((site) => site.open.splice(0))) other.cut = part.cut;
    }
  }
  return new Map(sites.map(({ id, parts }) => [id, parts]));
}

/** Adds a page of a list. Without a cursor, it is the last one. */
function takePage(part: GapsPart, page: AskedPage): void {
  const { nextCursor } = page;
  const rows = page.rows.filter((row) => row !== null);
  part.rows = part.rows.concat(rows);
  part.odd += page.rows.length - rows.length;
  part.cut = undefined;
  part.hasMore = page.hasMore ?? Boolean(nextCursor);
  part.cursor = undefined;
  if (part.hasMore && nextCursor) part.cursor = nextCursor;
}
