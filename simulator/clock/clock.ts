import { setTimeout as delay } from 'node:timers/promises';

/** Where simulated time starts by default: a Monday morning, so that whole weeks are easy to read. */
export const CLOCK_START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);

export interface ClockOptions {
  /** `simulated` time moves only through `advance` and `sleep`; `real` is the machine's own. */
  readonly mode?: 'simulated' | 'real';
  /** Where simulated time starts: an ISO date, or milliseconds since the epoch. */
  readonly start?: string | number;
}

/** Runs before a client sleeps. The sleep waits for it. */
export type SleepHook = (ms: number) => void | Promise<void>;

/** The clock of both APIs and, through `preload.mjs`, of the processes being run. */
export class SimClock {
  readonly mode: 'simulated' | 'real';
  readonly startMs: number;
  #nowMs: number;
  readonly #sleepHooks = new Set<SleepHook>();

  constructor({ mode = 'simulated', start = CLOCK_START_MS }: ClockOptions = {}) {
    this.mode = mode;
    this.startMs = mode === 'real' ? Date.now() : new Date(start).getTime();
    if (Number.isNaN(this.startMs)) throw new RangeError(`Not a date to start the clock at: ${start}`);
    this.#nowMs = this.startMs;
  }

  /** Wall-clock milliseconds since the epoch. */
  now(): number {
    return this.mode === 'real' ? Date.now() : this.#nowMs;
  }

  /** Milliseconds since the clock was created. */
  monotonic(): number {
    return this.now() - this.startMs;
  }

  /** Advances simulated time and returns the new time. */
  advance(ms: number): number {
    if (this.mode === 'real') throw new Error('Real time cannot be advanced');
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`Time does not advance by ${ms} ms`);
    // The clock has whole milliseconds. Round up, so that no one wakes too early.
    this.#nowMs += Math.ceil(ms);
    return this.#nowMs;
  }

  /** Adds a hook that runs before each sleep; returns a function that removes it. */
  onSleep(hook: SleepHook): () => void {
    this.#sleepHooks.add(hook);
    return () => this.#sleepHooks.delete(hook);
  }

  /** A client's sleep: first the hooks, then the time. Rejects with the signal's reason if it is aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    for (const hook of this.#sleepHooks) await unlessAborted(hook(ms), signal);
    if (this.mode === 'real') {
      await unlessAborted(delay(ms, undefined, signal === undefined ? {} : { signal }), signal);
      return;
    }
    this.advance(Math.max(0, ms));
    // As in a real wait, other code runs meanwhile and may abort the signal.
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
}

async function unlessAborted(waited: void | Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return waited;
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([waited, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** `2026-01-05T09:00:00Z`: GitHub omits the milliseconds. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
