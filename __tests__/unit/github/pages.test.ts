import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { newestFirst, perPage } from '../../../src/github/pages.ts';
import { calm } from '../../support/in-process/service.ts';
import { clientOf } from './answering.ts';
import { memoryGitHub, thread } from './memory-github.ts';

/** Reads a thread of so many comments, of which its event counted so many; gives the pages and what was asked. */
async function readThread(count: number, expected: number | undefined, namesLast = true) {
  const last = Math.ceil(count / perPage);
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const asked: number[] = [];
  const readPage = async (page: number) => {
    asked.push(page);
    const items = all.slice((page - 1) * perPage, page * perPage);
    // GitHub names the last page on every other one.
    const lastPage = !namesLast || page === last || last <= 1 ? undefined : last;
    return { items, lastPage, hasNext: page < last };
  };
  const pages: (readonly number[])[] = [];
  for await (const page of newestFirst(expected, readPage)) pages.push(page);
  return { all, pages: pages.filter((page) => page.length > 0), asked };
}

test.each([true, false])(
  'every comment once, the newest page first; last page named: %p',
  async (namesLast) => {
    const count = fc.nat({ max: 12 * perPage });
    await fc.assert(
      fc.asyncProperty(count, fc.option(count, { nil: undefined }), async (comments, expected) => {
        const { all, pages } = await readThread(comments, expected, namesLast);
        expect(pages.toReversed().flat()).toEqual(all);
      }),
    );
  },
);

test.each<[count: number, expected: number | undefined, asked: number[]]>([
  [0, 0, [1]],
  [100, 100, [1]],
  [101, 101, [2, 1]],
  // More came since, some were deleted, and the event did not say.
  [250, 99, [1, 3, 2]],
  [250, 401, [5, 4, 3, 2, 1]],
  [250, undefined, [1, 3, 2]],
])('%i comments, expected %p: pages %j', async (count, expected, asked) => {
  expect((await readThread(count, expected)).asked).toEqual(asked);
});

test('nothing is asked after what was looked for was found', async () => {
  const { simulator, github } = memoryGitHub();
  for (let nth = 1; nth <= 250; nth += 1) simulator.github.comment('maintainer', thread, `${nth}`);
  for await (const page of github.readNewestFirst({ number: thread, comments: 250 }, calm())) {
    expect(page.map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, index) => `${201 + index}`));
    break;
  }
  expect(simulator.requests.map(({ query }) => query)).toEqual([{ per_page: '100', page: '3' }]);
});

test('a list with a next page and no last one is read to its end', async () => {
  const times = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'));
    const link = page < 3 ? { link: `<http://x/?page=${page + 1}>; rel="next"` } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...link });
    response.end(JSON.stringify([{ id: page, body: 'x', html_url: 'https://x.test', ...times }]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { github, close } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const ids: number[] = [];
  for await (const page of github.readNewestFirst({ number: 7, comments: 1 }, calm()))
    ids.push(...page.map(({ id }) => id));
  expect(ids).toEqual([3, 2, 1]);
  await close();
  server.close();
});
