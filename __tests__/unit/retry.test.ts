import { describe, expect, test } from '@jest/globals';

import { backoffMs, retryAfterMs } from '../../src/http/retry.ts';

const now = Date.UTC(2026, 0, 5, 9, 0, 0);

describe('Retry-After', () => {
  test.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['Mon, 05 Jan 2026 09:00:30 GMT', 30_000],
    ['Monday, 05-Jan-26 09:00:30 GMT', 30_000],
    ['Mon Jan  5 09:00:30 2026 GMT', 30_000],
    ['Sun, 04 Jan 2026 09:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['99999999999', undefined],
    ['2026', 2_026_000],
    ['2026-01-05T09:00:30Z', undefined],
    ['Mon, 99 Foo 2026', undefined],
    ['1, 2', undefined],
  ])('%j means %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});

test('the wait before each retry is at most 1 s, 2 s, 4 s, and so on up to 20 s', () => {
  for (let tries = 1; tries < 200; tries += 1) {
    expect(backoffMs(tries)).toBeGreaterThanOrEqual(0);
    expect(backoffMs(tries)).toBeLessThanOrEqual(Math.min(20_000, 1_000 * 2 ** (tries - 1)));
  }
});
