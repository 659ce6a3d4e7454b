import { describe, expect, test } from '@jest/globals';
import type { GitEdit } from '../../../simulator/github/repository/git.ts';
import { answeredBy, manyFiles, memoryGitHub } from './memory-github.ts';

const prose = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

/** Opens pull request 8 with these edits, in a repository with the files in `before`. */
async function filesOf(before: Record<string, GitEdit>, edits: Record<string, GitEdit>) {
  const { github, simulator } = memoryGitHub();
  const { git, pullRequests, listLimits } = simulator.github;
  git.commit({ files: before });
  git.branch('change');
  git.commit({ branch: 'change', files: edits });
  pullRequests.open({ number: 8, head: 'change' });
  const read = async (changedFiles?: number) => {
    const { changedFiles: counted = 0, headSha = '' } = (await github.readPullRequest(8)) ?? {};
    return github.readPullRequestFiles({
      number: 8,
      changedFiles: changedFiles ?? counted,
      headSha,
    });
  };
  return { simulator, listLimits, read };
}

test('every kind of change is read, and a rename with both names', async () => {
  const { read } = await filesOf(
    {
      'edit.md': prose,
      'gone.md': 'bye\n',
      'moved.md': prose.toUpperCase(),
      'i.png': { binary: '1' },
    },
    {
      'edit.md': prose.replace('five', 'FIVE'),
      'gone.md': null,
      'new.md': 'hello\n',
      'moved.md': null,
      'to/moved.md': prose.toUpperCase(),
      'i.png': { binary: '2' },
    },
  );
  const { files, isWhole } = await read();
  expect(isWhole).toBe(true);
  expect(files).toMatchSnapshot();
});

test.each<[count: number, requests: number]>([
  [100, 1],
  [101, 2],
  [3_000, 30],
])('%i files take %i requests', async (count, requests) => {
  const { simulator, read } = await filesOf({}, manyFiles(count));
  const { files, isWhole } = await read();
  expect({ count: files.length, isWhole }).toEqual({ count, isWhole: true });
  expect(new Set(files.map(({ path }) => path)).size).toBe(count);
  const asked = simulator.requests.filter(({ path }) => path.endsWith('/files'));
  expect(asked.map(({ query }) => query)).toEqual(
    Array.from({ length: requests }, (_, index) => ({ per_page: '100', page: `${index + 1}` })),
  );
});

test('a file that appears on two pages counts once, and the list may be incomplete', async () => {
  const { simulator, read } = await filesOf({}, manyFiles(150));
  simulator.once(
    { at: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files', phase: 'handled' },
    () => {
      simulator.github.git.commit({ branch: 'change', files: { 'a-first.md': 'x\n' } });
      simulator.github.pullRequests.update(8);
    },
  );
  const { files, isWhole } = await read(151);
  expect(files).toHaveLength(150);
  expect(isWhole).toBe(false);
});

test('a file that GitHub lists without counts has an unknown size, not zero', async () => {
  const six = 'x\n'.repeat(6);
  const { listLimits, read } = await filesOf({}, { 'a.md': six, 'b.md': six, 'c.md': 'x\n' });
  listLimits.patchLines = 10;
  const { files, isWhole } = await read();
  expect(files.map(({ path, lines, patch }) => [path, lines?.added, patch !== undefined])).toEqual([
    ['a.md', 6, true],
    ['b.md', undefined, false],
    ['c.md', undefined, false],
  ]);
  expect(isWhole).toBe(true);
});

test('patches are kept up to four megabytes, and all file names are kept', async () => {
  const { read } = await filesOf({}, manyFiles(500, 'x'.repeat(9_000)));
  const { files, isWhole } = await read();
  const kept = files.filter(({ patch }) => patch !== undefined);
  expect([kept.length, files.length, isWhole]).toEqual([441, 500, true]);
});

test.each([
  ['octo-org/docs', 'blob/notes.md', true],
  ['octo-org/blob', 'notes.md', true],
  ['blob/docs', 'notes.md', true],
  ['blob/blob', 'blob/notes.md', true],
  ['octo-org/beta', 'blob/beta/notes.md', false],
])('in %s, the commit of %s is taken from the right place', async (repository, path, isOfHead) => {
  const [headSha, otherSha] = ['beta', 'a1b2'];
  const sha = isOfHead ? headSha : otherSha;
  const blob_url = `https://github.com/${repository}/blob/${sha}/${path}`;
  const file = { filename: path, status: 'added', additions: 1, deletions: 0, blob_url };
  const github = answeredBy(() => ({ body: [file] }));
  const files = await github.readPullRequestFiles({ number: 8, changedFiles: 1, headSha });
  expect(files.isOfHead).toBe(isOfHead);
});

describe('a comparison with more files than GitHub lists (300)', () => {
  /** Creates a tag, `base`, then adds this many files on the main branch, and makes a few other changes. */
  function withFiles(count: number) {
    const memory = memoryGitHub();
    const { git } = memory.simulator.github;
    const before = {
      'docs/old-name.md': 'renamed\n',
      'zz/gone.md': 'gone\n',
      'zz/kept.md': 'kept\n',
    };
    git.commit({ files: before });
    git.tag('base');
    git.commit({ files: manyFiles(count, 'x\n') });
    git.commit({
      files: { 'docs/old-name.md': null, 'docs/-new-name.md': 'renamed\n', 'zz/gone.md': null },
    });
    git.commit({
      files: {
        'zz/submodule': { submodule: '1' },
        'zz/kept.md': { text: 'kept\n', mode: '100755' },
      },
    });
    return memory;
  }

  test('gets the other files from the two Git trees', async () => {
    const { github, simulator } = withFiles(400);
    const { files = [], isWhole } = (await github.compare('base', 'main')) ?? {};
    expect(isWhole).toBe(true);
    expect(files).toHaveLength(404);
    expect(new Set(files.map(({ path }) => path)).size).toBe(404);
    // GitHub lists only 300 files with their changes. For the others, the trees contain only names.
    const renamed = { path: 'docs/-new-name.md', oldPath: 'docs/old-name.md', status: 'renamed' };
    expect(files[0]).toMatchObject(renamed);
    expect(files[299]).toMatchObject({ path: 'docs/00298.md', lines: { added: 2, removed: 0 } });
    const others = files.slice(300);
    expect(others.every(({ lines, patch }) => lines === undefined && patch === undefined)).toBe(
      true,
    );
    const last = others.filter(({ path }) => path.startsWith('zz/'));
    expect(last.map(({ path, status }) => [path, status])).toEqual([
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

  test('needs no trees for 299 files', async () => {
    const { github, simulator } = withFiles(295);
    expect(await github.compare('base', 'main')).toMatchObject({ isWhole: true });
    expect(simulator.requests).toHaveLength(1);
  });
});
