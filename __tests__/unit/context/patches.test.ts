import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linesBytes } from '../../../src/agent/context/bounded-lines.ts';
import { createClean } from '../../../src/agent/context/clean.ts';
import { choosePatches, hunksOf } from '../../../src/agent/context/patches.ts';
import { file } from '../../support/samples/changes.ts';

const clean = createClean((text) => text);
const choose = (bytes: number, ...patches: string[]) =>
  choosePatches(
    patches.map((patch, index) => file(`${index}`, { patch })),
    bytes,
    clean,
  );
const hunk = (text: string) => `@@ -1 +1 @@\n+${text}`;
const shown = (text: string) => `    @@ -1 +1 @@\n    +${text}`;

test('a patch is split at the lines that begin hunks, and not at those that look like them', () => {
  const hunks = [
    '@@ -1,3 +1,4 @@ export class Client {\n a\n-b\n+c\n+@@ -9 +9 @@\n d',
    '@@ -20 +21 @@\n-@@ x\n\\ No newline at end of file\n+@@ y\n\\ No newline at end of file',
    '@@ -30,0 +32,2 @@\n+\n+--- a/file',
  ];
  expect(hunksOf(hunks.join('\n'))).toEqual(hunks);
  expect(hunksOf('')).toEqual([]);
});

test('the smallest goes first, in the order of the list', () => {
  const [large, small] = ['x'.repeat(40), 'y'];
  expect(choose(200, hunk(large), hunk(small)).lines).toEqual(['=== 0', shown(large), '=== 1', shown(small)]);
  expect(choose(60, hunk(large), hunk(small))).toEqual({ lines: ['=== 1', shown(small)], missing: 1, of: 2 });
  expect(choose(0, hunk(large), hunk(small))).toEqual({ lines: [], missing: 2, of: 2 });
});

test('what grows when it is cleaned is measured as it is sent', () => {
  const bytes = linesBytes(['=== 0 (1 of 1 hunks)', shown(`${'⏎'.repeat(9)}x`)]);
  const grows = hunk(`${'\r'.repeat(9)}x`);
  expect(choose(bytes, grows).missing).toBe(0);
  expect(choose(bytes - 1, grows).missing).toBe(1);
});

test('a file without a patch has no hunks', () => {
  const files = [file('a', { patch: undefined }), file('b', { patch: '' })];
  expect(choosePatches(files, 100, clean)).toEqual({ lines: [], missing: 0, of: 0 });
});

test('hunks are sent whole or not at all, never take more than they may, and are counted right', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '語', '\r', '\u200b'), maxLength: 12 });
  const hunks = fc.array(text.map(hunk), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(hunks), fc.nat(400), (patches, bytes) => {
      const { lines, missing, of } = choose(bytes, ...patches.map((patch) => patch.join('\n')));
      const whole = patches.flat().map((one) => clean.hunk(one).replace(/^/gm, '    '));
      const sent = lines.filter((line) => !line.startsWith('==='));
      expect(linesBytes(lines)).toBeLessThanOrEqual(bytes);
      expect(whole).toEqual(expect.arrayContaining(sent));
      expect([sent.length + missing, of]).toEqual([whole.length, whole.length]);
    }),
  );
});
