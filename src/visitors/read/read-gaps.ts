import { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Asked, AskedPage, GapsList } from '../../service/gaps-schemas.ts';
import { createAsk, type ReadOptions } from './read-page.ts';
import { type Cut, cutOf, isLimit } from './window-read.ts';

/** The most requests for one project. Its lists take turns, so a list that failed temporarily is tried again later. */
export const maxGapRequests = 6;

/** The maximum number of rows that the API allows. It is lower for conversations, because each may take up 100 KB. */
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

/** Reads each project's questions, votes, searches, and feedback, in that order. If a list fails, only that one is missing. */
export async function readGapLists(projects: readonly Project[], options: ReadOptions) {
  const { service, budget } = options;
  const { start: dateFrom, end: dateTo } = options.window;
  const sites = projects.map(({ id }) => {
    const parts = lists.map((list): GapsPart => ({ list, rows: [], odd: 0, hasMore: false }));
    return { id, parts, open: [...parts] };
  });
  // Each list has its own limit on unanswered requests, so one list can't block the others or the report.
  const ask = () => createAsk(budget);
  const asks = { assistant: ask(), 'feedback/by-page': ask(), searches: ask(), feedback: ask() };
  for (let round = 0; round < maxGapRequests; round += 1) {
    for (const { id, open } of sites) {
      const part = open.shift();
      if (part === undefined) continue;
      const { list, cursor } = part;
      const query = { dateFrom, dateTo, limit: limits[list], cursor };
      const page = await asks[list]((more) => service.forProject(id).getGaps(list, query, more), 1);
      part.cut = page instanceof ActionError ? cutOf(page) : undefined;
      // The organization's lists share one hourly limit.
      if (isLimit(part.cut)) {
        for (const other of sites.flatMap(({ open }) => open.splice(0))) other.cut = part.cut;
        continue;
      }
      const isOpen =
        page instanceof ActionError
          ? page instanceof ServiceError && page.transient
          : takePage(part, page);
      if (isOpen) open.push(part);
    }
  }
  return new Map(sites.map(({ id, parts }) => [id, parts]));
}

/** Adds a page of a list. Returns whether there is another one. */
function takePage(
  part: GapsPart,
  { rows, nextCursor, hasMore = Boolean(nextCursor) }: AskedPage,
): boolean {
  const read = rows.filter((row) => row !== null);
  part.rows = part.rows.concat(read);
  part.odd += rows.length - read.length;
  part.hasMore = hasMore;
  part.cursor = (hasMore && nextCursor) || undefined;
  return part.cursor !== undefined && rows.length > 0;
}
