import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { removeInvisible } from '../../src/text/invisible.ts';
import {
  cell,
  code,
  codeBlock,
  escapeInvisible,
  table,
  truncate,
} from '../../src/text/markdown.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { hostileOf } from '../support/samples/hostile-text.ts';

const text = hostileOf();
const runs = { numRuns: 1_000 };

/** The text that a code span must show for a value. */
const shownOnOneLine = (value: string): string =>
  escapeInvisible(value.replace(/\r\n|\r|\n/g, '⏎')).replaceAll('\t', '\\u{9}') || ' ';

describe('visible', () => {
  test('escapes everything invisible, and leaves the rest unchanged', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(escapeInvisible(value)).not.toMatch(
          /[\p{Cc}\p{Cf}\u2028\u2029](?<![\t\n\u200c\u200d])/u,
        );
        expect(escapeInvisible(escapeInvisible(value))).toBe(escapeInvisible(value));
        expect(removeInvisible(escapeInvisible(value)).removed).toBe(0);
        const plain = value.replace(
          /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
          '',
        );
        expect(escapeInvisible(plain)).toBe(plain);
      }),
      runs,
    );
  });

  test('shows the code points of invisible characters', () => {
    expect(escapeInvisible('a\u202eb\0\u{e0041}\n\tc')).toBe('a\\u{202e}b\\u{0}\\u{e0041}\n\tc');
    expect(escapeInvisible('👩‍💻 ❤️')).toBe('👩‍💻 ❤️');
    expect(escapeInvisible('a\u00ad\ufe01b\u3164')).toBe('a\\u{ad}\\u{fe01}b\\u{3164}');
  });
});

describe('code', () => {
  test('is one code span with the whole text, wherever it is used', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('', 'Job ', '**', '- ', '> '), (value, before) => {
        const tree = parseGfm(`${before}${code(value)}${before === '**' ? '**' : ''}`);
        const around = ['root', 'paragraph', 'strong', 'text', 'list', 'listItem', 'blockquote'];
        const inner = nodesOf(tree).filter(({ type }) => !around.includes(type));
        expect(inner).toMatchObject([{ type: 'inlineCode', value: shownOnOneLine(value) }]);
      }),
      runs,
    );
  });

  test('never adds a cell or a row to a table', () => {
    fc.assert(
      fc.property(text, text, (path, job) => {
        const tree = parseGfm(table(['Path', 'Job'], [[cell(code(path)), cell(code(job))]]));
        const kinds = nodesOf(tree).map(({ type }) => type);
        expect(kinds.filter((kind) => kind === 'tableRow')).toHaveLength(2);
        expect(kinds.filter((kind) => kind === 'tableCell')).toHaveLength(4);
        const spans = nodesOf(tree).filter((node) => node.type === 'inlineCode');
        // Parsers treat a backslash before a pipe differently, so the comparison ignores backslashes there.
        const plain = (value: string) => value.replaceAll(/\\+\|/g, '|');
        expect(spans.map(({ value }) => plain(value))).toEqual(
          [path, job].map(shownOnOneLine).map(plain),
        );
        expect(kinds.length).toBe(1 + 1 + 2 + 4 + 2 + 2);
      }),
      runs,
    );
  });
});

describe('fenced', () => {
  test('is one block with the whole text, and the text after it is not part of it', () => {
    fc.assert(
      fc.property(text, (value) => {
        const tree = parseGfm(`Before.\n\n${codeBlock(value)}\n\nAfter.`);
        const expected = value.replace(/\r\n?/g, '\n').split('\n').map(escapeInvisible).join('\n');
        expect(tree.children).toMatchObject([
          { type: 'paragraph' },
          { type: 'code', lang: 'text', value: expected },
          { type: 'paragraph', children: [{ type: 'text', value: 'After.' }] },
        ]);
      }),
      runs,
    );
  });

  test('handles a megabyte of backticks', () => {
    const value = '` `` '.repeat(200_000);
    expect(parseGfm(codeBlock(value)).children).toMatchObject([{ type: 'code', value }]);
    const types = nodesOf(parseGfm(code('` '.repeat(500)))).map(({ type }) => type);
    expect(types).toEqual(['root', 'paragraph', 'inlineCode']);
  });
});

test('capped cuts between code points', () => {
  expect(truncate('short', 5)).toBe('short');
  expect(truncate('𝒳𝒴𝒵', 2)).toBe('𝒳𝒴…');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 30 }), (value, most) => {
      const shown = truncate(value, most);
      expect(shown.isWellFormed()).toBe(true);
      const isWhole = Array.from(value).length <= most;
      expect(shown).toBe(isWhole ? value : `${Array.from(value).slice(0, most).join('')}…`);
    }),
  );
});

test.each([61, 80, 255, 300, 70_000])(
  '%d backticks in a row are shortened, because a fence must be longer than any run in its text',
  (length) => {
    const hostile = `${'`'.repeat(length)}\n@octo-org/team <img src=x>\n# Heading`;
    for (const shown of [code(hostile), codeBlock(hostile)]) {
      expect(shown).toContain(`… (${length} backticks)`);
      expect(Math.max(...(shown.match(/`+/g) ?? []).map((run) => run.length))).toBeLessThanOrEqual(
        61,
      );
    }
  },
);
