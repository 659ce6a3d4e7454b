import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fileFilter } from '../../../src/agent/context/paths.ts';

const files = [
  { path: 'README.md', oldPath: undefined },
  { path: 'docs/a.md', oldPath: undefined },
  { path: 'src/b.ts', oldPath: undefined },
  { path: 'src/b.test.ts', oldPath: undefined },
  { path: 'src/.env/c.ts', oldPath: undefined },
  { path: 'lib/moved.ts', oldPath: 'src/moved.ts' },
  { path: 'src/x\ny.ts', oldPath: undefined },
];
const chosen = (globs: readonly string[]) => files.filter(fileFilter(globs)).map(({ path }) => path);
const all = files.map(({ path }) => path);
const inSrc = ['src/b.ts', 'src/b.test.ts', 'src/.env/c.ts', 'lib/moved.ts', 'src/x\ny.ts'];

test.each<[string[], string[]]>([
  [[], all],
  [['src/**'], inSrc],
  [['/src/**'], inSrc],
  [['./src/**'], inSrc],
  [['SRC/**', 'readme.md'], []],
  [['*.ts'], []],
  [['*.md'], ['README.md']],
  [['**/*.test.ts'], ['src/b.test.ts']],
  [['!docs/**', '!*.md'], inSrc],
  [
    ['src/**', '!src/**/*.test.ts', '!src/.env/**'],
    ['src/b.ts', 'lib/moved.ts', 'src/x\ny.ts'],
  ],
  [['src/**', '!src/**', 'src/b.ts'], ['src/b.ts']],
  [['lib/**'], ['lib/moved.ts']],
  // It has left where the docs look.
  [['src/moved.ts'], ['lib/moved.ts']],
  [['!lib/**'], [...all]],
  [['{docs,lib}/*', '!**/moved.ts'], ['docs/a.md']],
])('%j choose %j', (globs, expected) => {
  expect(chosen(globs)).toEqual(expected);
});

test('which files are chosen does not hang on their order', () => {
  const glob = fc.constantFrom('src/**', '!src/**', '**/*.md', '!docs/*', 'lib/*', '!**/*.test.ts', '**');
  fc.assert(
    fc.property(
      fc.array(glob),
      fc.shuffledSubarray(files, { minLength: files.length }),
      (globs, shuffled) => {
        const isChosen = fileFilter(globs);
        expect(new Set(shuffled.filter(isChosen))).toEqual(new Set(files.filter(isChosen)));
      },
    ),
  );
});
