import { ActionError } from './errors.ts';

/** Counts the requests that a run sends, retries included, and stops it at the most it may send. */
export class Budget {
  readonly most: number;
  used = 0;

  constructor(most: number) {
    this.most = most;
  }

  get left(): number {
    return this.most - this.used;
  }

  /** Counts one request before it is sent. @throws ActionError `budget-spent` when none is left. */
  spend(): void {
    if (this.left <= 0) {
      throw new ActionError('budget-spent', `The budget of ${this.most} requests is spent`, {
        hint: 'Raise `max-requests`; the service allows 100 an hour for the whole organisation.',
      });
    }
    this.used += 1;
  }
}
