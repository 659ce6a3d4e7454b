import type { Clock } from '../core/clock.ts';

/** GitHub asks for a second between writes (REST documentation, "Best practices for using the REST API"). */
const apartMs = 1_000;
/** It lets 500 writes an hour pass ("Rate limits for the REST API"): the others of the repository need some too. */
export const mostWrites = 400;

/** The writes of a run, one a second at most, and only so many. */
export class Writes {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #sent = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  get sent(): number {
    return this.#sent;
  }

  get left(): number {
    return mostWrites - this.#sent;
  }

  /** Waits for the time of the next write. */
  async turn(): Promise<void> {
    const waitMs = this.#lastAtMs + apartMs - this.#clock.monotonic();
    if (waitMs > 0) await this.#clock.sleep(Math.ceil(waitMs), this.#signal);
  }

  /** Sends a write when its time has come. */
  async send<T>(write: () => Promise<T>): Promise<T> {
    await this.turn();
    this.#sent += 1;
    this.#lastAtMs = this.#clock.monotonic();
    return write();
  }
}
