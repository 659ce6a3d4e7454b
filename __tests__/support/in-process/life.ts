import type { Dispatcher } from 'undici';

import type { Clock } from '../../../src/core/clock.ts';
import type { Files } from '../../../src/runner/files.ts';

const NOWHERE = 'http://nowhere.test';

/**
 * A process that can be killed, simulated inside this one. After the kill, its code may still run, but without effect: its
 * requests don't arrive, and its results are ignored.
 */
export class Life {
  readonly #over = Promise.withResolvers<null>();
  readonly killed = this.#over.promise;
  isOver = false;

  /** Kills the process. Throws, so that the API doesn't handle the current request. */
  kill(): never {
    this.isOver = true;
    this.#over.resolve(null);
    throw new Error('The client was killed');
  }

  dispatcher(inner: Dispatcher): Dispatcher {
    return inner.compose((dispatch) => (options, handler) => {
      return dispatch(this.isOver ? { ...options, origin: NOWHERE } : options, handler);
    });
  }

  files(inner: Files): Files {
    return {
      read: (path) => inner.read(path),
      write: (path, ...parts) => {
        if (!this.isOver) inner.write(path, ...parts);
      },
    };
  }

  /** @param aheadMs how far the machine's clock is ahead. */
  clock(inner: Clock, aheadMs = () => 0): Clock {
    return {
      now: () => inner.now() + aheadMs(),
      monotonic: () => inner.monotonic(),
      // Earlier versions of the action pass a signal.
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (this.isOver) throw new Error('There is no time after the end');
        await (signal === undefined ? inner : inner.within(signal)).sleep(ms);
      },
      within: (signal) => this.clock(inner.within(signal), aheadMs),
    };
  }
}
