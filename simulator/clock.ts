import { setTimeout as delay } from 'node:timers/promises';

/** Where simulated time begins unless told otherwise: a Monday morning, so that whole weeks are easy to read. */
export const CLOCK_START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);

export interface ClockOptions {
  /** `simulated` moves only when told to; `real` is the machine's own time. */
  readonly mode?: 'simulated' | 'real';
  /** Where simulated time begins: an ISO date or milliseconds since the epoch. */
  readonly start?: string | number;
}

/** The one time that the simulator, its worlds and (through the preload) its children live by. */
export class SimClock {
  readonly mode: 'simulated' | 'real';
  readonly startMs: number;
  #nowMs: number;

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

  /** Milliseconds since the clock was made. */
  monotonic(): number {
    return this.now() - this.startMs;
  }

  /** The time now, as both APIs write timestamps that people read. */
  iso(): string {
    return isoSeconds(this.now());
  }

  /** Moves simulated time on and returns the new now. */
  advance(ms: number): number {
    if (this.mode === 'real') throw new Error('Real time cannot be advanced');
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`Time does not advance by ${ms} ms`);
    this.#nowMs += ms;
    return this.#nowMs;
  }

  /** Lets `ms` pass: at once in simulated time, by waiting in real time. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.mode === 'simulated') {
      this.advance(Math.max(0, ms));
      // Others get their turn, as they would in a real wait: a signal may be aborted by what they do.
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      return;
    }
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  }
}

/** `2026-01-05T09:00:00Z`: GitHub leaves the milliseconds out. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
