import type { HttpResponse } from '../http/send.ts';

/** A workflow's own token gets 1,000 requests an hour ("Rate limits for the REST API"). */
const minRemaining = 200;

/** How much a connection may still ask of GitHub, and wait for it. */
export class Limits {
  #remainingRequests = Number.POSITIVE_INFINITY;
  #remainingWaitMs = Number.POSITIVE_INFINITY;

  update({ headers }: HttpResponse): void {
    const remaining = headers['x-ratelimit-remaining'];
    if (remaining !== undefined) this.#remainingRequests = Number(remaining);
  }

  /** Whether few requests remain in this hour. All workflows in the repository share GitHub's limit. */
  isNearlySpent(): boolean {
    return this.#remainingRequests < minRemaining;
  }

  /** Limits the total time that calls wait between tries from now on. */
  waitAtMost(ms: number): void {
    this.#remainingWaitMs = ms;
  }

  /** Takes a wait from that time; `undefined` if there is too little left. */
  takeWait(ms: number | undefined): number | undefined {
    if (ms === undefined || ms > this.#remainingWaitMs) return undefined;
    this.#remainingWaitMs -= ms;
    return ms;
  }
}
