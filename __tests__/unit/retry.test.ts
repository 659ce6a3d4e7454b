import { expect, test } from '@jest/globals';
import { backoffMs, retryAfterMs } from '../../src/http/retry.ts';

const now = Date.UTC(2026, 0, 5, 9, 0, 0);

test.each([
  ['0', 0],
  ['2026', 2_026_000],
  [' 120 ', 120_000],
  ['Mon, 05 Jan 2026 09:00:30 GMT', 30_000],
  ['Monday, 05-Jan-26 09:00:30 GMT', 30_000],
  ['Mon Jan  5 09:00:30 2026 GMT', 30_000],
  ['Sun, 04 Jan 2026 09:00:00 GMT', 0],
])('Retry-After: %j means %j ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});

test.each([
  ...[undefined, '', 'soon', '-1', '1.5', '1e3', '99999999999'],
  ...['2026-01-05T09:00:30Z', 'Mon, 99 Foo 2026', '1, 2'],
])('Retry-After: %j means nothing', (header) => {
  expect(retryAfterMs(header, now)).toBeUndefined();
});

test('the wait before each retry is at most 1 s, 2 s, 4 s, and so on up to 20 s', () => {
  for (let tries = 1; tries < 200; tries += 1) {
    expect(backoffMs(tries)).toBeGreaterThanOrEqual(0);
    expect(backoffMs(tries)).toBeLessThanOrEqual(Math.min(20_000, 1_000 * 2 ** (tries - 1)));
  }
});
