export const perPage = 100;

/**
 * A thread's comments in pages, newest page first; within a page, oldest first. GitHub lists an issue's comments only from the
 * oldest, so the first page has to say which page is the last.
 *
 * @param readPage also returns the page's `Link` header (RFC 8288), which may not include the last page.
 */
export async function* newestFirst<Item>(
  readPage: (page: number) => Promise<{ items: readonly Item[]; link: string | undefined }>,
): AsyncGenerator<readonly Item[]> {
  const first = await readPage(1);
  const last = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  const later: (readonly Item[])[] = [];
  // If it doesn't say, read all pages.
  for (let page = first; last === undefined && hasNext(page.link); later.unshift(page.items))
    page = await readPage(later.length + 2);
  yield* later;
  for (let page = Number(last ?? 1); page > 1; page -= 1) yield (await readPage(page)).items;
  yield first.items;
}

/** Whether a page's `Link` names another one after it. */
export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}
