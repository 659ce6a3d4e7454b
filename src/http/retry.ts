import type { Clock } from '../core/clock.ts';

/** A `Retry-After` longer than this is not waited for inside one call. */
export const longestRetryAfterMs = 60_000;

const firstBackoffMs = 1_000;
const longestBackoffMs = 20_000;

export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly tries: number;
  /** How long to wait before the next try, or `undefined` to give up with this error. */
  readonly waitMs: (error: unknown, triesSoFar: number) => number | undefined;
  /** Called before each wait. */
  readonly onWait?: ((error: unknown, waitMs: number) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Calls `attempt` until it succeeds, the policy gives up, or the tries are used: then throws the last error as it was. */
export async function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = tries < policy.tries ? policy.waitMs(error, tries) : undefined;
      if (waitMs === undefined || policy.signal.aborted) throw error;
      policy.onWait?.(error, waitMs);
      await policy.clock.sleep(waitMs, policy.signal);
    }
  }
}

/** Exponential backoff with full jitter: a random wait up to 1 s, 2 s, 4 s … 20 s. */
export function backoffMs(triesSoFar: number): number {
  return Math.random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (triesSoFar - 1));
}

/**
 * Milliseconds a `Retry-After` header asks for, in seconds or as an HTTP date (RFC 9110 §10.2.3); `undefined` for none
 * and for anything that is neither.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const isHttpDate = /^[A-Za-z]{3,9},? /.test(value);
  const at = isHttpDate ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
