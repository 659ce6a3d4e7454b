import * as z from 'zod/mini';
import { mapSchema, scrubbedText } from '../core/mapped.ts';
import { canonicalPath } from '../core/page-path.ts';
import { makeQuotable } from '../text/quotable.ts';
import { changeScrubbed, ownWords, type Scrubbed } from '../text/scrub.ts';
import { count } from './schemas.ts';

/*
 * Parses four lists into one form. Anything that could identify a person is never read, or is
 * removed from quotes.
 */

const quote = z.catch(mapSchema(scrubbedText, makeQuotable), ownWords(''));
const isShort = (text: string) => text.length <= 500;
const label = z.catch(scrubbedText.check(z.refine(isShort)), ownWords(''));

/**
 * How many times readers asked or searched for something, and how many times they found nothing.
 */
export interface Asked {
  readonly missed: number;
  readonly asked: number;
  /**
   * The page on which readers asked, if the service names it; `host` is `''` if it names no host. The
   * path is in its canonical form.
   */
  readonly page?: { readonly host: string; readonly path: Scrubbed } | undefined;
  readonly category?: Scrubbed;
  /** The readers' words, if they may be quoted; otherwise `''`. */
  readonly words?: Scrubbed;
  /** Whether an AI agent wrote it, not a reader. */
  readonly isOfAgent?: boolean;
}

const conversation = mapSchema(
  z.object({ query: quote, resolutionStatus: z.string(), queryCategory: label, pageUrl: label }),
  (question): Asked => ({
    missed: question.resolutionStatus === 'unanswered' ? 1 : 0,
    asked: 1,
    page: hostedPage(question.pageUrl),
    category: question.queryCategory,
    words: question.query,
  }),
);
const votes = mapSchema(
  z.object({ path: scrubbedText, thumbsUp: count, thumbsDown: count }),
  (page): Asked => ({
    missed: page.thumbsDown,
    asked: page.thumbsUp + page.thumbsDown,
    page: namedPage(page.path),
  }),
);
/** Feedback of any kind. It counts if someone wrote something that no one has handled. */
const feedback = mapSchema(
  z.object({ path: scrubbedText, status: z.string(), comment: quote, source: label }),
  (item): Asked => {
    const isOpen = item.status === 'pending' && item.comment !== '';
    const missed = isOpen ? 1 : 0;
    const isOfAgent = item.source === 'agent';
    return { missed, asked: missed, page: namedPage(item.path), isOfAgent };
  },
);
const search = mapSchema(
  z.object({
    searchQuery: quote,
    hits: count,
    ctr: z.number(),
    topClickedPage: z.nullish(z.unknown()),
  }),
  ({ hits, ...search }): Asked => {
    const isUnclicked = search.ctr === 0 && !search.topClickedPage;
    const missed = isUnclicked ? hits : 0;
    return { missed, asked: hits, words: search.searchQuery };
  },
);

const paging = z.object({ nextCursor: z.nullish(z.string()), hasMore: z.optional(z.boolean()) });

/** A page of a list, which is in `field`. Rows in an undocumented form become `null`. */
function pageOfList(field: string, row: z.ZodMiniType<Asked>) {
  const list = z.object({ [field]: z.array(z.catch(z.nullable(row), null)) });
  const page = z.intersection(list, paging);
  return mapSchema(page, (answer) => ({
    rows: answer[field] ?? [],
    nextCursor: answer.nextCursor,
    hasMore: answer.hasMore,
  }));
}

export const gapsSchemas = {
  assistant: pageOfList('conversations', conversation),
  'feedback/by-page': pageOfList('feedback', votes),
  searches: pageOfList('searches', search),
  feedback: pageOfList('feedback', feedback),
};

export type GapsList = keyof typeof gapsSchemas;
export type AskedPage = z.infer<ReturnType<typeof pageOfList>>;

/** A page that the service names by its path or by its URL. */
function namedPage(name: Scrubbed): Asked['page'] {
  return /^https?:/i.test(name) ? hostedPage(name) : pageAt(name);
}

/** The host and path of a URL, without its query and fragment, which may identify a person. */
function hostedPage(address: Scrubbed): Asked['page'] {
  const url = URL.parse(address);
  if (!url?.protocol.startsWith('http')) return undefined;
  return pageAt(
    changeScrubbed(address, () => url.pathname),
    url.host,
  );
}

/** A page, unless its path has an email address. */
function pageAt(spelling: Scrubbed, host = ''): Asked['page'] {
  const path = canonicalPath(spelling);
  return /(?:@|%40)[^/]*\./.test(path.normalize('NFKC')) ? undefined : { host, path };
}
