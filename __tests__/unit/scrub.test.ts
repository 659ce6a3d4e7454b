import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScrub, scrubbed } from '../../src/lib/scrub.ts';

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
