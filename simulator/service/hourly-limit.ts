import type { SimClock } from '../clock/clock.ts';
import { Refusal } from '../http/api.ts';

const HOUR_MS = 3_600_000;

/** Returns a function that counts a use by a project or organization, or refuses it with 429 if that is over the limit. */
export function hourlyLimit(clock: SimClock) {
  const uses = new Map<string, number[]>();
  return (who: string, limit: number): void => {
    const nowMs = clock.now();
    const usedAt = (uses.get(who) ?? []).filter((at) => at > nowMs - HOUR_MS);
    uses.set(who, usedAt);
    if (usedAt.length >= limit) {
      const freedAt = (usedAt[usedAt.length - Math.max(1, limit)] ?? nowMs) + HOUR_MS;
      const headers = { 'retry-after': String(Math.ceil((freedAt - nowMs) / 1000)) };
      throw new Refusal(429, { error: `Rate limit exceeded: ${limit} uses per hour` }, { headers });
    }
    usedAt.push(nowMs);
  };
}
