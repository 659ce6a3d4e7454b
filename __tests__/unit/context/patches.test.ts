import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createClean } from '../../../src/agent/context/block/clean.ts';
import { choosePatches } from '../../../src/agent/context/block/patches.ts';
import { file } from '../../support/samples/changes.ts';

const clean = createClean((text) => text);
const choose = (bytes: number, ...patches: string[]) =>
  choosePatches(
    patches.map((patch, index) => file(`${index}`, { patch })),
    bytes,
    clean,
  );
const hunk = (text: string) => `@@ -1 +1 @@\n+${text}`;

test('the smallest goes first, in the order of the list', () => {
  const [large, small] = [hunk('x'.repeat(40)), hunk('y')];
  expect(choose(200, large, small).lines).toEqual(['=== 0', large, '=== 1', small]);
  expect(choose(60, large, small)).toEqual({ lines: ['=== 1', small], missing: 1, of: 2 });
  expect(choose(0, large, small)).toEqual({ lines: [], missing: 2, of: 2 });
});

test('what grows when it is cleaned is measured as it is sent', () => {
  const grows = hunk(`${'\r'.repeat(9)}x`);
  const bytes = Buffer.byteLength(`=== 0 (1 of 1 hunks)\n${grows.replaceAll('\r', '⏎')}\n`);
  expect(choose(bytes, grows).missing).toBe(0);
  expect(choose(bytes - 1, grows).missing).toBe(1);
});

test('no patch at all, and a file that was only renamed, have no hunks', () => {
  expect(choosePatches([file('a', { patch: undefined }), file('b', { patch: '' })], 100, clean)).toEqual({
    lines: [],
    missing: 0,
    of: 0,
  });
});

test('they never take more than they may, and are counted right', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '語', '\r', '\u200b'), maxLength: 12 });
  const patch = fc.array(text, { maxLength: 5 }).map((texts) => texts.map(hunk).join('\n'));
  fc.assert(
    fc.property(fc.array(patch), fc.nat(400), (patches, bytes) => {
      const { lines, missing, of } = choose(bytes, ...patches);
      expect(lines.reduce((sum, line) => sum + Buffer.byteLength(`${line}\n`), 0)).toBeLessThanOrEqual(bytes);
      expect(lines.filter((line) => line.startsWith('@@')).length + missing).toBe(of);
    }),
  );
});
