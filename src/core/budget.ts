import { ActionError } from './errors.ts';

/** Counts the requests that a run sends, including retries. */
export class Budget {
  readonly max: number;
  used = 0;

  constructor(max: number) {
    this.max = max;
  }

  get remaining(): number {
    return this.max - this.used;
  }

  /**
   * Counts one request before it is sent. @throws ActionError `budget-spent` if no requests are
   * left.
   */
  spend(): void {
    if (this.remaining <= 0) {
      const what = `All ${this.max} requests that \`max-requests\` allows were used`;
      const hint =
        'Raise `max-requests`. The service allows 100 an hour for the whole organization.';
      throw new ActionError('budget-spent', what, { hint });
    }
    this.used += 1;
  }
}
