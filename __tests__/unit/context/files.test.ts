import { describe, expect, test } from '@jest/globals';
import { createClean } from '../../../src/agent/context/clean.ts';
import { choosePatches, createFileFilter, whyNoPatch } from '../../../src/agent/context/files.ts';
import { file } from '../../support/samples/changes.ts';

describe('`paths`', () => {
  const files = [
    ...['README.md', 'docs/a.md', 'src/b.ts', 'src/b.test.ts', 'src/.env/c.ts'].map((path) =>
      file(path),
    ),
    file('lib/moved.ts', { oldPath: 'src/moved.ts' }),
    file('src/x\ny.ts'),
  ];
  const inSrc = ['src/b.ts', 'src/b.test.ts', 'src/.env/c.ts', 'lib/moved.ts', 'src/x\ny.ts'];

  test.each<[string[], string[]]>([
    [[], files.map(({ path }) => path)],
    [['src/**'], inSrc],
    [['/src/**'], inSrc],
    [['./src/**'], inSrc],
    [['SRC/**', 'readme.md'], []],
    [['*.ts'], []],
    [['*.md'], ['README.md']],
    [['**/*.test.ts'], ['src/b.test.ts']],
    [['!docs/**', '!*.md'], inSrc],
    [
      ['src/**', '!src/**/*.test.ts', '!src/.env/**', '!src/x*'],
      ['src/b.ts', 'lib/moved.ts'],
    ],
    [['src/**', '!src/**', 'src/b.ts'], ['src/b.ts']],
    // A renamed file matches under its old path, too.
    [['src/moved.ts'], ['lib/moved.ts']],
    [['{docs,lib}/*', '!**/moved.ts'], ['docs/a.md']],
  ])('%j matches %j', (globs, expected) => {
    expect(files.filter(createFileFilter(globs)).map(({ path }) => path)).toEqual(expected);
  });

  test('matches every path longer than 300 characters', () => {
    expect(createFileFilter(['src/**'])(file(`docs/${'a'.repeat(300)}`))).toBe(true);
  });
});

describe('files whose patches are not sent', () => {
  const why = (changed: ReturnType<typeof file>) => whyNoPatch(changed, () => true);

  test.each([
    ...[
      'package-lock.json',
      'web/yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'bun.lockb',
      'Cargo.lock',
    ],
    ...[
      'go.sum',
      'go.work.sum',
      'poetry.lock',
      'uv.lock',
      'pylock.toml',
      'pylock.dev.toml',
      'Gemfile.lock',
    ],
    ...[
      'composer.lock',
      'ios/Podfile.lock',
      'Package.resolved',
      '.terraform.lock.hcl',
      'flake.lock',
    ],
    ...['dist/app.min.js', 'app.min.css', 'dist/app.js.map', 'src/__snapshots__/a.test.ts.snap'],
  ])('%s is generated', (path) => {
    expect(why(file(path))).toMatch(/^that a tool generated/);
  });

  test.each([
    ...['src/lock.ts', 'docs/package-lock.json.md', 'go.sum.txt', 'src/block.ts', 'src/admin.js'],
    ...['levels/forest.map', 'src/min.js', 'snapshots.md'],
  ])('%s is sent', (path) => {
    expect(why(file(path))).toBeUndefined();
  });

  test('files that `paths` excludes, and files without a patch on GitHub', () => {
    expect(whyNoPatch(file('yarn.lock'), () => false)).toMatch(/`paths`/);
    const noLines = { added: 0, removed: 0 };
    expect(why(file('logo.png', { patch: undefined, lines: noLines }))).toMatch(/without a patch/);
    expect(why(file('b.ts', { oldPath: 'a.ts', status: 'renamed', patch: undefined }))).toMatch(
      /renamed/,
    );
  });

  test('files with generated lines, but not files with long paragraphs', () => {
    const patchOf = (...lines: string[]) => ({ patch: ['@@ -1 +1 @@', ...lines].join('\n') });
    const paragraph = `+${'word '.repeat(180)}`;
    for (const lines of [[`+${'x'.repeat(5_000)}`], [' a', ' b', `+${'x'.repeat(40_000)}`, ' c']])
      expect(why(file('a.js', patchOf(...lines)))).toMatch(/^that a tool generated/);
    expect(why(file('a.mdx', patchOf(paragraph, '+', paragraph, '+', paragraph)))).toBeUndefined();
    expect(
      why(file('a.ts', patchOf(...Array.from({ length: 3_000 }, () => ' x')))),
    ).toBeUndefined();
  });
});

describe('patches', () => {
  const choose = (bytes: number, ...patches: string[]) =>
    choosePatches(
      patches.map((patch, index) => file(`${index}`, { patch })),
      bytes,
      createClean((text) => text),
    );

  test('are split at the start of each hunk, and not at similar lines', () => {
    const hunks = [
      '@@ -1,3 +1,4 @@ export class Client {\n a\n-b\n+c\n+@@ -9 +9 @@\n d',
      '@@ -20 +21 @@\n-@@ x\n\\ No newline at end of file\n+@@ y\n\\ No newline at end of file',
      '@@ -30,0 +32,2 @@\n+\n+--- a/file',
    ];
    const indented = hunks.map((hunk) => hunk.replace(/^/gm, '    '));
    expect(choose(999, hunks.join('\n'))).toEqual({
      lines: ['=== 0', ...indented],
      missing: 0,
      total: 3,
    });
    expect(choose(999, '')).toEqual({ lines: [], missing: 0, total: 0 });
  });

  test('are sent whole or not at all; small hunks are chosen first, and files keep their order', () => {
    const [large, small] = [`@@ -1 +1 @@\n+${'x'.repeat(40)}`, '@@ -1 +1 @@\n+y'];
    const shown = (text: string) => text.replace(/^/gm, '    ');
    expect(choose(200, large, small).lines).toEqual(['=== 0', shown(large), '=== 1', shown(small)]);
    expect(choose(60, large, small)).toEqual({
      lines: ['=== 1', shown(small)],
      missing: 1,
      total: 2,
    });
    const partly = choose(80, [large, small, large].join('\n'));
    expect(partly).toEqual({ lines: ['=== 0 (1 of 3 hunks)', shown(small)], missing: 2, total: 3 });
  });
});
