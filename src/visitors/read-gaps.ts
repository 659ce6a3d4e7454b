import type { Budget } from '../core/budget.ts';
import { ActionError } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import { createAsk } from '../report/read-page.ts';
import type { Window } from '../report/window.ts';
import { type Cut, cutOf } from '../report/window-read.ts';
import { ServiceError } from '../service/errors.ts';
import type { Asked, AskedPage, GapsList } from '../service/gaps-schemas.ts';

/** Requests for one project: its lists take turns. One that fails for a moment is asked again at its next turn. */
const mostRequests = 5;

/** The most that the interface allows; of conversations, as many as an answer has room for if each takes 100 KB. */
const limits: Readonly<Record<GapsList, number>> = { assistant: 250, 'feedback/by-page': 100, searches: 100 };

/** One list of a project, as far as it was read. */
export interface GapsPart {
  readonly list: GapsList;
  limit: number;
  rows: readonly Asked[];
  /** How many rows are not as documented. */
  odd: number;
  /** Why it was not read to its end: `more` if it is longer than this reads. */
  cut?: Cut | { readonly kind: 'more' } | undefined;
  cursor?: string | undefined;
}

/** The lists of a project. */
export type GapsRead = readonly GapsPart[];

/**
 * Reads what the readers of each project asked for, a request for every project in turn. What fails is only missing.
 *
 * @throws the signal's reason.
 */
export async function readGapLists(
  projects: readonly Project[],
  { start: dateFrom, end: dateTo }: Window,
  { service, budget, signal }: Pick<Deps, 'service' | 'signal'> & { readonly budget: Budget },
): Promise<ReadonlyMap<string, GapsRead>> {
  const sites = projects.map(({ id }) => {
    const parts = (['assistant', 'feedback/by-page', 'searches'] as const).map(
      (list): GapsPart => ({ list, limit: limits[list], rows: [], odd: 0 }),
    );
    return { id, parts, open: [...parts] };
  });
  // One list that never answers does not end the others, nor the reading of visitors.
  const ask = () => createAsk(budget, signal);
  const asks = { assistant: ask(), 'feedback/by-page': ask(), searches: ask() };
  /** Reads the next page of a list; gives whether there is more to read. */
  const readNext = async (id: string, part: GapsPart): Promise<boolean> => {
    const { list, limit, cursor } = part;
    const query = { dateFrom, dateTo, limit, cursor };
    const page = await asks[list]((options) => service.forProject(id).getGaps(list, query, options), 1);
    if (!(page instanceof ActionError)) return takePage(part, page);
    part.cut = cutOf(page);
    // The answer may have been too long.
    part.limit = Math.ceil(limit / 5);
    return page instanceof ServiceError && page.transient;
  };
  for (let round = 0; round < mostRequests; round += 1) {
    for (const { id, open } of sites) {
      const part = open.shift();
      if (part && (await readNext(id, part))) open.push(part);
    }
  }
  return new Map(sites.map(({ id, parts }) => [id, parts]));
}

/** A page whose cursor leads back to it may be one that was read before: its rows are not counted again. */
function takePage(part: GapsPart, { rows, nextCursor, hasMore = Boolean(nextCursor) }: AskedPage): boolean {
  const next = (hasMore && nextCursor) || undefined;
  const isRepeated = next !== undefined && next === part.cursor;
  const read = isRepeated ? [] : rows.filter((row) => row !== null);
  part.rows = part.rows.concat(read);
  part.odd += isRepeated ? 0 : rows.length - read.length;
  part.cut = hasMore ? { kind: 'more' } : undefined;
  part.cursor = next;
  return next !== undefined && !isRepeated && rows.length > 0;
}
