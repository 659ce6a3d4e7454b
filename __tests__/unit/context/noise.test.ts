import { expect, test } from '@jest/globals';
import { whyNamedOnly } from '../../../src/agent/context/block/noise.ts';
import { file } from '../../support/samples/changes.ts';

const why = (one: ReturnType<typeof file>) => whyNamedOnly(one, () => true);

test.each([
  'package-lock.json',
  'web/yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'Cargo.lock',
  'go.sum',
  'go.work.sum',
  'poetry.lock',
  'uv.lock',
  'pylock.toml',
  'pylock.dev.toml',
  'Gemfile.lock',
  'composer.lock',
  'ios/Podfile.lock',
  'Package.resolved',
  '.terraform.lock.hcl',
  'flake.lock',
])('%s is a lock file', (path) => {
  expect(why(file(path))).toBe('lock-file');
});

test.each(['dist/app.min.js', 'app.min.css', 'dist/app.js.map', 'types/app.d.ts.map'])(
  '%s is minified',
  (path) => {
    expect(why(file(path))).toBe('minified');
  },
);

test.each([
  'src/lock.ts',
  'docs/package-lock.json.md',
  'my-yarn.lock',
  'go.sum.txt',
  'src/admin.js',
  'levels/forest.map',
  'src/min.js',
  'snapshots.md',
])('%s is for the agent', (path) => {
  expect(why(file(path))).toBeUndefined();
});

test('what `paths` leaves out is that first of all', () => {
  expect(whyNamedOnly(file('yarn.lock'), ({ path }) => path !== 'yarn.lock')).toBe('excluded');
});

test('snapshots of tests', () => {
  expect(why(file('src/__snapshots__/a.test.ts.snap'))).toBe('snapshot');
});

test('a file that GitHub gives no patch of, unless its name is all that changed', () => {
  const noLines = { added: 0, removed: 0 };
  expect(why(file('logo.png', { patch: undefined, lines: noLines }))).toBe('no-patch');
  expect(why(file('big.ts', { patch: undefined, lines: { added: 30_000, removed: 0 } }))).toBe('no-patch');
  expect(why(file('a.ts', { patch: undefined, lines: undefined, status: 'renamed' }))).toBe('no-patch');
  const renamed = file('b.ts', { oldPath: 'a.ts', status: 'renamed', patch: undefined });
  expect(why({ ...renamed, lines: noLines })).toBeUndefined();
  expect(why({ ...renamed, lines: { added: 9_000, removed: 9_000 } })).toBe('no-patch');
});

test('lines that no one writes by hand, and paragraphs that somebody did', () => {
  const patchOf = (...lines: string[]) => ['@@ -1 +1 @@', ...lines].join('\n');
  const paragraph = `+${'word '.repeat(180)}`;
  expect(why(file('bundle.js', { patch: patchOf(`+${'x'.repeat(5_000)}`) }))).toBe('minified');
  expect(why(file('bundle.js', { patch: patchOf(' a', ' b', `+${'x'.repeat(40_000)}`, ' c') }))).toBe(
    'minified',
  );
  expect(why(file('a.mdx', { patch: patchOf(paragraph, '+', paragraph, '+', paragraph) }))).toBeUndefined();
  expect(why(file('a.ts', { patch: patchOf(...Array.from({ length: 3_000 }, () => ' x')) }))).toBeUndefined();
});
