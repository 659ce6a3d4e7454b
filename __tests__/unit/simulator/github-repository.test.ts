import { beforeEach, describe, expect, test } from '@jest/globals';
import { applyPatch } from 'diff';
import fc from 'fast-check';

import { NO_COMMIT } from '../../../simulator/github/github.ts';
import { changesBetween, patchOf } from '../../../simulator/github/repository/diff.ts';
import type { GitTree } from '../../../simulator/github/repository/types.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import { GitHubClient, REPO } from './github-client.ts';

let simulator: InMemorySimulator;
let get: (path: string, headers?: Record<string, string>) => ReturnType<GitHubClient['call']>;
beforeEach(() => {
  const client = new GitHubClient();
  simulator = client.simulator;
  get = (path, headers = {}) => client.call('GET', `${REPO}${path}`, { headers });
});

/** A tree of texts. */
function treeOf(files: Readonly<Record<string, string>>): GitTree {
  return new Map(Object.entries(files).map(([path, text]) => [path, { blob: text, mode: '100644', text }]));
}

test('a patch makes the new text of the old one', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const [change] = changesBetween(treeOf({ x: before }), treeOf({ x: after }));
      const patch = change === undefined ? undefined : patchOf(change);
      expect(applyPatch(before, `--- x\n+++ x\n${patch?.text}\n`)).toBe(after);
      const added = after.split('\n').length - before.split('\n').length;
      expect(Math.abs((patch?.added ?? 0) - (patch?.removed ?? 0) - added)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a comparison on pages has its files on the first one alone', async () => {
  const { git } = simulator.github;
  const base = git.commit();
  for (let nth = 1; nth <= 3; nth += 1) git.commit({ files: { [`${nth}.md`]: 'x\n' }, message: `${nth}` });
  const compare = `/compare/${base.sha}...main?per_page=2&page=`;
  expect((await get(`${compare}1`)).body).toMatchObject({
    ahead_by: 3,
    behind_by: 0,
    commits: [{ commit: { message: '1' } }, { commit: { message: '2' } }],
    files: [{ filename: '1.md' }, { filename: '2.md' }, { filename: '3.md' }],
  });
  const second = (await get(`${compare}2`)).body;
  expect(second).toMatchObject({ commits: [{ commit: { message: '3' } }], total_commits: 3 });
  expect(second).not.toHaveProperty('files');
});

test('files of a pull request end at the limit, and Link points on', async () => {
  const { git, pullRequests, listLimits } = simulator.github;
  listLimits.pullRequestFiles = 2;
  git.commit();
  git.branch('change');
  git.commit({ branch: 'change', files: { a: '1', b: '1', c: '1', d: '1', e: '1' } });
  pullRequests.open({ number: 9, head: 'change' });
  const { body, headers } = await get('/pulls/9/files?per_page=2&page=2');
  expect(body).toEqual([]);
  expect(headers.link).toContain('page=3>; rel="next"');
  expect((await get('/pulls/9')).body).toMatchObject({ changed_files: 5, merged: false });
});

test('what readers see comes only where it is asked for', async () => {
  simulator.github.addThread({ number: 9, body: '<!-- hidden -->Seen' });
  expect((await get('/issues/9')).body).not.toHaveProperty('body_text');
  const full = { accept: 'application/vnd.github.full+json' };
  expect((await get('/issues/9', full)).body).toMatchObject({
    body: '<!-- hidden -->Seen',
    body_text: 'Seen',
  });
});

test('a tree names its folders, and says when it was cut', async () => {
  const { git, listLimits } = simulator.github;
  const { treeSha, sha } = git.commit({ files: { 'docs/a.md': 'a\n', lib: { submodule: '1' } } });
  const tree = [
    { path: 'docs', type: 'tree' },
    { path: 'docs/a.md', type: 'blob' },
    { path: 'lib', type: 'commit', mode: '160000' },
  ];
  for (const name of [treeSha, sha, 'main'])
    expect((await get(`/git/trees/${name}?recursive=1`)).body).toMatchObject({ tree, truncated: false });
  listLimits.treeEntries = 2;
  expect((await get(`/git/trees/${treeSha}?recursive=1`)).body).toMatchObject({
    tree: tree.slice(0, 2),
    truncated: true,
  });
});

test('drafts are shown to those who may push', async () => {
  simulator.github.git.commit();
  simulator.github.releases.add({ tag: 'v2', isDraft: true });
  expect((await get('/releases')).body).toEqual([]);
  simulator.github.restrict({ contents: 'write' });
  expect((await get('/releases')).body).toMatchObject([{ tag_name: 'v2', draft: true, published_at: null }]);
  expect((await get('/releases/tags/v2')).status).toBe(404);
});

test('comments of all threads need one of two permissions', async () => {
  const status = async () => (await get('/issues/comments')).status;
  simulator.github.restrict({ issues: 'none' });
  expect(await status()).toBe(200);
  simulator.github.restrict({ 'pull-requests': 'none' });
  expect(await status()).toBe(200);
  simulator.github.restrict({ issues: 'none', 'pull-requests': 'none' });
  expect(await status()).toBe(403);
});

describe('events', () => {
  test('a push names its commits, and what it was before', () => {
    const { git } = simulator.github;
    const first = git.commit({ message: 'One' });
    const second = git.commit({ message: 'Two' });
    const third = git.commit({ message: 'Three' });
    expect(simulator.github.pushEvent({ before: first.sha }).payload).toMatchObject({
      ref: 'refs/heads/main',
      before: first.sha,
      after: third.sha,
      created: false,
      commits: [{ id: second.sha }, { id: third.sha, message: 'Three' }],
      head_commit: { id: third.sha },
    });
    expect(simulator.github.pushEvent({ before: NO_COMMIT, forced: true }).payload).toMatchObject({
      created: true,
      forced: true,
      commits: [{ id: first.sha }, { id: second.sha }, { id: third.sha }],
    });
    expect(simulator.github.pushEvent({ after: NO_COMMIT }).payload).toMatchObject({
      deleted: true,
      commits: [],
      head_commit: null,
    });
  });

  test('a merged pull request and a release say what the API says', async () => {
    const { git, pullRequests, releases } = simulator.github;
    git.commit();
    git.branch('change');
    git.commit({ branch: 'change', files: { 'a.md': 'a\n' } });
    pullRequests.open({ number: 9, head: 'change', title: 'Add a', body: 'Why not.' });
    const { sha } = pullRequests.merge(9, 'squash');
    const { payload } = simulator.github.pullRequestEvent(9, 'closed');
    expect(payload).toMatchObject({
      pull_request: { merged: true, merge_commit_sha: sha, body: 'Why not.' },
    });
    expect((await get('/pulls/9')).body).toMatchObject(payload.pull_request as object);
    releases.add({ tag: 'v1' });
    const event = simulator.github.releaseEvent('v1');
    expect((await get('/releases/tags/v1')).body).toEqual(event.payload.release);
  });
});
