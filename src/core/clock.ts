import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds on a clock that never runs backward. Only the difference between two values has a
   * meaning.
   */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds. If the clock's signal aborts first, rejects with the signal's
   * reason.
   */
  sleep(ms: number): Promise<void>;
  /** The same clock, whose sleeps end with another signal. */
  within(signal: AbortSignal): Clock;
}

/** The same clock, which tells another time, such as GitHub's. */
export function withTime(clock: Clock, now: Clock['now']): Clock {
  return {
    now,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(ms),
    within: (signal) => withTime(clock.within(signal), now),
  };
}

/** The clock of the machine. Tests replace it with one that doesn't wait. */
export function createClock(signal: AbortSignal): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms) {
      await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    within: createClock,
  };
}
