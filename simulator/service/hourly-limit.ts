const HOUR_MS = 3_600_000;

/** How a refusal says when to come back. */
export type RetryAfterForm = 'seconds' | 'http-date' | 'none';

/** A number of uses in any hour, as both of the service's limits are stated. */
export class HourlyLimit {
  readonly #usedAt: number[] = [];

  /** Counts a use; where the hour is full, returns how long until a use is free again, and counts nothing. */
  take(limit: number, nowMs: number): number | undefined {
    while (this.#usedAt[0] !== undefined && this.#usedAt[0] <= nowMs - HOUR_MS) this.#usedAt.shift();
    if (this.#usedAt.length < limit) {
      this.#usedAt.push(nowMs);
      return undefined;
    }
    const freed = this.#usedAt[this.#usedAt.length - Math.max(1, limit)] ?? nowMs;
    return freed + HOUR_MS - nowMs;
  }
}

/** The Retry-After header for a wait, in the form asked for. */
export function retryAfterFor(form: RetryAfterForm, waitMs: number, nowMs: number): Record<string, string> {
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(Math.ceil(waitMs / 1000)) };
    case 'http-date':
      return { 'retry-after': new Date(Math.ceil((nowMs + waitMs) / 1000) * 1000).toUTCString() };
    case 'none':
      return {};
  }
}
