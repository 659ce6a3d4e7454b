import * as z from 'zod/mini';
import { quotable } from '../text/quotable.ts';
import { count } from './schemas.ts';

/*
 * Parses three lists of what readers asked for into one form. Answers, sources, and anything that could identify a person or a
 * conversation are never read, and words only as far as they may be quoted.
 */

/** Longer labels don't help a reader. */
const longestLabel = 500;

const quote = z.catch(z.pipe(z.string(), z.transform(quotable)), '');
const label = z.catch(z.string().check(z.maxLength(longestLabel)), '');
/** `null` for a row in an undocumented form. */
const listOf = <T>(row: z.ZodMiniType<T>) => z.array(z.catch(z.nullable(row), null));

/** How often readers asked or searched for something, and how often they found nothing. */
export interface Asked {
  readonly missed: number;
  readonly asked: number;
  /** Where they asked, if the service says. */
  readonly page?: { readonly host: string; readonly path: string } | undefined;
  readonly category?: string;
  /** The words, if they may be quoted; otherwise `''`. */
  readonly words?: string;
}

const conversation = z.pipe(
  z.object({ query: quote, resolutionStatus: z.string(), queryCategory: label, pageUrl: label }),
  z.transform(({ query: words, resolutionStatus, queryCategory: category, pageUrl }): Asked => {
    const missed = resolutionStatus === 'unanswered' ? 1 : 0;
    return { missed, asked: 1, page: pageOf(pageUrl), category, words };
  }),
);
const votes = z.pipe(
  z.object({ path: z.string(), thumbsUp: count, thumbsDown: count }),
  z.transform(({ path, thumbsUp, thumbsDown: missed }): Asked => {
    return { missed, asked: thumbsUp + missed, page: { host: '', path } };
  }),
);
const search = z.pipe(
  z.object({ searchQuery: quote, hits: count, ctr: z.number(), topClickedPage: z.nullish(z.unknown()) }),
  z.transform(({ searchQuery: words, hits: asked, ctr, topClickedPage }): Asked => {
    return { missed: ctr === 0 && !topClickedPage ? asked : 0, asked, words };
  }),
);

const paging = { nextCursor: z.nullish(z.string()), hasMore: z.optional(z.boolean()) };

/** The lists, by path. */
export const gapsSchemas = {
  assistant: z.pipe(
    z.object({ conversations: listOf(conversation), ...paging }),
    z.transform(({ conversations: rows, ...page }) => ({ rows, ...page })),
  ),
  'feedback/by-page': z.pipe(
    z.object({ feedback: listOf(votes), ...paging }),
    z.transform(({ feedback: rows, ...page }) => ({ rows, ...page })),
  ),
  searches: z.pipe(
    z.object({ searches: listOf(search), ...paging }),
    z.transform(({ searches: rows, ...page }) => ({ rows, ...page })),
  ),
};

export type GapsList = keyof typeof gapsSchemas;
export type AskedPage = z.infer<(typeof gapsSchemas)[GapsList]>;

/**
 * The host and path of a full URL. Its query and fragment may identify a person, so they are never kept; neither is a path with
 * an email address.
 */
function pageOf(address: string): Asked['page'] {
  const url = URL.parse(address);
  if (!url?.protocol.startsWith('http') || /(?:@|%40)[^/]*\./.test(url.pathname)) return undefined;
  return { host: url.host, path: url.pathname.replace(/(?<=.)\/+$/, '') };
}
