import { expect, test } from '@jest/globals';
import { Budget } from '../../../src/core/budget.ts';
import type { DocsService } from '../../../src/service/client.ts';
import { openHistory } from '../../../src/visitors/read/history.ts';
import { readGapLists } from '../../../src/visitors/read/read-gaps.ts';
import { config, depsOf, serviceOf, unused, window } from './site.ts';

const row = { missed: 1, asked: 1 };

test.each([
  ['ends where the service says so, even if there is a cursor', { hasMore: false }, 1, false],
  ['goes on from its cursor while there is more', { hasMore: true }, 3, true],
  ['goes on from its cursor if the service doesn’t say whether there is more', {}, 3, true],
  ['ends without a cursor, even if there is more', { hasMore: true, nextCursor: null }, 1, true],
])('a list %s', async (_, paging, pages, hasMore) => {
  const cursors: (string | undefined)[] = [];
  const getGaps: DocsService['getGaps'] = async (list, { cursor }, options) => {
    options?.beforeSend?.();
    if (list !== 'searches') return { rows: [], nextCursor: null, hasMore: false };
    cursors.push(cursor);
    return { rows: [row], nextCursor: `page-${cursors.length}`, hasMore: undefined, ...paging };
  };
  const service: DocsService = {
    ...serviceOf(unused).service,
    getGaps,
    forProject: () => service,
  };
  const { deps } = depsOf(service);
  const [site] = (
    await readGapLists(config.projects, {
      ...config,
      window,
      service,
      budget: new Budget(6),
      history: openHistory(undefined, 1, deps),
    })
  ).values();
  // Six requests read the four lists, and then two more pages.
  expect(cursors).toEqual([undefined, 'page-1', 'page-2'].slice(0, pages));
  const part = site?.find(({ list }) => list === 'searches');
  expect(part).toMatchObject({ hasMore, rows: cursors.map(() => row) });
});
