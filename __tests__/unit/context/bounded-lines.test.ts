import { expect, test } from '@jest/globals';
import { BoundedLines } from '../../../src/agent/context/bounded-lines.ts';

/** What fits into so many bytes, besides the sentence about what doesn't. */
const bounded = (bytes: number) => new BoundedLines(bytes + 1024);

test.each([
  ['\nList:\né\nabcd\n', ['', 'List:', 'é', 'abcd']],
  ['\nList:\né\nabcd', ['', 'List:', 'é', '', 'Left out: 1 missing.']],
  ['\nList:\né', ['', 'Left out: 2 missing.']],
])('a list in as many bytes as %j', (text, expected) => {
  const lines = bounded(Buffer.byteLength(text));
  lines.addList('List:', ['é', 'abcd'], 100, (count) => `${count} missing`);
  expect(lines.all()).toEqual(expected);
});

test('an item that is too large leaves room for the next; what was never handed in counts as well', () => {
  const lines = bounded(100);
  const most = Buffer.byteLength('\nList:\na\nb\n');
  lines.addList('List:', ['a', 'long item', 'b'], most, (count) => `${count} missing`, 9);
  expect(lines.all()).toEqual(['', 'List:', 'a', 'b', '', 'Left out: 7 missing.']);
});

test('a cut is between code points, and leaves no joiner without its neighbor', () => {
  const frame = Buffer.byteLength('\nText:\n> \n');
  const cutTo = (bytes: number) => {
    const lines = bounded(frame + bytes);
    lines.addText('Text:', `👩‍💻${'x'.repeat(40)}`, 1_000, 'it');
    return lines.all()[2]?.slice(2);
  };
  expect([3, 4, 7, 10, 11, 12].map(cutTo)).toEqual(['', '👩', '👩', '👩', '👩‍💻', '👩‍💻x']);
});
