export const perPage = 100;

/**
 * Reads a thread's comments, newest page first. GitHub can only list them from the oldest to the newest, so the first page is
 * read to learn the number of the last page. Its `Link` header (RFC 8288) may not contain that number.
 */
export async function* newestFirst<Item>(
  readPage: (page: number) => Promise<{ items: readonly Item[]; link: string | undefined }>,
): AsyncGenerator<readonly Item[]> {
  const first = await readPage(1);
  const last = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
  const later: (readonly Item[])[] = [];
  // If the header doesn't name the last page, read every page.
  for (let page = first; last === undefined && hasNext(page.link); later.unshift(page.items))
    page = await readPage(later.length + 2);
  yield* later;
  for (let page = Number(last ?? 1); page > 1; page -= 1) yield (await readPage(page)).items;
  yield first.items;
}

/** Whether a `Link` header says that there is another page. */
export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}
