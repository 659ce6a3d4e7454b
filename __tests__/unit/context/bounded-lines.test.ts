import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BoundedLines, linesBytes } from '../../../src/agent/context/bounded-lines.ts';

/** What fits into so many bytes, besides the sentence about what doesn't. */
const bounded = (bytes: number) => new BoundedLines(bytes + 1024);
const missing = (count: number) => `${count} missing`;

test('lines fit to the byte, all of them or none', () => {
  const lines = bounded(8);
  lines.add('é', 'abc', 'd');
  expect(lines.all()).toEqual([]);
  lines.add('é', 'abcd');
  expect(lines.all()).toEqual(['é', 'abcd']);
  expect(lines.left).toBe(0);
});

test.each([
  ['\nList:\né\nabcd\n', ['', 'List:', 'é', 'abcd']],
  ['\nList:\né\nabcd', ['', 'List:', 'é', '', 'Left out: 1 missing.']],
  ['\nList:\né', ['', 'Left out: 2 missing.']],
])('a list in as many bytes as %j', (text, expected) => {
  const lines = bounded(Buffer.byteLength(text));
  lines.addList('List:', ['é', 'abcd'], 100, missing);
  expect(lines.all()).toEqual(expected);
});

test('an item that is too large leaves room for the next; what was never handed in counts as well', () => {
  const lines = bounded(100);
  lines.addList('List:', ['a', 'long item', 'b'], Buffer.byteLength('\nList:\na\nb\n'), missing, 9);
  expect(lines.all()).toEqual(['', 'List:', 'a', 'b', '', 'Left out: 7 missing.']);
});

test('a text that fits is quoted whole; the end of a longer one is left out', () => {
  const lines = bounded(1_000);
  lines.addText('Text:', 'one\n\ntwo \n', 1_000, 'it');
  lines.addText('Text:', ' \n', 1_000, 'it');
  expect(lines.all()).toEqual(['', 'Text:', '> one\n> \n> two']);
  const short = bounded(1_000);
  short.addText('Text:', 'x'.repeat(80), 50, 'it');
  const shown = ['', 'Text:', `> ${'x'.repeat(16)}`, '(The rest is left out.)'];
  expect(short.all()).toEqual([...shown, '', 'Left out: the last 64 bytes of it.']);
});

test('a cut is between code points, and leaves no joiner without its neighbor', () => {
  const frame = Buffer.byteLength('\nText:\n> \n(The rest is left out.)\n');
  const cutTo = (bytes: number) => {
    const lines = bounded(frame + bytes);
    lines.addText('Text:', `👩‍💻${'x'.repeat(40)}`, 1_000, 'it');
    return lines.all()[2]?.slice(2);
  };
  expect([3, 4, 7, 10, 11, 12].map(cutTo)).toEqual(['', '👩', '👩', '👩', '👩‍💻', '👩‍💻x']);
});

test('they never take more than they may', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '語', '💻', ' ', '\n'), maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(200), fc.array(text), text, fc.nat(200), (bytes, items, words, most) => {
      const lines = bounded(bytes);
      const singleLines = items.map((item) => item.replaceAll('\n', ' '));
      lines.addList('List:', singleLines, most, missing);
      lines.addText('Text:', words, most, 'it');
      const taken =
        linesBytes(lines.all()) - (lines.leftOut === undefined ? 0 : linesBytes(['', lines.leftOut]));
      expect(lines.left).toBe(bytes - taken);
      expect(lines.left).toBeGreaterThanOrEqual(0);
    }),
  );
});
