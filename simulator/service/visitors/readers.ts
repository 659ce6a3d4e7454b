import { parseAnalyticsQuery } from './query.ts';

/** The lists of what readers asked for, by path, with the interface's limits. */
export const READER_LISTS = {
  searches: { field: 'searches', usual: 50, most: 100, position: 'cursor' },
  'feedback/by-page': { field: 'feedback', usual: 10, most: 100, position: undefined },
  feedback: {
    field: 'feedback',
    usual: 50,
    most: 100,
    position: 'cursor',
    filters: ['source', 'status'],
  },
  assistant: { field: 'conversations', usual: 100, most: 1000, position: 'cursor' },
} as const;
export type ReaderList = keyof typeof READER_LISTS;

/** The rows of each list, in the documented form or in any other. */
export type ReaderRows = Partial<Readonly<Record<ReaderList, readonly unknown[]>>>;

/** What readers searched for, rated, and asked; empty until a test sets it. */
export class ReaderAnalytics {
  /** Whether there is always another page, which repeats the first one. */
  isEndless = false;
  #given: ReaderRows = {};

  give(rows: ReaderRows): void {
    this.#given = rows;
  }

  page(list: ReaderList, query: Readonly<Record<string, string>>) {
    const { field, position } = READER_LISTS[list];
    const { limit, cursor = 'from-0' } = parseAnalyticsQuery(query, READER_LISTS[list]);
    const wanted = query.status?.split(',');
    const rows = (this.#given[list] ?? []).filter(
      (row) => wanted?.includes(Object(row).status) ?? true,
    );
    const offset = Number(cursor.replace('from-', ''));
    const start = this.isEndless ? 0 : offset;
    const hasMore = this.isEndless || start + limit < rows.length;
    return {
      [field]: rows.slice(start, start + limit),
      ...(list === 'searches' ? { totalSearches: rows.length } : { hasMore }),
      ...(position === 'cursor' ? { nextCursor: hasMore ? `from-${offset + limit}` : null } : {}),
    };
  }
}

/** Written feedback, with all fields that the service has. */
export function comment(
  path: string,
  text: string | null,
  of: Readonly<Record<string, unknown>> = {},
) {
  const written = {
    id: 'fb_0001',
    path,
    comment: text,
    createdAt: '2026-03-05T10:00:00.000Z',
    helpful: false,
  };
  return {
    ...written,
    source: 'contextual',
    status: 'pending',
    contact: 'reader@customer.example',
    ...of,
  };
}

/** A question to the assistant, with all fields that the service has. */
export function conversation(query: string, of: Readonly<Record<string, unknown>> = {}) {
  return {
    id: 'conv_0001',
    timestamp: '2026-03-04T10:00:00.000Z',
    query,
    response: 'An answer that must never be shown.',
    responseType: 'answer',
    sources: [{ title: 'Overview', url: 'https://docs.example.com/overview' }],
    resolutionStatus: 'unanswered',
    queryCategory: null,
    pageUrl: null,
    contact: 'reader@customer.example',
    ...of,
  };
}

const times = <T>(count: number, row: T): T[] => Array.from({ length: count }, () => row);
const on = (path: string, resolutionStatus: string, queryCategory: string | null = null) => {
  const pageUrl = `https://docs.example.com${path}?session=1#top`;
  return { pageUrl, resolutionStatus, queryCategory };
};
const onKeys = on('/api/authentication', 'unanswered', 'API keys');

/** What readers of the demo sites didn't find. */
export const SHOWN_READERS: ReaderRows = {
  assistant: [
    ...times(9, conversation('How do I rotate an API key?', onKeys)),
    ...times(3, conversation('Can I use two keys at once?', onKeys)),
    ...times(28, conversation('What is a project?', on('/api/authentication', 'answered'))),
    ...times(6, conversation('Is there a status page?')),
    ...times(14, conversation('How do I start?', on('/guides/quickstart', 'answered'))),
  ],
  'feedback/by-page': [
    { path: '/guides/webhooks', thumbsUp: 13, thumbsDown: 31, code: 2, total: 46 },
    { path: '/guides/quickstart', thumbsUp: 60, thumbsDown: 4, code: 0, total: 64 },
  ],
  feedback: [
    ...times(5, comment('/guides/webhooks', 'The signature example fails.')),
    comment('/guides/webhooks', 'Which header has the secret? Mail jo@customer.example', {
      source: 'agent',
    }),
    comment('/guides/webhooks', 'Solved long ago.', { status: 'resolved' }),
    ...times(4, comment('/guides/quickstart', 'A step is missing.')),
    comment('/guides/quickstart', null, { source: 'thumbs_only' }),
  ],
  searches: [
    search('webhooks', 120, 0.6, '/guides/webhooks'),
    search('sso', 54, 0, null),
    search('on-premise', 12, 0, null),
  ],
};

function search(searchQuery: string, hits: number, ctr: number, topClickedPage: string | null) {
  return { searchQuery, hits, ctr, topClickedPage, lastSearchedAt: '2026-03-07T09:00:00.000Z' };
}
