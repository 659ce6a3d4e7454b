type Query = Readonly<Record<string, string>>;

/** Which part of a list is asked for. */
export interface Paging {
  /** Counted from 1. */
  readonly page: number;
  readonly perPage: number;
}

/** Reads a query as GitHub does: nonsense counts as not given, and a page has at most 100 entries. */
export function readPaging(query: Query): Paging {
  return {
    page: Math.max(1, integer(query.page, 1)),
    perPage: Math.min(100, Math.max(1, integer(query.per_page, 30))),
  };
}

/** The Link header of a page, with absolute addresses; `undefined` if there is only one page. */
export function linkHeader(
  url: string,
  query: Query,
  { page, perPage }: Paging,
  count: number,
): string | undefined {
  const last = Math.max(1, Math.ceil(count / perPage));
  if (last === 1 && page === 1) return undefined;
  const to = (target: number, rel: string): string =>
    `<${url}?${new URLSearchParams({ ...query, page: String(target) })}>; rel="${rel}"`;
  const links: string[] = [];
  if (page > 1) links.push(to(Math.min(page - 1, last), 'prev'));
  if (page < last) links.push(to(page + 1, 'next'), to(last, 'last'));
  if (page > 1) links.push(to(1, 'first'));
  return links.join(', ');
}

function integer(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : fallback;
}
