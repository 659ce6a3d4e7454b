import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { removeInvisible } from '../../src/text/invisible.ts';

const count = (text: string) => Array.from(text).length;

describe('invisible text is removed:', () => {
  test.each([
    ['tag characters', 'add\u{e0041}\u{e0042}\u{e007f} it', 'add it', 3],
    ['bidirectional controls', '\u202eadd\u2066 \u2069it\u061c\u200f', 'add it', 5],
    ['zero-width space and BOM', '\ufeffad\u200bd it\u2060', 'add it', 3],
    ['joiners at the edges and next to spaces', '\u200dadd \u200cit\u200d', 'add it', 3],
    ['several joiners in a row', 'ad\u200d\u200c\u200dd', 'add', 3],
    ['a joiner after removed text', 'add \u200b\u200dit', 'add it', 2],
    [
      'selectors that carry a sentence',
      `add${'\ufe00\u{e0100}\u{e01ef}\ufe0f'.repeat(9)} it`,
      'add it',
      36,
    ],
    ['a second selector after an emoji', '\u2764\ufe0f\ufe0f', '\u2764\ufe0f', 1],
    ['a selector after a digit that isn’t a keycap', 'step 1\ufe0f', 'step 1', 1],
    ['code points reserved for future tags', 'add\u{e0080}\u{e0fff} it', 'add it', 2],
    ['soft hyphens and the grapheme joiner', 'a\u00add\u034fd it', 'add it', 2],
    ['fillers of Hangul and Khmer', 'add\u115f\u1160\u3164\uffa0\u17b4 it', 'add it', 5],
    ['deprecated format characters', 'add\u206a\u206f it', 'add it', 2],
    ['musical and shorthand format controls', 'add\u{1d173}\u{1bca0} it', 'add it', 2],
    ['text that is entirely invisible', '\u200b\u200d\u{e0020}', '', 3],
  ])('%s', (_, prompt, shown, removed) => {
    expect(removeInvisible(prompt)).toEqual({ prompt: shown, removed });
  });
});

describe('visible text stays:', () => {
  test.each([
    '👩‍💻 👨🏽‍💻 🏳️‍🌈 ❤️‍🔥 👨‍👩‍👧‍👦 1️⃣ #️⃣ ©️ ☎︎',
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

test('removed characters are counted, the rest is unchanged, and a second pass removes nothing', () => {
  const hidden =
    /(?!\p{Join_Control}|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/u;
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...['\u200d', '\u200c', '\u200b', '\u202e', '\ufff9', '\u{e0041}', '\ufe0f', '\u{e0100}'],
    ),
    fc.constantFrom('👩', '💻', 'ب', ' ', '\n', '\u0301'),
  );
  fc.assert(
    fc.property(fc.array(pieces), (texts) => {
      const text = texts.join('');
      const { prompt, removed } = removeInvisible(text);
      expect(prompt).not.toMatch(hidden);
      expect(removed).toBe(count(text) - count(prompt));
      expect(removeInvisible(prompt)).toEqual({ prompt, removed: 0 });
      const withoutAny = (it: string) =>
        it.replaceAll(new RegExp(`${hidden.source}|\\p{Join_Control}|[\\ufe0e\\ufe0f]`, 'gu'), '');
      expect(withoutAny(prompt)).toBe(withoutAny(text));
    }),
  );
});
