import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLong } from '../support/long.ts';
import { anyThread } from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generates threads with any sequence of commands, follow-ups, re-runs, second workflows, strangers, rotated keys, and jobs that
 * end in different ways. Runs can be canceled, killed, or hit by a fault at any request. The action's modules run in memory
 * against the simulator, whose clock skips every wait.
 *
 * A failure prints its seed and path. To replay it:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm test -- scenario/threads
 * `npm test` always runs the same 200 threads, and `npm run test:long` runs 2,000. Set THREADS for a different number, and
 * THREADS_SEED for different threads.
 */

const threads = Number(process.env.THREADS ?? (isLong ? 2_000 : 200));
const seed = Number(process.env.THREADS_SEED ?? 20_261_121);
const path = process.env.THREADS_PATH;

// A replay needs the same backoffs and intervals, so Math.random returns the same numbers for each thread.
const trueRandom = Math.random;
let state = 0;
beforeAll(() => {
  Math.random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
});
afterAll(() => {
  Math.random = trueRandom;
});

test(`${threads.toLocaleString('en')} threads end up correct`, async () => {
  await fc.assert(
    fc.asyncProperty(anyThread, async (happenings) => {
      state = 1;
      const model = new ThreadModel();
      await model.play(happenings);
      expect(model.problems).toEqual([]);
    }),
    {
      numRuns: threads,
      seed,
      ...(path === undefined ? {} : { path }),
    },
  );
}, 600_000);
