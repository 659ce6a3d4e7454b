import { expect, test } from '@jest/globals';
import { readChanges } from '../../../src/visitors/read/read-changes.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import { answeredBy } from '../github/memory-github.ts';
import { createdAt, depsOf, serviceOf, unused, window } from './site.ts';

/** The answers of a repository whose pull requests were merged, or closed, at these times. */
function githubWith(mergedAt: readonly (string | null)[]) {
  const pulls = mergedAt.map((merged_at, index) => ({
    number: index + 1,
    html_url: `https://github.com/octo-org/docs/pull/${index + 1}`,
    merged_at,
    // Someone commented on the first one last. That isn't a change.
    updated_at: new Date(createdAt - index * 60_000).toISOString(),
    user: { login: 'octocat', type: 'User' },
  }));
  const lists: [RegExp, object][] = [
    [/\/pulls\?/, pulls],
    [/\/files\?/, [{ filename: 'a.mdx', status: 'modified', additions: 1, deletions: 0 }]],
    [/\/trees\//, { tree: [], truncated: false }],
  ];
  const about = { default_branch: 'main', private: false, full_name: 'octo-org/docs' };
  return answeredBy((path) => ({
    body: lists.find(([pattern]) => pattern.test(path))?.[1] ?? about,
  }));
}

test('a change belongs to the day on which it was merged, whenever it was updated', async () => {
  const github = githubWith([
    '2026-10-11T21:59:59Z', // the day before the range begins, in Berlin
    '2026-10-11T22:00:00Z', // the first day
    '2026-11-04T12:00:00Z',
    '2026-11-08T22:59:59Z', // the last day
    '2026-11-08T23:00:00Z', // the day on which the range ends
    null,
  ]);
  const range = { from: shiftWindow(window, -4), to: window, timeZone: 'Europe/Berlin' };
  const { deps } = depsOf(serviceOf(unused).service, { github });
  const changes = await readChanges({ owner: 'octo-org', repo: 'docs' }, range, deps);
  expect(changes).toMatchObject({
    pulls: [
      { number: 4, date: '2026-11-08' },
      { number: 3, date: '2026-11-04' },
      { number: 2, date: '2026-10-12' },
    ],
    unread: 0,
    isLeast: false,
  });
});
