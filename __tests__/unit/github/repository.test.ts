import { describe, expect, test } from '@jest/globals';
import type { GitHub } from '../../../src/github/client.ts';
import { answeredBy, memoryGitHub, thread } from './memory-github.ts';

describe('the comments in all threads', () => {
  /** Writes this many comments, one per second, alternating between two threads. */
  function withComments(count: number) {
    const memory = memoryGitHub();
    const { github, clock } = memory.simulator;
    github.addThread({ number: 8, isPullRequest: true });
    const comments = Array.from({ length: count }, (_, index) => {
      clock.advance(1_000);
      return github.comment('maintainer', index % 2 === 0 ? thread : 8, `${index}`);
    });
    return { ...memory, comments };
  }

  test('are read with their threads, the last edited comment first', async () => {
    const { github, simulator, comments } = withComments(4);
    simulator.clock.advance(1_000);
    simulator.github.edit(comments[1]?.id ?? 0, 'edited');
    const read = await github.readRepositoryComments({ sinceMs: 0, maxPages: 30 });
    expect(read.isWhole).toBe(true);
    expect(read.comments.map(({ body, thread, unedited }) => [body, thread, unedited])).toEqual([
      ['edited', 8, false],
      ['3', 8, true],
      ['2', 7, true],
      ['0', 7, true],
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test.each<[count: number, maxPages: number, read: number, isWhole: boolean, requests: number]>([
    [0, 2, 0, true, 1],
    [100, 2, 100, true, 1],
    [201, 2, 200, false, 2],
    [201, 3, 201, true, 3],
  ])(
    '%i comments, at most %i pages: reads %i (complete: %p) in %i requests',
    async (count, maxPages, ...ends) => {
      const { github, simulator } = withComments(count);
      const { comments, isWhole } = await github.readRepositoryComments({ sinceMs: 0, maxPages });
      expect([comments.length, isWhole, simulator.requests.length]).toEqual(ends);
    },
  );

  test('are read only once if a new comment moves them to the next page', async () => {
    const { github, simulator } = withComments(150);
    simulator.once({ at: 'GET /repos/{owner}/{repo}/issues/comments', phase: 'handled' }, () => {
      simulator.clock.advance(1_000);
      simulator.github.comment('maintainer', thread, 'late');
    });
    const { comments } = await github.readRepositoryComments({ sinceMs: 0, maxPages: 30 });
    expect(new Set(comments.map(({ id }) => id)).size).toBe(comments.length);
    expect(comments).toHaveLength(150);
  });
});

describe('the comments in a thread', () => {
  async function idsNewestFirst(github: GitHub): Promise<number[][]> {
    const pages: number[][] = [];
    for await (const page of github.readNewestFirst(thread)) pages.push(page.map(({ id }) => id));
    return pages;
  }

  test.each([
    [0, [1]],
    [100, [1]],
    [101, [1, 2]],
    [350, [1, 4, 3, 2]],
  ])('%i comments are read once each, from pages %j', async (count, asked) => {
    const { github, simulator } = memoryGitHub();
    const write = () => simulator.github.comment('maintainer', thread, 'x').id;
    const ids = Array.from({ length: count }, write);
    expect((await idsNewestFirst(github)).toReversed().flat()).toEqual(ids);
    expect(simulator.requests.map(({ query }) => Number(query.page))).toEqual(asked);
  });

  test('are read to the end if GitHub links a next page but no last page', async () => {
    const times = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
    const urls = { html_url: 'https://x.test', issue_url: 'https://x.test/7' };
    const github = answeredBy((path) => {
      const page = Number(new URL(path, 'http://x').searchParams.get('page'));
      const link = `<http://x/?page=${page + 1}>; rel="next"`;
      return {
        body: [{ id: page, body: 'x', ...urls, ...times }],
        ...(page < 3 && { headers: { link } }),
      };
    });
    expect(await idsNewestFirst(github)).toEqual([[3], [2], [1]]);
  });
});

test('merged pull requests are those merged since a time, whenever they were last updated', async () => {
  const day = (date: number) => `2026-01-${String(date).padStart(2, '0')}T00:00:00Z`;
  const pull = (number: number, merged: number | undefined, updated: number) => ({
    number,
    html_url: `https://x.test/pull/${number}`,
    user: { login: 'maintainer', type: 'User' },
    merged_at: merged === undefined ? null : day(merged),
    updated_at: day(updated),
  });
  const body = [pull(1, 7, 20), pull(2, 3, 19), pull(3, undefined, 18), pull(4, 9, 17)];
  const { pulls, isWhole } = await answeredBy(() => ({ body })).readMerged(
    'main',
    Date.parse(day(5)),
  );
  expect(isWhole).toBe(true);
  expect(pulls.map(({ number, mergedAtMs }) => [number, mergedAtMs])).toEqual([
    [4, Date.parse(day(9))],
    [1, Date.parse(day(7))],
  ]);
});
