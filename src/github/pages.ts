import type { ThreadRef } from './event.ts';

export const perPage = 100;

export interface Page<Item> {
  /** In the order they were written. */
  readonly items: readonly Item[];
  /** The number of the last page; `undefined` when this is it. */
  readonly lastPage: number | undefined;
}

/**
 * What was written in a thread, a page at a time from the newest back, each page in the order it was written. GitHub lists
 * the comments of one issue in that order only, so the last page is guessed from their number and put right by the first
 * answer.
 */
export async function* newestFirst<Item>(
  thread: ThreadRef,
  readPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  const guess = Math.max(1, Math.ceil((thread.comments ?? 0) / perPage));
  const first = await readPage(guess);
  for (let page = first.lastPage ?? guess; page > guess; page -= 1) yield (await readPage(page)).items;
  yield first.items;
  for (let page = guess - 1; page >= 1; page -= 1) yield (await readPage(page)).items;
}

/** The page number of `rel="last"` in a `Link` header (RFC 8288). */
export function lastPageOf(link: string | undefined): number | undefined {
  const page = link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  return page === undefined ? undefined : Number(page);
}
