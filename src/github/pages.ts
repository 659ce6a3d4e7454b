export const perPage = 100;

/** A page, and the `Link` header (RFC 8288) that says where the others are; it may not name the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly link: string | undefined;
}

/**
 * What was written in a thread, a page at a time from the newest back, each page in the order it was written. GitHub lists
 * the comments of one issue only in that order, so its first page has to name the last.
 */
export async function* newestFirst<Item>(
  readPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  const first = await readPage(1);
  const last = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  const later: (readonly Item[])[] = [];
  // A list that does not say where it ends is read to its end.
  for (
    let page = first;
    last === undefined && /;\s*rel="next"/.test(page.link ?? '');
    later.unshift(page.items)
  )
    page = await readPage(later.length + 2);
  yield* later;
  for (let page = Number(last ?? 1); page > 1; page -= 1) yield (await readPage(page)).items;
  yield first.items;
}
