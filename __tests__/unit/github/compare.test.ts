import { describe, expect, test } from '@jest/globals';

import { calm } from '../../support/in-process/service.ts';
import { manyFiles, memoryGitHub } from './memory-github.ts';

describe('a comparison with more files than GitHub lists (300)', () => {
  /** Creates a tag, `base`, then adds this many files on the main branch, and makes a few other changes. */
  function withFiles(count: number) {
    const memory = memoryGitHub();
    const { git } = memory.simulator.github;
    const before = { 'docs/old-name.md': 'renamed\n', 'zz/gone.md': 'gone\n', 'zz/kept.md': 'kept\n' };
    git.commit({ files: before });
    git.tag('base');
    git.commit({ files: manyFiles(count, 'x\n') });
    git.commit({ files: { 'docs/old-name.md': null, 'docs/-new-name.md': 'renamed\n', 'zz/gone.md': null } });
    git.commit({
      files: { 'zz/submodule': { submodule: '1' }, 'zz/kept.md': { text: 'kept\n', mode: '100755' } },
    });
    return memory;
  }

  test('gets the other files from the two Git trees', async () => {
    const { github, simulator } = withFiles(400);
    const { files = [], isWhole } = (await github.compare('base', 'main', calm())) ?? {};
    expect(isWhole).toBe(true);
    expect(files).toHaveLength(404);
    expect(new Set(files.map(({ path }) => path)).size).toBe(404);
    // GitHub lists only 300 files with their changes. For the others, the trees contain only names.
    const renamed = { path: 'docs/-new-name.md', oldPath: 'docs/old-name.md', status: 'renamed' };
    expect(files[0]).toMatchObject(renamed);
    expect(files[299]).toMatchObject({ path: 'docs/00298.md', lines: { added: 2, removed: 0 } });
    const others = files.slice(300);
    expect(others.every(({ lines, patch }) => lines === undefined && patch === undefined)).toBe(true);
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
    expect(await github.compare('base', 'main', calm())).toMatchObject({ isWhole: true });
    expect(simulator.requests).toHaveLength(1);
  });
});
