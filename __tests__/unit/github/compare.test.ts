import { describe, expect, test } from '@jest/globals';

import { calm } from '../../support/in-process/service.ts';
import { manyFiles, memoryGitHub } from './memory-github.ts';

test('from a point of the history to another', async () => {
  const { github, simulator } = memoryGitHub();
  const { git } = simulator.github;
  const base = git.commit({ files: { 'a.md': 'one\n' } });
  const first = git.commit({ files: { 'a.md': 'two\n' }, message: 'Two\n\nmore' });
  simulator.clock.advance(60_000);
  const last = git.commit({ files: { 'b.md': 'b\n' }, message: 'B' });
  expect(await github.compare(base.sha, 'main', calm())).toEqual({
    status: 'ahead',
    commits: [
      { sha: first.sha, parents: first.parents, message: 'Two\n\nmore' },
      { sha: last.sha, parents: last.parents, message: 'B' },
    ],
    totalCommits: 2,
    files: [
      expect.objectContaining({ path: 'a.md', patch: '@@ -1 +1 @@\n-one\n+two' }),
      expect.objectContaining({ path: 'b.md', status: 'added' }),
    ],
    isWhole: true,
  });
  const same = { status: 'identical', files: [], isWhole: true };
  expect(await github.compare('main', 'main', calm())).toMatchObject(same);
  const behind = { status: 'behind', files: [], commits: [] };
  expect(await github.compare('main', base.sha, calm())).toMatchObject(behind);
});

test('a base that is gone, a head that never was, and nothing between them', async () => {
  const { github, simulator } = memoryGitHub();
  const { git } = simulator.github;
  const old = git.commit({ files: { 'a.md': 'a\n' } });
  git.commit({ branch: 'other', parents: [], files: { 'z.md': 'z\n' } });
  git.commit({ parents: [], files: { 'a.md': 'rewritten\n' } });
  expect(await github.compare('other', 'main', calm())).toBeUndefined();
  expect(await github.compare('main', 'nowhere', calm())).toBeUndefined();
  expect(await github.compare('0'.repeat(40), 'main', calm())).toBeUndefined();
  git.forget(old.sha);
  expect(await github.compare(old.sha, 'main', calm())).toBeUndefined();
});

describe('where a comparison lists 300 files', () => {
  /** A main branch with that many new files, one of them renamed, and the tag `base` before them. */
  function withFiles(count: number) {
    const memory = memoryGitHub();
    const { git } = memory.simulator.github;
    git.commit({
      files: { 'docs/old-name.md': 'renamed\n', 'zz/gone.md': 'gone\n', 'zz/kept.md': 'kept\n' },
    });
    git.tag('base');
    git.commit({ files: manyFiles(count, 'x\n') });
    git.commit({ files: { 'docs/old-name.md': null, 'docs/-new-name.md': 'renamed\n', 'zz/gone.md': null } });
    git.commit({
      files: { 'zz/submodule': { submodule: '1' }, 'zz/kept.md': { text: 'kept\n', mode: '100755' } },
    });
    return memory;
  }

  test('the two trees tell the others', async () => {
    const { github, simulator } = withFiles(400);
    const { files = [], isWhole } = (await github.compare('base', 'main', calm())) ?? {};
    expect(isWhole).toBe(true);
    expect(files).toHaveLength(404);
    expect(new Set(files.map(({ path }) => path)).size).toBe(404);
    // Listed files stay as they are, including the rename; the others only have names.
    expect(files[0]).toMatchObject({
      path: 'docs/-new-name.md',
      oldPath: 'docs/old-name.md',
      status: 'renamed',
    });
    expect(files[299]).toMatchObject({ path: 'docs/00298.md', lines: { added: 2, removed: 0 } });
    const others = files.slice(300);
    expect(others.every(({ lines, patch }) => lines === undefined && patch === undefined)).toBe(true);
    expect(
      others.filter(({ path }) => path.startsWith('zz/')).map(({ path, status }) => [path, status]),
    ).toEqual([
      ['zz/gone.md', 'removed'],
      ['zz/kept.md', 'modified'],
      ['zz/submodule', 'added'],
    ]);
    expect(simulator.requests.map(({ route }) => route?.split('{repo}/')[1])).toEqual([
      'compare/{basehead}',
      'git/trees/{tree_sha}',
      'git/trees/{tree_sha}',
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test('a tree that was cut proves nothing: the list is not whole', async () => {
    const { github, simulator } = withFiles(400);
    simulator.github.listLimits.treeEntries = 350;
    const { files, isWhole } = (await github.compare('base', 'main', calm())) ?? {};
    expect({ count: files?.length, isWhole }).toEqual({ count: 300, isWhole: false });
  });

  test('299 need no trees', async () => {
    const { github, simulator } = withFiles(295);
    expect(await github.compare('base', 'main', calm())).toMatchObject({ isWhole: true });
    expect(simulator.requests).toHaveLength(1);
  });
});
