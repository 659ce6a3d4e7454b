import { ActionError } from './errors.ts';

/** Counts the requests a run sends, including retries, and stops it at its limit. */
export class Budget {
  readonly most: number;
  used = 0;

  constructor(most: number) {
    this.most = most;
  }

  get left(): number {
    return this.most - this.used;
  }

  /** Counts one request before it is sent. @throws ActionError `budget-spent` if none are left. */
  spend(): void {
    if (this.left <= 0) {
      throw new ActionError(
        'budget-spent',
        `All ${this.most} requests that \`max-requests\` allows were used`,
        {
          hint: 'Raise `max-requests`. The service allows 100 an hour for the whole organization.',
        },
      );
    }
    this.used += 1;
  }
}
