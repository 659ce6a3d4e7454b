import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScrub, scrubbed } from '../../src/text/scrub.ts';

const key = 'mint_fake_0000/scrub+test0000';
const scrub = createScrub([key, ' ghs_fake_token ', '', 'ab']);

test('secrets go, wherever they stand; what is no secret stays', () => {
  expect(scrub(`${key} and ${key}x, ghs_fake_token, ab`)).toBe('*** and ***x, ***, ab');
});

test.each([
  ['https://x-access-token:ghs_1@github.com/o/r', 'https://***@github.com/o/r'],
  ['see git+ssh://git@host/r.git', 'see git+ssh://***@host/r.git'],
  ['https://example.com/@scope/pkg?mail=a@b', 'https://example.com/@scope/pkg?mail=a@b'],
  ['somebody@example.com', 'somebody@example.com'],
])('credentials of addresses go: %s', (text, expected) => expect(scrub(text)).toBe(expected));

test('a long row of words and dashes takes no longer than other text', () => {
  // Looked at anew from each word, this would take minutes.
  const text = 'a-'.repeat(500_000);
  expect(scrub(`${text}https://ghs_1@github.com`)).toBe(`${text}https://***@github.com`);
});

test('a secret that was escaped in JSON is found where it was parsed', () => {
  const escaped =
    '{"model":"mint_fake_0000\\/scrub\\u002btest0000","list":[{"mint_fake_0000\\/scrub+test0000":1}]}';
  expect(escaped).not.toContain(key.slice(0, 20));
  expect(scrubbed(JSON.parse(escaped), scrub)).toEqual({ model: '***', list: [{ '***': 1 }] });
});

test('a secret in an address, or in JSON within a string, goes as well', () => {
  expect(scrub(`https://x.test/?t=${encodeURIComponent(key)}`)).toBe('https://x.test/?t=***');
  expect(scrub(JSON.stringify({ error: key }).replaceAll('/', '\\/'))).toBe('{"error":"***"}');
});

test('no value keeps a secret, and a value without one stays as it is', () => {
  const withSecret = fc.jsonValue().map((value) => JSON.parse(JSON.stringify({ value, secret: `a${key}b` })));
  fc.assert(
    fc.property(withSecret, (value) => expect(JSON.stringify(scrubbed(value, scrub))).not.toContain(key)),
  );
  const plain = fc.jsonValue().filter((value) => !/:\/\//.test(JSON.stringify(value)));
  fc.assert(fc.property(plain, (value) => expect(scrubbed(value, scrub)).toEqual(value)));
});

const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const each = (form: (character: string) => string) => [...key].map(form).join('');
const escapes: [name: string, form: (character: string) => string][] = [
  ['an address', (one) => `%${hexOf(one)}`],
  ['an address within one', (one) => `%25${hexOf(one).toUpperCase()}`],
  ['JSON', (one) => `\\u00${hexOf(one)}`],
  ['JSON within JSON', (one) => `\\\\\\\\u00${hexOf(one).toUpperCase()}`],
  ['a program', (one) => `\\x${hexOf(one)}`],
  ['a program, with braces', (one) => `\\u{${hexOf(one)}}`],
  ['Markdown', (one) => (/\W|_/.test(one) ? `\\${one}` : one)],
  ['HTML', (one) => `&#${one.charCodeAt(0)};`],
  ['HTML, in hex', (one) => `&#x${hexOf(one)};`],
  ['HTML within HTML', (one) => `&amp;#0${one.charCodeAt(0)};`],
  ['line ends', (one) => `${one}\r\n`],
  ['escaped line ends', (one) => `${one}\\n`],
  ['invisible characters', (one) => `${one}\u200b\u00ad\u{e0020}`],
  ['escaped invisible characters', (one) => `${one}\\u200b&#8203;`],
  ['controls and colours', (one) => `${one}\u0007\u001b[31m`],
];

test.each(escapes)('a secret as %s writes it goes, whole or where one character is written so', (_, form) => {
  expect(scrub(`a ${each(form).trimEnd()} b`)).toMatch(/^a \*{3}[^\w]*(?:n|u200b&#8203;|\[31m)? b$/);
  for (const [at, one] of [...key].entries()) {
    const rest = scrub(`${key.slice(0, at)}${form(one)}${key.slice(at + 1)}`);
    expect(rest).toMatch(/^\*{3}[^\w]*(?:n|u200b&#8203;|\[31m)?$/);
  }
});

test('base64 and hex of a secret go, wherever in it the secret stands', () => {
  for (const before of ['', 'x', 'xy', 'Bearer ', '{"key":"']) {
    const bytes = Buffer.from(`${before}${key} and more`);
    const lines = bytes.toString('base64').replace(/.{20}/g, '$&\n');
    for (const form of [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      lines,
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ]) {
      // Of its first and last byte a few bits may be left.
      expect(scrub(form)).toContain('***');
      expect(scrub(form).length).toBeLessThan(form.length - key.length);
    }
  }
});

test('a secret of odd characters is found as it is and escaped', () => {
  const odd = 'mint_%41\\n&amp;"z/';
  const scrubOdd = createScrub([odd]);
  expect(scrubOdd(`<${odd}>`)).toBe('<***>');
  expect(scrubOdd(encodeURIComponent(odd))).toBe('***');
});

test('no text without a secret is touched', () => {
  const words = fc.constantFrom(
    '%6d',
    '\\u006d',
    '&#109;',
    'mint_',
    '\u200b',
    '\\',
    '\n',
    '%',
    '&amp;',
    'bWludF',
    '6d696e74',
    'é𝒳',
  );
  const text = fc.array(fc.oneof(words, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      text.filter((one) => !one.includes('://')),
      (one) => expect(scrub(one)).toBe(one),
    ),
  );
});

test('a megabyte of what is nearly a secret stays as it is, and is read to its end', () => {
  const nearly = [
    key.slice(0, -1),
    [...key.slice(0, -1)].join('\u200b'.repeat(50)),
    Buffer.from(key).toString('base64').slice(0, -3),
    Buffer.from(key).toString('hex').slice(0, -2),
  ];
  const parts = [
    '\\',
    'm\\',
    '\u200b',
    'm\u200b',
    '%',
    '%25',
    '25',
    '&',
    '&amp;',
    'amp;',
    '&#0',
    '0',
    '\\u00',
    '\u001b[',
    'a://',
    ...nearly,
  ];
  const part = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 })
    // What stands between keeps one part from making a whole secret of another.
    .map((some) => some.map((one) => `${one}~`).join(''));
  fc.assert(
    fc.property(part, fc.constantFrom('', 'm', '%', '&'), (one, head) => {
      const text = head + one.repeat(Math.ceil(1_000_000 / one.length));
      expect(scrub(text) === text).toBe(true);
    }),
    { numRuns: 12 },
  );
});
