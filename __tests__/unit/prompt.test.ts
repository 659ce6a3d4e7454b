import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { removeInvisible } from '../../src/agent/request/invisible.ts';

const count = (text: string) => Array.from(text).length;

describe('what shows nothing goes', () => {
  test.each([
    ['tag characters', 'add\u{e0041}\u{e0042}\u{e007f} it', 'add it', 3],
    ['bidirectional controls', '\u202eadd\u2066 \u2069it\u061c\u200f', 'add it', 5],
    ['zero-width space and BOM', '\ufeffad\u200bd it\u2060', 'add it', 3],
    ['joiners at the edges and beside blanks', '\u200dadd \u200cit\u200d', 'add it', 3],
    ['rows of joiners', 'ad\u200d\u200c\u200dd', 'add', 3],
    ['a joiner behind what was removed', 'add \u200b\u200dit', 'add it', 2],
    ['nothing but these', '\u200b\u200d\u{e0020}', '', 3],
  ])('%s', (_, prompt, shown, removed) => {
    expect(removeInvisible(prompt)).toEqual({ prompt: shown, removed });
  });
});

describe('what people read stays', () => {
  test.each([
    '👩‍💻 👨🏽‍💻 🏳️‍🌈 ❤️‍🔥 👨‍👩‍👧‍👦',
    'می‌خواهم',
    'क्‍ष',
    'ශ්‍රී',
    'naïve — “quotes” … \u00a0 e\u0301',
    '<Card title="a">\n\t{/* comment */}\n</Card>\n\n```ts\nconst a = 1;\r\n```',
    '<!-- kept --> ::set-output name=a::b',
  ])('%j', (prompt) => {
    expect(removeInvisible(prompt)).toEqual({ prompt, removed: 0 });
  });
});

test('what is removed is counted, nothing else is touched, and once is enough', () => {
  const hidden =
    /[\u{e0000}-\u{e007f}\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u200d',
      '\u200c',
      '\u200b',
      '\u202e',
      '\u{e0041}',
      '👩',
      '💻',
      'ب',
      ' ',
      '\n',
      '\u0301',
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces), (texts) => {
      const text = texts.join('');
      const { prompt, removed } = removeInvisible(text);
      expect(prompt).not.toMatch(hidden);
      expect(removed).toBe(count(text) - count(prompt));
      expect(removeInvisible(prompt)).toEqual({ prompt, removed: 0 });
      const withoutAny = (it: string) =>
        it.replaceAll(new RegExp(`${hidden.source}|\\p{Join_Control}`, 'gu'), '');
      expect(withoutAny(prompt)).toBe(withoutAny(text));
    }),
  );
});
