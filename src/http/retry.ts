import type { Clock } from '../core/clock.ts';

/** If `Retry-After` asks for a longer wait, a call fails instead of waiting. */
export const maxRetryAfterMs = 60_000;
const maxBackoffMs = 20_000;
const firstBackoffMs = 1_000;

export interface RetryPolicy {
  /** The most tries, including the first. */
  readonly tries: number;
  /** How long to wait before the next try; `undefined` means no more tries. */
  readonly waitMs: (error: unknown, triesSoFar: number) => number | undefined;
  /** Called before each retry. */
  readonly onWait?: ((error: unknown, waitMs: number) => void) | undefined;
  readonly clock: Pick<Clock, 'sleep'>;
}

/**
 * Calls `attempt` until it succeeds or the policy allows no more tries. Then throws the last error.
 */
export async function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= policy.tries) throw error;
      const waitMs = policy.waitMs(error, tries);
      if (waitMs === undefined) throw error;
      policy.onWait?.(error, waitMs);
      await policy.clock.sleep(waitMs);
    }
  }
}

/**
 * Exponential backoff with full jitter: a random wait of up to 1 s, then 2 s, 4 s, and so on up to
 * 20 s.
 */
export function backoffMs(triesSoFar: number): number {
  const maxMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (triesSoFar - 1));
  return Math.random() * maxMs;
}

/**
 * The wait that a `Retry-After` header asks for: a number of seconds or an HTTP date (RFC 9110
 * §10.2.3).
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  // `Date.parse` would accept other texts, too. HTTP dates begin with the day of the week.
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
