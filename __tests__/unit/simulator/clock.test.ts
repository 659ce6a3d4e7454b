import { expect, test } from '@jest/globals';

import { SimClock } from '../../../simulator/clock/clock.ts';

test('simulated time moves only when told to', async () => {
  const clock = new SimClock({ start: '2026-03-09T06:00:00Z' });
  expect(clock.iso()).toBe('2026-03-09T06:00:00Z');
  clock.advance(1_500);
  await clock.sleep(500);
  expect(clock.monotonic()).toBe(2_000);
  expect(clock.now() - clock.startMs).toBe(2_000);
  expect(() => clock.advance(-1)).toThrow(RangeError);
  expect(() => new SimClock({ start: 'soon' })).toThrow(RangeError);
});

test('a sleep waits for its hooks, and ends with the reason of an abort', async () => {
  const clock = new SimClock();
  const slept: number[] = [];
  const end = clock.onSleep((ms) => void slept.push(ms));
  await clock.sleep(5);
  end();
  clock.onSleep(() => new Promise(() => undefined));
  const abort = new AbortController();
  const sleeping = expect(clock.sleep(7, abort.signal)).rejects.toBe('enough');
  abort.abort('enough');
  await sleeping;
  await expect(clock.sleep(7, abort.signal)).rejects.toBe('enough');
  expect(slept).toEqual([5]);
  expect(clock.monotonic()).toBe(5);
});

test('real time passes by itself and cannot be pushed', async () => {
  const clock = new SimClock({ mode: 'real' });
  await clock.sleep(1);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(0);
  expect(() => clock.advance(1)).toThrow('cannot be advanced');
  const abort = new AbortController();
  const sleeping = expect(clock.sleep(60_000, abort.signal)).rejects.toBe('enough');
  abort.abort('enough');
  await sleeping;
});
