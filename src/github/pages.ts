export const perPage = 100;

export interface Page<Item> {
  /** In the order they were written. */
  readonly items: readonly Item[];
  /** The number of the last page, where the answer names it. */
  readonly lastPage: number | undefined;
  readonly hasNext: boolean;
}

/**
 * What was written in a thread, a page at a time from the newest back, each page in the order it was written. GitHub lists
 * the comments of one issue only in that order, so the last page is guessed from their number and corrected by the first
 * answer.
 *
 * @param expected how many there were, if an event said so.
 */
export async function* newestFirst<Item>(
  expected: number | undefined,
  readPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  const guess = Math.max(1, Math.ceil((expected ?? 0) / perPage));
  const first = await readPage(guess);
  if (first.hasNext && first.lastPage === undefined) yield* await pagesAfter(guess, readPage);
  for (let page = first.lastPage ?? guess; page > guess; page -= 1) yield (await readPage(page)).items;
  yield first.items;
  for (let page = guess - 1; page >= 1; page -= 1) yield (await readPage(page)).items;
}

/** The pages after this one, the last first, for a list that does not say where it ends. */
async function pagesAfter<Item>(page: number, readPage: (page: number) => Promise<Page<Item>>) {
  const pages: (readonly Item[])[] = [];
  for (let hasNext = true; hasNext; ) {
    const next = await readPage(page + pages.length + 1);
    pages.push(next.items);
    hasNext = next.hasNext && next.items.length > 0;
  }
  return pages.reverse();
}

/** What a `Link` header (RFC 8288) says of the pages after this one. */
export function linkedPages(link = ''): Pick<Page<unknown>, 'lastPage' | 'hasNext'> {
  const page = link.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  return { lastPage: page === undefined ? undefined : Number(page), hasNext: /;\s*rel="next"/.test(link) };
}
