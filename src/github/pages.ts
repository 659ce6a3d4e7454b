export const perPage = 100;

export interface PageQuery {
  readonly per_page: number;
  readonly page: number;
}

/** A list's pages in its own order, up to the first that is not full. */
export async function* pagesOf<Item>(
  readPage: (page: PageQuery) => Promise<readonly Item[]>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Item[]> {
  for (let page = 1, isLast = false; !isLast && page <= most; page += 1) {
    const items = await readPage({ per_page: perPage, page });
    yield items;
    isLast = items.length < perPage;
  }
}

/** A page, in the order it was written. */
type Page<Item> = { readonly items: readonly Item[] } & ReturnType<typeof linkedPages>;

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
  const later: (readonly Item[])[] = [];
  // A list that does not say where it ends is read to its end.
  for (let page = first; page.hasNext && first.lastPage === undefined; later.unshift(page.items))
    page = await readPage(guess + later.length + 1);
  yield* later;
  for (let page = first.lastPage ?? guess; page > guess; page -= 1) yield (await readPage(page)).items;
  yield first.items;
  for (let page = guess - 1; page >= 1; page -= 1) yield (await readPage(page)).items;
}

/** What a `Link` header (RFC 8288) says of the pages after this one; it may not name the last. */
export function linkedPages(link = '') {
  const page = link.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  return { lastPage: page === undefined ? undefined : Number(page), hasNext: /;\s*rel="next"/.test(link) };
}
