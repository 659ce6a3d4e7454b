import { ActionError } from '../../core/errors.ts';
import { ServiceError } from '../../service/errors.ts';
import { type Source, WindowReading } from './export.ts';
import type { Window } from './period.ts';
import type { WindowRead } from './window-read.ts';

/** Stands for a window until it is begun. */
const notBegun = new ActionError('internal', 'The window was not asked for');

/** A window that is to be known: from the start, or once it was read. */
export class PlannedWindow {
  readonly window: Window;
  readonly #source: Source;
  #state: WindowReading | WindowRead | ActionError;

  /** @param known the window, where it need not be read. */
  constructor(window: Window, source: Source, known: WindowRead | undefined) {
    this.window = window;
    this.#source = source;
    this.#state = known ?? notBegun;
  }

  /** Whether its first page is still to be read. */
  get isWaiting(): boolean {
    return this.#state === notBegun;
  }

  /** Whether it has more pages. */
  get isOpen(): boolean {
    return this.#state instanceof WindowReading && !this.#state.isOver;
  }

  /** What was read, once it is over, or why nothing was. */
  get result(): WindowRead | ActionError {
    return this.#state instanceof WindowReading ? this.#state.read : this.#state;
  }

  /** Reads the first page; one that cannot be read is its result. @throws the signal's reason. */
  async begin(keepBack: number): Promise<void> {
    try {
      this.#state = await WindowReading.begin(this.window, this.#source, keepBack);
    } catch (error) {
      const isSpent = error instanceof ActionError && error.reason === 'budget-spent';
      if (!isSpent && !(error instanceof ServiceError)) throw error;
      this.#state = error;
    }
  }

  /** Reads the next page. @throws the signal's reason. */
  async next(): Promise<void> {
    if (this.#state instanceof WindowReading) await this.#state.next();
  }
}
