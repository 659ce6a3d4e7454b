import type { Dispatcher } from 'undici';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Files } from '../../../src/runner/files.ts';
import type { Run } from '../played.ts';

const NOWHERE = 'http://nowhere.test';

/** The header with which the simulator can tell the runs in this process apart. */
export const runHeader = 'x-simulated-run';

/** Names a run as the header of its requests does. */
export function nameOf({ runId, attempt = 1 }: Pick<Run, 'runId' | 'attempt'>): string {
  return `${runId}.${attempt}`;
}

/** The name of the run that sent a request. */
export function senderOf({ headers }: Pick<RecordedRequest, 'headers'>): string | undefined {
  return headers[runHeader];
}

/**
 * A process that can be killed or suspended, simulated inside this one. After the kill, its code may still run, but without
 * effect: its requests don't arrive, and its results are ignored. While it is suspended, it sends nothing and no sleep ends.
 */
export class Life {
  readonly #over = Promise.withResolvers<null>();
  readonly killed = this.#over.promise;
  readonly #name: string;
  isOver = false;
  #awake: Promise<void> | undefined;
  /** For how long it was suspended. Its monotonic clock stops, as Linux's does. */
  #suspendedMs = 0;

  constructor(run: Pick<Run, 'runId' | 'attempt'>) {
    this.#name = nameOf(run);
  }

  /** Kills the process. Throws, so that the API doesn't handle the current request. */
  kill(): never {
    this.isOver = true;
    this.#over.resolve(null);
    throw new Error('The client was killed');
  }

  /** Suspends the process. The request that is waiting for this goes on afterward. */
  async suspend(until: () => Promise<unknown>, clock: Clock): Promise<void> {
    const beganMs = clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awake = promise;
    await until();
    this.#suspendedMs += clock.now() - beganMs;
    this.#awake = undefined;
    resolve();
  }

  dispatcher(inner: Dispatcher): Dispatcher {
    return inner.compose((dispatch) => (options, handler) => {
      const send = () => {
        const headers = { ...options.headers, [runHeader]: this.#name };
        return dispatch({ ...options, headers, ...(this.isOver && { origin: NOWHERE }) }, handler);
      };
      if (this.#awake === undefined) return send();
      void this.#awake.then(send);
      return true;
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
      monotonic: () => inner.monotonic() - this.#suspendedMs,
      // Earlier versions of the action pass a signal.
      sleep: async (ms: number, signal?: AbortSignal) => {
        await this.#awake;
        if (this.isOver) throw new Error('There is no time after the end');
        await (signal === undefined ? inner : inner.within(signal)).sleep(ms);
        await this.#awake;
      },
      within: (signal) => this.clock(inner.within(signal), aheadMs),
    };
  }
}
