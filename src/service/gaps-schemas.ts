import * as z from 'zod/mini';
import { mapped } from '../core/mapped.ts';
import { quotable } from '../text/quotable.ts';
import { count } from './schemas.ts';

/*
 * Parses four lists of what readers asked for into one form. Answers, sources, and anything that could identify a person or a
 * conversation are never read. Personal data is removed from quotes.
 */

const longestLabel = 500;

const quote = z.catch(mapped(z.string(), quotable), '');
const label = z.catch(z.string().check(z.maxLength(longestLabel)), '');
/** A list. Rows in an undocumented form become `null`. */
const listOf = <T>(row: z.ZodMiniType<T>) => z.array(z.catch(z.nullable(row), null));

/** How many times readers asked or searched for something, and how many times they found nothing. */
export interface Asked {
  readonly missed: number;
  readonly asked: number;
  /** The page on which readers asked, if the service names it. */
  readonly page?: { readonly host: string; readonly path: string } | undefined;
  readonly category?: string;
  /** The readers' words, if they may be quoted; otherwise `''`. */
  readonly words?: string;
}

const conversation = mapped(
  z.object({ query: quote, resolutionStatus: z.string(), queryCategory: label, pageUrl: label }),
  ({ query: words, resolutionStatus, queryCategory: category, pageUrl }): Asked => {
    const missed = resolutionStatus === 'unanswered' ? 1 : 0;
    return { missed, asked: 1, page: pageOf(pageUrl), category, words };
  },
);
const votes = mapped(
  z.object({ path: z.string(), thumbsUp: count, thumbsDown: count }),
  ({ path, thumbsUp, thumbsDown: missed }): Asked => {
    return { missed, asked: thumbsUp + missed, page: pageAt(path) };
  },
);
/** Feedback of any kind. It was written by a reader only if it has a text, and matters until someone has handled it. */
const feedback = mapped(
  z.object({ path: z.string(), comment: quote, status: z.string() }),
  ({ path, comment: words, status }): Asked => {
    const missed = words && status === 'pending' ? 1 : 0;
    return { missed, asked: missed, page: pageAt(path), words };
  },
);
const search = mapped(
  z.object({ searchQuery: quote, hits: count, ctr: z.number(), topClickedPage: z.nullish(z.unknown()) }),
  ({ searchQuery: words, hits: asked, ctr, topClickedPage }): Asked => {
    return { missed: ctr === 0 && !topClickedPage ? asked : 0, asked, words };
  },
);

const paging = { nextCursor: z.nullish(z.string()), hasMore: z.optional(z.boolean()) };

export const gapsSchemas = {
  assistant: mapped(
    z.object({ conversations: listOf(conversation), ...paging }),
    ({ conversations: rows, ...page }) => ({ rows, ...page }),
  ),
  'feedback/by-page': mapped(
    z.object({ feedback: listOf(votes), ...paging }),
    ({ feedback: rows, ...page }) => ({ rows, ...page }),
  ),
  feedback: mapped(z.object({ feedback: listOf(feedback), ...paging }), ({ feedback: rows, ...page }) => ({
    rows,
    ...page,
  })),
  searches: mapped(z.object({ searches: listOf(search), ...paging }), ({ searches: rows, ...page }) => ({
    rows,
    ...page,
  })),
};

export type GapsList = keyof typeof gapsSchemas;
export type AskedPage = z.infer<(typeof gapsSchemas)[GapsList]>;

/** The host and path of a URL, without its query and fragment, which may identify a person. */
function pageOf(address: string): Asked['page'] {
  const url = URL.parse(address);
  return url?.protocol.startsWith('http')
    ? pageAt(url.pathname.replace(/(?<=.)\/+$/, ''), url.host)
    : undefined;
}

/** A page, unless its path has an email address. */
function pageAt(path: string, host = ''): Asked['page'] {
  return /(?:@|%40)[^/]*\./.test(path) ? undefined : { host, path };
}
