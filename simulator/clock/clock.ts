/** Simulated time starts on a Monday morning by default, so that weeks are easy to read. */
export const CLOCK_START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);

export interface ClockOptions {
  /** `simulated` time moves only when code sleeps or calls `advance`; `real` is the system clock. */
  readonly mode?: 'simulated' | 'real';
  readonly start?: string | number;
}

/** Runs before each sleep, which waits for it. */
type SleepHook = (ms: number) => void | Promise<void>;

/** The clock of the simulator and, through `preload.mjs`, of the processes that it starts. */
export class SimClock {
  readonly mode: 'simulated' | 'real';
  readonly startMs: number;
  #nowMs: number;
  readonly #sleepHooks: SleepHook[] = [];
  readonly #waiting = new Set<{ readonly atMs: number; wake(): void }>();

  constructor({ mode = 'simulated', start = CLOCK_START_MS }: ClockOptions = {}) {
    this.mode = mode;
    this.startMs = mode === 'real' ? Date.now() : new Date(start).getTime();
    this.#nowMs = this.startMs;
  }

  now(): number {
    return this.mode === 'real' ? Date.now() : this.#nowMs;
  }

  monotonic(): number {
    return this.now() - this.startMs;
  }

  advance(ms: number): void {
    if (this.mode === 'real') throw new Error('Real time cannot be advanced');
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`Time does not advance by ${ms} ms`);
    // The clock counts whole milliseconds. Round up so that nothing wakes too early.
    this.#nowMs += Math.ceil(ms);
    const due = [...this.#waiting].filter(({ atMs }) => atMs <= this.#nowMs);
    for (const waiting of due) {
      this.#waiting.delete(waiting);
      waiting.wake();
    }
  }

  /** Waits for a time without moving the clock. Others have to. */
  reaches(atMs: number): Promise<void> {
    if (this.now() >= atMs) return Promise.resolve();
    return new Promise((wake) => {
      this.#waiting.add({ atMs, wake });
    });
  }

  onSleep(hook: SleepHook): void {
    this.#sleepHooks.push(hook);
  }

  /** Runs the hooks, then sleeps. Rejects with the signal's reason if the signal is aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    for (const hook of this.#sleepHooks) await hook(ms);
    this.advance(Math.max(0, ms));
    // Other code runs during a real sleep, and may abort the signal.
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }

  /** The same clock, whose sleeps end with a signal. */
  within(signal: AbortSignal) {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      sleep: (ms: number) => this.sleep(ms, signal),
      within: (other: AbortSignal) => this.within(other),
    };
  }
}

/** Formats a time like `2026-01-05T09:00:00Z`, because GitHub omits the milliseconds. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
