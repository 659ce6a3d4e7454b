import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { SimClock } from '../../simulator/clock/clock.ts';
import { backoffMs, longestRetryAfterMs, retryAfterMs, withRetries } from '../../src/http/retry.ts';
import { calm } from '../support/in-process/service.ts';

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
  ])('%j is %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('a date is read as it was written, whatever the day', () => {
    const at = fc.date({
      min: new Date(now),
      max: new Date(now + 10 * 365 * 86_400_000),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(at, (date) => {
        const wholeSeconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(retryAfterMs(date.toUTCString(), now)).toBe(Math.max(0, wholeSeconds - now));
      }),
    );
  });

  test('anything at all gives a wait or nothing, never less than none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z]{3}, .*$/)), (header) => {
        const ms = retryAfterMs(header, now);
        if (ms !== undefined) expect(ms).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('the backoff is within 1 s, 2 s, 4 s … 20 s, and uses all of that', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), share, (tries, random) => {
      const most = Math.min(20_000, 1_000 * 2 ** (tries - 1));
      const ms = backoffMs(tries, () => random);
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(most);
      expect(backoffMs(tries, () => 1)).toBe(most);
      expect(backoffMs(tries, () => 0)).toBe(0);
    }),
  );
});

describe('withRetries', () => {
  /** Fails so many times, then succeeds; tells what it saw. */
  async function play(failures: number, waits: readonly (number | undefined)[], tries = 4) {
    const clock = new SimClock();
    let calls = 0;
    const attempt = async () => {
      calls += 1;
      if (calls <= failures) throw new Error(`failure ${calls}`);
      return 'done';
    };
    const told: [string, number][] = [];
    const result = await withRetries(attempt, {
      tries,
      clock,
      signal: calm(),
      waitMs: (_, triesSoFar) => waits[triesSoFar - 1],
      onWait: (error, waitMs) => void told.push([String(error), waitMs]),
    }).catch((error: unknown) => String(error));
    return { result, calls, told, waitedMs: clock.monotonic() };
  }

  test('waits as the policy says, and tells before each wait', async () => {
    expect(await play(2, [100, 2_000])).toEqual({
      result: 'done',
      calls: 3,
      told: [
        ['Error: failure 1', 100],
        ['Error: failure 2', 2_000],
      ],
      waitedMs: 2_100,
    });
  });

  test('throws the last error as it was, when the tries are used or the policy gives up', async () => {
    expect(await play(9, [1, 1, 1, 1, 1])).toMatchObject({
      result: 'Error: failure 4',
      calls: 4,
      waitedMs: 3,
    });
    expect(await play(9, [1, undefined])).toMatchObject({
      result: 'Error: failure 2',
      calls: 2,
      waitedMs: 1,
    });
    expect(await play(9, [1], 1)).toMatchObject({ result: 'Error: failure 1', calls: 1, told: [] });
  });

  test('an abort ends the wait with its reason, and nothing is tried after it', async () => {
    const controller = new AbortController();
    let calls = 0;
    const attempt = async () => {
      calls += 1;
      throw new Error('failure');
    };
    const policy = { tries: 4, clock: new SimClock(), signal: controller.signal };
    const onWait = () => controller.abort(new Error('cancelled'));
    await expect(withRetries(attempt, { ...policy, waitMs: () => 1_000, onWait })).rejects.toThrow(
      'cancelled',
    );
    await expect(withRetries(attempt, { ...policy, waitMs: () => 1_000 })).rejects.toThrow('failure');
    expect(calls).toBe(2);
  });
});

test('a minute is the longest that one call waits for', () => {
  expect(longestRetryAfterMs).toBe(60_000);
});
