import type { ThreadModel } from './model.ts';

/** Counts how often we can't tell whether the service got a request, over many threads. */
export class UnconfirmedTally {
  #threads = 0;
  #withUnconfirmed = 0;
  #unsent = 0;

  add({ unconfirmed }: ThreadModel): void {
    this.#threads += 1;
    if (unconfirmed.length > 0) this.#withUnconfirmed += 1;
    this.#unsent += unconfirmed.filter(({ asks }) => asks.length === 0).length;
  }

  /** One line for the log. */
  get report(): string {
    const perThousand = ((1_000 * this.#withUnconfirmed) / Math.max(1, this.#threads)).toFixed(1);
    return `Unconfirmed: in ${this.#withUnconfirmed} of ${this.#threads} threads (${perThousand} per 1,000). Of these requests, ${this.#unsent} weren’t sent.`;
  }
}
