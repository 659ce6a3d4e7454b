import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { lastPageOf, newestFirst, perPage } from '../../../src/github/pages.ts';
import { calm } from '../../support/in-process/service.ts';
import { memoryGitHub, thread } from './memory-github.ts';

/** Reads a thread of so many comments, of which its event told so many; gives the pages and what was asked. */
async function readThread(count: number, told: number | undefined) {
  const last = Math.ceil(count / perPage);
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const asked: number[] = [];
  const readPage = async (page: number) => {
    asked.push(page);
    const items = all.slice((page - 1) * perPage, page * perPage);
    // GitHub names the last page on every other one.
    return { items, lastPage: page === last || last <= 1 ? undefined : last };
  };
  const pages: (readonly number[])[] = [];
  for await (const page of newestFirst({ number: thread, comments: told }, readPage)) pages.push(page);
  return { all, pages: pages.filter((page) => page.length > 0), asked };
}

test('every comment once, the newest page first, each page in the order it was written', async () => {
  const count = fc.nat({ max: 12 * perPage });
  await fc.assert(
    fc.asyncProperty(count, fc.option(count, { nil: undefined }), async (comments, told) => {
      const { all, pages } = await readThread(comments, told);
      expect(pages.toReversed().flat()).toEqual(all);
    }),
  );
});

test.each<[count: number, told: number | undefined, asked: number[]]>([
  [0, 0, [1]],
  [100, 100, [1]],
  [101, 101, [2, 1]],
  [250, 250, [3, 2, 1]],
  // More came since, some were deleted, and the event did not say.
  [250, 99, [1, 3, 2]],
  [250, 401, [5, 4, 3, 2, 1]],
  [250, undefined, [1, 3, 2]],
])('%i comments, told as %p: pages %j', async (count, told, asked) => {
  expect((await readThread(count, told)).asked).toEqual(asked);
});

test('whoever has found what it looked for asks no further', async () => {
  const { simulator, github } = memoryGitHub();
  for (let nth = 1; nth <= 250; nth += 1) simulator.github.comment('maintainer', thread, `${nth}`);
  for await (const page of github.readNewestFirst({ number: thread, comments: 250 }, calm())) {
    expect(page.map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, index) => `${201 + index}`));
    break;
  }
  expect(simulator.requests.map(({ query }) => query)).toEqual([{ per_page: '100', page: '3' }]);
});

describe('the last page of a Link header', () => {
  const link = (page: string, rel: string) => `<https://api.github.com/x?per_page=100${page}>; rel="${rel}"`;
  test.each<[string | undefined, number | undefined]>([
    [`${link('&page=2', 'next')}, ${link('&page=17', 'last')}`, 17],
    [link('&page=3&since=2026-01-05', 'last'), 3],
    [`${link('&page=2', 'prev')}, ${link('&page=1', 'first')}`, undefined],
    [link('', 'last'), undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j: %p', (header, page) => {
    expect(lastPageOf(header)).toBe(page);
  });
});
