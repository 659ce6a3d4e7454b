import { setTimeout as delay } from 'node:timers/promises';

/** The clock that the modes use. Tests replace it with one that doesn't wait. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never runs backward. Only the difference between two values has a meaning. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. If the signal aborts first, rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  },
};
