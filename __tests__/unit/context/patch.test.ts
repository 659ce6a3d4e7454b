import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hunksOf } from '../../../src/agent/context/block/patch.ts';

test('a patch as GitHub gives it: headers with text behind, a missing newline, lines that look like headers', () => {
  const hunks = [
    '@@ -1,3 +1,4 @@ export class Client {\n a\n-b\n+c\n+@@ -9 +9 @@\n d',
    '@@ -20 +21 @@\n-@@ x\n\\ No newline at end of file\n+@@ y\n\\ No newline at end of file',
    '@@ -30,0 +32,2 @@\n+\n+--- a/file',
  ];
  expect(hunksOf(hunks.join('\n'))).toEqual(hunks);
  expect(hunksOf('')).toEqual([]);
});

test('whatever a patch holds, its hunks are all of it', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('@@ -1 +1 @@', '@@', ' @@ ', '+@@ -1 +1 @@', '', '\r', '\u2028@@ -1 +1 @@'),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const patch = lines.join('\n');
      const hunks = hunksOf(patch);
      expect(hunks.join('\n')).toBe(patch);
      for (const hunk of hunks.slice(1)) expect(hunk).toMatch(/^@@ /);
      for (const hunk of hunks) expect(hunk).not.toContain('\n@@ ');
    }),
  );
});
