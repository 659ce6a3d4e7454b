import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScrub, scrubAll } from '../../src/text/scrub.ts';

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
