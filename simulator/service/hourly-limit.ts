import { Refusal } from '../http/api.ts';

const HOUR_MS = 3_600_000;

/** Limits uses per hour, separately for each project or organization. */
export class HourlyLimit {
  readonly #usedAt = new Map<string, number[]>();

  /** Counts a use, or refuses it with 429 if the hourly limit has been reached. */
  take(who: string, nowMs: number, { limit, error }: { limit: number; error: string }): void {
    const usedAt = (this.#usedAt.get(who) ?? []).filter((at) => at > nowMs - HOUR_MS);
    this.#usedAt.set(who, usedAt);
    if (usedAt.length < limit) {
      usedAt.push(nowMs);
      return;
    }
    const freedAt = (usedAt[usedAt.length - Math.max(1, limit)] ?? nowMs) + HOUR_MS;
    const seconds = Math.ceil((freedAt - nowMs) / 1000);
    throw new Refusal(429, { error }, { headers: { 'retry-after': String(seconds) } });
  }
}
