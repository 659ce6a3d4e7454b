import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { intervalMs, watch } from '../../src/agent/job/watch.ts';
import { recordingRunner } from '../support/in-process/recording-runner.ts';
import { calm, memoryService } from '../support/in-process/service.ts';

const minuteMs = 60_000;

/** Where in its range the jitter falls: always the shortest interval, the middle one, the longest one. */
const jitters = { shortest: () => 0, middle: () => 0.5, longest: () => 1 } as const;

/** What watching a job of this length takes: all requests, the creation included, and how late the end was noticed. */
async function measure(activeMs: number, random: () => number, timeoutMs = 24 * 60 * minuteMs) {
  const { simulator, service } = memoryService();
  const { clock } = simulator;
  simulator.service.scriptNext({ activeMs });
  const job = await service.createJob('x', { signal: calm() });
  const deps = { service, runner: recordingRunner(), clock, signal: calm() };
  const end = await watch({ start: { kind: 'created', job }, timeoutMs, random }, deps);
  return { kind: end.kind, requests: simulator.requests.length, lateMs: clock.monotonic() - activeMs };
}

/** The requests for a job of this length, and the latest its end is noticed wherever it falls between two looks. */
async function worstAround(activeMs: number, random: () => number) {
  const { requests, lateMs } = await measure(activeMs, random);
  const step = intervalMs(activeMs, random) / 6;
  let worstMs = lateMs;
  for (let n = 1; n < 6; n += 1) {
    worstMs = Math.max(worstMs, (await measure(activeMs - n * step, random)).lateMs);
  }
  return { requests, lateMs: worstMs };
}

interface Bar {
  readonly length: string;
  readonly activeMs: number;
  readonly requests: number;
  readonly lateMs: number;
}

const bars: readonly Bar[] = [
  { length: '30 s', activeMs: 30_000, requests: 8, lateMs: 6_000 },
  { length: '1 min', activeMs: minuteMs, requests: 15, lateMs: 6_000 },
  { length: '3 min', activeMs: 3 * minuteMs, requests: 32, lateMs: 18_000 },
  { length: '10 min', activeMs: 10 * minuteMs, requests: 50, lateMs: 33_000 },
  { length: '30 min', activeMs: 30 * minuteMs, requests: 90, lateMs: 33_000 },
];

test('watching is cheap, and still notices the end soon: the table', async () => {
  const rows: Record<string, Record<string, string>> = {};
  const broken: string[] = [];
  for (const { length, activeMs, requests, lateMs } of bars) {
    const row: Record<string, string> = {};
    for (const [name, random] of Object.entries(jitters)) {
      const worst = await worstAround(activeMs, random);
      row[`${name} interval`] =
        `${worst.requests} requests, noticed within ${(worst.lateMs / 1000).toFixed(1)} s`;
      if (worst.requests > requests || worst.lateMs > lateMs) broken.push(`${length}, ${name}`);
    }
    rows[length] = { ...row, bar: `${requests} requests, ${lateMs / 1000} s` };
  }
  console.table(rows);
  expect(broken).toEqual([]);
});

test('a watch of half an hour takes at most 90 requests, the job never ending', async () => {
  const { kind, requests } = await measure(Number.POSITIVE_INFINITY, jitters.shortest, 30 * minuteMs);
  expect(kind).toBe('timed-out');
  expect(requests).toBeLessThanOrEqual(90);
});

test('an interval is never below 5 s nor above 33 s, and grows with the time watched', () => {
  const watched = fc.integer({ min: 0, max: 24 * 60 * minuteMs });
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(watched, watched, random, (one, other, share) => {
      const [sooner, later] = [Math.min(one, other), Math.max(one, other)];
      const interval = intervalMs(sooner, () => share);
      expect(interval).toBeGreaterThanOrEqual(5_000);
      expect(interval).toBeLessThanOrEqual(33_000);
      expect(intervalMs(later, () => share)).toBeGreaterThanOrEqual(interval);
    }),
  );
});
