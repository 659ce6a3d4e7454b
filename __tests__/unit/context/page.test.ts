import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Page } from '../../../src/agent/context/block/page.ts';

const bytesOf = (page: Page) => page.lines.reduce((sum, line) => sum + Buffer.byteLength(`${line}\n`), 0);

test('lines fit to the byte, all of them or none', () => {
  const page = new Page(8);
  page.add('é', 'abc', 'd');
  expect(page.lines).toEqual([]);
  page.add('é', 'abcd');
  expect(page).toMatchObject({ lines: ['é', 'abcd'], left: 0 });
});

test('of a list goes what fits, to the byte, and the rest is counted', () => {
  const whole = '\nList:\né\nabcd\n';
  const listed = (bytes: number) => {
    const page = new Page(bytes);
    return [page.addList('List:', ['é', 'abcd'], 100), page.lines];
  };
  expect(listed(Buffer.byteLength(whole))).toEqual([0, ['', 'List:', 'é', 'abcd']]);
  expect(listed(Buffer.byteLength(whole) - 1)).toEqual([1, ['', 'List:', 'é']]);
  expect(listed(Buffer.byteLength('\nList:\né'))).toEqual([2, []]);
  const page = new Page(100);
  expect(page.addList('List:', ['a', 'long item', 'b'], Buffer.byteLength('\nList:\na\nb\n'))).toBe(1);
  expect(page.lines).toEqual(['', 'List:', 'a', 'b']);
});

test('a text that fits is quoted whole; of a longer one goes the beginning', () => {
  const page = new Page(1_000);
  expect(page.addText('Text:', 'one\n\ntwo \n', 1_000)).toBe(0);
  expect(page.lines).toEqual(['', 'Text:', '> one\n> \n> two']);
  expect(page.addText('Text:', ' \n', 1_000)).toBe(0);
  expect(page.lines).toHaveLength(3);
  expect(page.addText('Text:', 'x'.repeat(80), 50)).toBe(64);
  expect(page.lines.slice(3)).toEqual(['', 'Text:', `> ${'x'.repeat(16)}`, '(The rest is left out.)']);
});

test('a cut goes between code points, and leaves no joiner without its neighbour', () => {
  const frame = Buffer.byteLength('\nText:\n> \n(The rest is left out.)\n');
  const cutTo = (bytes: number) => {
    const page = new Page(frame + bytes);
    page.addText('Text:', `👩‍💻${'x'.repeat(40)}`, 1_000);
    return page.lines[2];
  };
  expect([3, 4, 6, 7, 10, 11, 12].map(cutTo)).toEqual([
    '> ',
    '> 👩',
    '> 👩',
    '> 👩',
    '> 👩',
    '> 👩‍💻',
    '> 👩‍💻x',
  ]);
});

test('no page holds more than it may, or counts other than it holds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '語', '💻', ' ', '\n'), maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(200), fc.array(text), text, fc.nat(200), (bytes, items, words, most) => {
      const page = new Page(bytes);
      const lines = items.map((item) => item.replaceAll('\n', ' '));
      const missing = page.addList('List:', lines, most);
      const listed = page.lines.length;
      expect(missing).toBe(lines.length - Math.max(0, listed - 2));
      expect(bytesOf(page)).toBeLessThanOrEqual(Math.min(bytes, most));
      page.addText('Text:', words, most);
      expect(bytesOf(page)).toBe(bytes - page.left);
      expect(page.left).toBeGreaterThanOrEqual(0);
    }),
  );
});
