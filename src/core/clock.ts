import { setTimeout as delay } from 'node:timers/promises';

/** The clock of the machine. Tests replace it with one that doesn't wait. */
export const systemClock = {
  /** Wall-clock time in milliseconds since the epoch. */
  now: () => Date.now(),
  /** Milliseconds on a clock that never runs backward. Only the difference between two values has a meaning. */
  monotonic: () => performance.now(),
  /** Resolves after `ms` milliseconds. If the signal aborts first, rejects with the signal's reason. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  },
};
export type Clock = Readonly<typeof systemClock>;
