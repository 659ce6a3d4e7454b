import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createClean, cut } from '../../src/agent/context/clean.ts';
import { shortenValue } from '../../src/core/common-inputs.ts';
import { shortenPrompt } from '../../src/requests/card/transitions.ts';
import { removeInvisible } from '../../src/text/invisible.ts';
import {
  cell,
  code,
  codeBlock,
  escapeInvisible,
  linkText,
  shortCode,
  table,
  titleOf,
  truncate,
} from '../../src/text/markdown.ts';
import { makeQuotable } from '../../src/text/quotable.ts';
import { createScrub, type Scrubbed, scrubAll } from '../../src/text/scrub.ts';
import {
  nameHtml,
  pathHtml,
  plainName,
  plainPath,
  shownCode,
} from '../../src/visitors/write/words/shown.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { plain } from '../support/plain.ts';
import { hostileOf } from '../support/samples/hostile-text.ts';

describe('markdown', () => {
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
          const expected = value
            .replace(/\r\n?/g, '\n')
            .split('\n')
            .map(escapeInvisible)
            .join('\n');
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
    expect(truncate(plain('short'), 5)).toBe('short');
    expect(truncate(plain('𝒳𝒴𝒵'), 2)).toBe('𝒳𝒴…');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 30 }), (value, most) => {
        const shown = truncate(plain(value), most);
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
        expect(
          Math.max(...(shown.match(/`+/g) ?? []).map((run) => run.length)),
        ).toBeLessThanOrEqual(61);
      }
    },
  );
});

describe('invisible characters', () => {
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
          it.replaceAll(
            new RegExp(`${hidden.source}|\\p{Join_Control}|[\\ufe0e\\ufe0f]`, 'gu'),
            '',
          );
        expect(withoutAny(prompt)).toBe(withoutAny(text));
      }),
    );
  });
});

describe('quotable text', () => {
  test.each([
    ['How do I  rotate\nkeys??', 'how do i rotate keys'],
    ['SSO', 'sso'],
    ['@types/node', '@types/node'],
    ['%40types/node', '%40types/node'],
    ['Where is the Bearer token?', 'where is the bearer token'],
    ['next.js vs vue 3.4.21', 'next.js vs vue 3.4.21'],
    ['من أين أبدأ؟', 'من أين أبدأ؟'],
  ])('%j becomes %j', (text, counted) => {
    expect(makeQuotable(plain(text))).toBe(counted);
  });

  test.each([
    ['an email address', 'I am Jane.Doe+docs@mail.example.com, help', 'i am [email] help'],
    ['an email address with invisible characters', 'jane\u200b@\u2060example.com', '[email]'],
    ['an email address in wide letters', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', '[email]'],
    ['an email address with spaces', 'jane @ example.com', '[email]'],
    ['an email address with one wide character', 'to jane＠example.com', 'to [email]'],
    ['an encoded email address', 'to jane%40example.com now', 'to [email] now'],
    ['an encoded email address with spaces', 'jane %40 example.com', '[email]'],
    ['a URL', 'see https://acme.example/x?token=1 now', 'see [address] now'],
    ['a URL directly after other text', 'a2https://evil.example', '[address]'],
    ['a URL without a scheme', 'www.acme.example/a or acme.com/b', '[address] or [address]'],
    ['a phone number', 'call +49 (170) 123-45 67!', 'call +[number]'],
    ['a credit card number', '4111 1111 1111 1111', '[number]'],
    ['a credit card number with dashes', '4111–1111–1111–1111', '[number]'],
    ['Arabic digits', 'رقم ١٢٣٤٥٦٧', 'رقم [number]'],
    ['a token', 'why is sk_live_4eC39HqLyjWDarjtT1zdp7dc refused', 'why is [token] refused'],
    ['an API key of the service, typed in another case', 'MINT_fake_KEY', '[token]'],
    ['a bearer token', 'Authorization: Bearer hunter2 fails', 'authorization: [token] fails'],
    ['an ID', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', '[token]'],
  ])('%s is removed', (_, text, quoted) => {
    expect(makeQuotable(plain(text))).toBe(quoted);
  });

  test('hostile text keeps no address or long number, and becomes short', () => {
    const pieces = ['jane@example.com', 'https://a.example/b', '0123456789', '\u200b', '@', ' '];
    fc.assert(
      fc.property(hostileOf(...pieces), (text) => {
        const quoted = makeQuotable(plain(text));
        expect(quoted).not.toMatch(/\S@\S+\.|:\/\/|\d{6}|[\n\r\u200b\u202e]/);
        expect(makeQuotable(quoted)).toBe(quoted);
      }),
    );
    for (const unit of ['a', 'a ', '@', '1', '1 ', 'a@', '.com', '\u200b', '=', 'www.'])
      expect(makeQuotable(plain(unit.repeat(100_000))).length).toBeLessThanOrEqual(300);
    expect(makeQuotable(plain(`${'a '.repeat(146)}jane.doe@example.com`))).toBe(
      'a '.repeat(146).trim(),
    );
  });
});

describe('scrubbing', () => {
  const key = 'mint_fake_0000/scrub+test0000';
  const scrub = createScrub([key, ' ghs_fake_token ', '', 'ab']);

  test('secrets are removed anywhere in a text, and the rest stays', () => {
    expect(scrub(`${key} and ${key}x, ghs_fake_token, ab`)).toBe('*** and ***x, ***, ab');
  });

  test.each([
    ['https://x-access-token:ghs_1@github.com/o/r', 'https://***@github.com/o/r'],
    ['see git+ssh://git@host/r.git', 'see git+ssh://***@host/r.git'],
    ['https://example.com/@scope/pkg?mail=a@b', 'https://example.com/@scope/pkg?mail=a@b'],
    ['someone@example.com', 'someone@example.com'],
  ])('credentials in URLs are removed: %s', (text, expected) => expect(scrub(text)).toBe(expected));

  test('a long row of words and dashes is scrubbed quickly', () => {
    // Scrubbing would take minutes if the pattern were tried at every word.
    const text = 'a-'.repeat(500_000);
    expect(scrub(`${text}https://ghs_1@github.com`)).toBe(`${text}https://***@github.com`);
  });

  test.each([
    ['percent-encoded', `https://x.test/?t=${encodeURIComponent(key)}`, 'https://x.test/?t=***'],
    ['in JSON', JSON.stringify({ error: key }), '{"error":"***"}'],
    [
      'in JSON with escaped slashes',
      JSON.stringify({ error: key }).replaceAll('/', '\\/'),
      '{"error":"***"}',
    ],
    ['partly percent-encoded', `t=${key.replaceAll('_', '%5f').replaceAll('0', '%30')}`, 't=***'],
    [
      'with every character percent-encoded',
      Buffer.from(key).toString('hex').replace(/../g, '%$&'),
      '***',
    ],
    [
      'with JSON escapes',
      key.replaceAll(/[_0]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
      '***',
    ],
  ])('a secret is removed %s', (_, text, expected) => expect(scrub(text)).toBe(expected));

  test('a secret with unusual characters is removed as is, JSON-escaped, and percent-encoded', () => {
    const odd = 'mint_%41\\n&amp;"z/';
    const scrubOdd = createScrub([odd, `${odd}longer`]);
    expect(scrubOdd(`<${odd}> <${odd}longer>`)).toBe('<***> <***>');
    expect(scrubOdd(JSON.stringify(odd))).toBe('"***"');
    expect(scrubOdd(encodeURIComponent(odd))).toBe('***');
  });

  test('a secret of any length is removed', () => {
    const long = `mint_${'0'.repeat(20_000)}x`;
    const scrubLong = createScrub([long]);
    expect(scrubLong(`<${long}>`)).toBe('<***>');
    expect(scrubLong(Buffer.from(long).toString('base64'))).toContain('***');
  });

  test('a secret is removed from base64, at any position', () => {
    for (const before of ['', 'x', 'xy', 'Bearer ', '{"key":"']) {
      const bytes = Buffer.from(`${before}${key} and more`);
      for (const form of [bytes.toString('base64'), bytes.toString('base64url')]) {
        expect(scrub(form)).toContain('***');
        // The base64 digits at both ends of the secret also encode bits of the text around it, so they may stay.
        expect(scrub(form).length).toBeLessThan(form.length - key.length);
      }
    }
  });

  test('secrets are removed from any value, and a value without secrets is unchanged', () => {
    const withSecret = fc
      .jsonValue()
      .map((value) => JSON.parse(JSON.stringify({ value, [key]: `a${key}b` })));
    fc.assert(
      fc.property(withSecret, (value) =>
        expect(JSON.stringify(scrubAll(value, scrub))).not.toContain(key),
      ),
    );
    const plain = fc.jsonValue().filter((value) => !/:\/\//.test(JSON.stringify(value)));
    fc.assert(fc.property(plain, (value) => expect(scrubAll(value, scrub)).toEqual(value)));
  });

  /* Everything that cuts a text takes only a scrubbed one. */
  const clean = createClean(scrub);
  const cutters = {
    title: titleOf,
    link: linkText,
    'short code': shortCode,
    'bad input': shortenValue,
    prompt: shortenPrompt,
    quote: makeQuotable,
    'data for the agent': (text: Scrubbed) => cut(clean.lines(text), 700),
    'line for the agent': (text: Scrubbed) => clean.line(text),
    path: pathHtml,
    'path in a chat': plainPath,
    name: nameHtml,
    'name in a chat': plainName,
    'code in a report': shownCode,
  };

  test.each(Object.entries(cutters))(
    'cut to a %s, no text shows a part of the key',
    (_, cutText) => {
      const forms = [
        key,
        JSON.stringify(key).slice(1, -1),
        Array.from(
          key,
          (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ).join(''),
        encodeURIComponent(key),
        Array.from(key, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
        ...['', 'a', 'ab'].map((start) => Buffer.from(`${start}${key}`).toString('base64')),
      ];
      const partsOf = (form: string) =>
        // The first two characters may encode what is before the key.
        Array.from({ length: form.length - 7 }, (_, at) => form.slice(at + 2, at + 8));
      const form = fc.constantFrom(...forms);
      const length = fc.oneof(fc.nat(900), fc.integer({ min: 4_000, max: 4_200 }));
      fc.assert(
        fc.property(form, length, fc.nat(900), (shown, before, after) => {
          const text = scrub(`/${'w'.repeat(before)}/${shown}/${'w'.repeat(after)}`);
          const isIn = (part: string) => cutText(text).toLowerCase().includes(part.toLowerCase());
          expect(partsOf(shown).filter(isIn)).toEqual([]);
        }),
      );
    },
  );
});
