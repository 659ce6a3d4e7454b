import { expect, test } from '@jest/globals';
import fc from 'fast-check';

/** The nightly workflow passes its run ID, so that every night plays new threads. fast-check takes 32 bits. */
const seed = Number(process.env.THREADS_SEED ?? 20_261_121) % 2 ** 31;
const path = process.env.THREADS_PATH;

const limitMs = 900_000;

/** Tests that generated threads have no problems. A failure prints its seed and path, with which it can be replayed. */
export function testThreads<T>(
  what: string,
  numRuns: number,
  threads: fc.Arbitrary<T>,
  problemsIn: (thread: T) => Promise<readonly string[]>,
): void {
  const run = async () => {
    const trueRandom = Math.random;
    // A replay needs the same backoffs and intervals, so Math.random returns the same numbers for each thread.
    let state = 0;
    Math.random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    const property = fc.asyncProperty(threads, async (thread) => {
      state = 1;
      expect(await problemsIn(thread)).toEqual([]);
    });
    try {
      // Jest's own limit would print no seed.
      const limit = { interruptAfterTimeLimit: 0.95 * limitMs, markInterruptAsFailure: true };
      const replay = path === undefined ? {} : { path, endOnFailure: true };
      await fc.assert(property, { numRuns, seed, ...limit, ...replay });
    } finally {
      Math.random = trueRandom;
    }
  };
  test(`${numRuns.toLocaleString('en')} ${what} end up correct`, run, limitMs);
}
