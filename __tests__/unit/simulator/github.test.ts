import { beforeEach, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/core';
import { fetch as undiciFetch } from 'undici';

import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';

/*
 * The simulated GitHub, as far as other tests trust it to refuse what GitHub refuses and to cut what GitHub cuts; a client of
 * GitHub's own is at home in it.
 */

let simulator: InMemorySimulator;
let octokit: Octokit;
beforeEach(() => {
  simulator = createInMemorySimulator();
  simulator.github.addThread({ number: 7 });
  simulator.github.addThread({ number: 8, isPullRequest: true });
  octokit = client();
});

function client(auth: string | undefined = DEFAULT_TOKEN): Octokit {
  const fetch = (url: string, options: Parameters<typeof undiciFetch>[1]) =>
    undiciFetch(url, { ...options, dispatcher: simulator.dispatcher });
  return new Octokit({ auth, baseUrl: simulator.githubUrl, request: { fetch } });
}

const repository = { owner: 'octo-org', repo: 'docs' };
const write = (issue_number: number, body: unknown = 'x') =>
  octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repository,
    issue_number,
    body: body as string,
  });
const list = (parameters: object = {}) =>
  octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repository,
    issue_number: 7,
    ...parameters,
  });

test('comments are listed in pages of the oldest first, and show when they were edited', async () => {
  for (let made = 1; made <= 250; made += 1) simulator.github.comment('maintainer', 7, `c${made}`);
  const last = await list({ per_page: 100, page: 3 });
  expect(last.data).toHaveLength(50);
  expect(last.headers.link).toMatch(/page=2>; rel="prev", .*page=1>; rel="first"$/);
  simulator.clock.advance(60_000);
  simulator.github.edit(Number(last.data[0]?.id), 'edited');
  expect((await list({ since: '2026-01-05T09:00:30Z' })).data).toMatchObject([
    { body: 'edited', created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:01:00Z' },
  ]);
  expect(simulator.violations).toEqual([]);
});

test('a token writes where it may, and in the name that it belongs to', async () => {
  simulator.github.restrict({ issues: 'read' });
  await expect(write(7)).rejects.toThrow('Resource not accessible by integration');
  expect((await write(8)).data).toMatchObject({ user: { login: 'github-actions[bot]', type: 'Bot' } });
  simulator.github.thread(8).locked = true;
  await expect(write(8)).rejects.toThrow('Unable to create comment because issue is locked.');
  await expect(write(404)).rejects.toMatchObject({ status: 404 });
  octokit = client('ghs_fake_wrong');
  await expect(write(8)).rejects.toMatchObject({ status: 401 });
  expect(simulator.violations).toEqual([]);
});

test.each<[string, () => Promise<unknown>]>([
  ['an unknown endpoint', () => octokit.request('GET /repos/{owner}/{repo}/labels', repository)],
  ['a parameter that GitHub ignores', () => list({ direction: 'desc' })],
  ['a blank comment', () => write(7, ' ')],
  ['a comment that is no string', () => write(7, 1)],
  ['65,537 characters', () => write(7, 'x'.repeat(65_537))],
  ['an API version of the future', () => list({ headers: { 'x-github-api-version': '2099-01-01' } })],
])('notes %s as a violation', async (_, ask) => {
  await ask().catch(() => undefined);
  expect(simulator.violations).toHaveLength(1);
  expect(simulator.github.commentsOf(7)).toEqual([]);
});

test('lists end without a word: the files of a comparison and of a pull request, and a tree', async () => {
  const { git, pullRequests, listLimits } = simulator.github;
  Object.assign(listLimits, { comparedFiles: 2, pullRequestFiles: 2, treeEntries: 2 });
  const base = git.commit().sha;
  git.branch('change');
  const { sha } = git.commit({ branch: 'change', files: { a: '1', b: '1', c: '1', d: '1' } });
  pullRequests.open({ number: 9, head: 'change' });
  const read = async (path: string) => (await octokit.request(`GET /repos/octo-org/docs${path}`)).data;
  expect((await read(`/compare/${base}...${sha}`)).files).toHaveLength(2);
  expect(await read('/pulls/9/files?per_page=2&page=2')).toEqual([]);
  expect(await read('/pulls/9')).toMatchObject({ changed_files: 4, merged: false });
  const { tree, truncated } = await read(`/git/trees/${sha}?recursive=1`);
  expect([tree.length, truncated]).toEqual([2, true]);
});

test('a comment may be stored though its POST got a 502, and show in lists later than by its id', async () => {
  simulator.github.listLagMs = () => 5_000;
  const at = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  simulator.faults.add({ at, kind: 'status', status: 502, when: 'after-handled' });
  await expect(write(7)).rejects.toMatchObject({ status: 502 });
  expect((await list()).data).toEqual([]);
  simulator.clock.advance(5_000);
  expect((await list()).data).toMatchObject([{ body: 'x' }]);
});
