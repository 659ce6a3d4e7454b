import { describe, expect, test } from '@jest/globals';

import { SimClock } from '../../simulator/clock/clock.ts';
import { backoffMs, retryAfterMs, withRetries } from '../../src/http/retry.ts';
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
});

test('the backoff is within 1 s, 2 s, 4 s … 20 s', () => {
  for (let tries = 1; tries < 200; tries += 1) {
    expect(backoffMs(tries)).toBeGreaterThanOrEqual(0);
    expect(backoffMs(tries)).toBeLessThanOrEqual(Math.min(20_000, 1_000 * 2 ** (tries - 1)));
  }
});

describe('withRetries', () => {
  /** Always fails, with these waits between the tries. */
  async function play(waits: readonly (number | undefined)[], tries = 4) {
    const clock = new SimClock();
    let calls = 0;
    const attempt = async () => {
      calls += 1;
      throw new Error(`failure ${calls}`);
    };
    const waitMs = (_: unknown, triesSoFar: number) => waits[triesSoFar - 1];
    const end = withRetries(attempt, { tries, clock, signal: calm(), waitMs });
    return { error: await end.catch(String), waitedMs: clock.monotonic() };
  }

  test('throws the last error as it was, when the tries are used or the policy gives up', async () => {
    expect(await play([1, 1, 1, 1, 1])).toEqual({ error: 'Error: failure 4', waitedMs: 3 });
    expect(await play([1, undefined])).toEqual({ error: 'Error: failure 2', waitedMs: 1 });
    expect(await play([1], 1)).toEqual({ error: 'Error: failure 1', waitedMs: 0 });
  });

  test('an abort ends the wait with its reason, and nothing is tried after it', async () => {
    const controller = new AbortController();
    let calls = 0;
    const attempt = async () => {
      calls += 1;
      throw new Error('failure');
    };
    const policy = { tries: 4, clock: new SimClock(), signal: controller.signal, waitMs: () => 1_000 };
    const onWait = () => controller.abort(new Error('cancelled'));
    await expect(withRetries(attempt, { ...policy, onWait })).rejects.toThrow('cancelled');
    await expect(withRetries(attempt, policy)).rejects.toThrow('failure');
    expect(calls).toBe(2);
  });
});
