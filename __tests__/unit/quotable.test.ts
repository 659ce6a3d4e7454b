import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeQuotable } from '../../src/text/quotable.ts';
import { hostileOf } from '../support/samples/hostile-text.ts';

test.each([
  ['How do I  rotate\nkeys??', 'how do i rotate keys'],
  ['SSO', 'sso'],
  ['@types/node', '@types/node'],
  ['next.js vs vue 3.4.21', 'next.js vs vue 3.4.21'],
  ['من أين أبدأ؟', 'من أين أبدأ؟'],
])('%j becomes %j', (text, counted) => {
  expect(makeQuotable(text)).toBe(counted);
});

test.each([
  ['an email address', 'I am Jane.Doe+docs@mail.example.com, help', 'i am [email] help'],
  ['an email address with invisible characters', 'jane\u200b@\u2060example.com', '[email]'],
  ['an email address in wide letters', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', '[email]'],
  ['an email address with spaces', 'jane @ example.com', '[email]'],
  ['a URL', 'see https://acme.example/x?token=1 now', 'see [address] now'],
  ['a URL directly after other text', 'a2https://evil.example', '[address]'],
  ['a URL without a scheme', 'www.acme.example/a or acme.com/b', '[address] or [address]'],
  ['a phone number', 'call +49 (170) 123-45 67!', 'call +[number]'],
  ['a credit card number', '4111 1111 1111 1111', '[number]'],
  ['a credit card number with dashes', '4111–1111–1111–1111', '[number]'],
  ['Arabic digits', 'رقم ١٢٣٤٥٦٧', 'رقم [number]'],
  ['a token', 'why is sk_live_4eC39HqLyjWDarjtT1zdp7dc refused', 'why is [token] refused'],
  ['an API key of the service, typed in another case', 'MINT_fake_KEY', '[token]'],
  ['an ID', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', '[token]'],
])('%s is removed', (_, text, quoted) => {
  expect(makeQuotable(text)).toBe(quoted);
});

test('hostile text keeps no address or long number, and becomes short', () => {
  const pieces = ['jane@example.com', 'https://a.example/b', '0123456789', '\u200b', '@', ' '];
  fc.assert(
    fc.property(hostileOf(...pieces), (text) => {
      const quoted = makeQuotable(text);
      expect(quoted).not.toMatch(/\S@\S+\.|:\/\/|\d{6}|[\n\r\u200b\u202e]/);
      expect(makeQuotable(quoted)).toBe(quoted);
    }),
  );
  for (const unit of ['a', 'a ', '@', '1', '1 ', 'a@', '.com', '\u200b', '=', 'www.'])
    expect(makeQuotable(unit.repeat(100_000)).length).toBeLessThanOrEqual(300);
  expect(makeQuotable(`${'a '.repeat(146)}jane.doe@example.com`)).toBe('a '.repeat(146).trim());
});
