import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLong } from '../support/long.ts';
import { anyThread } from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generated threads: commands, follow-ups, re-runs, second workflows, strangers, rotated keys, jobs that end one way or another,
 * and runs that are canceled, killed or hit by a fault at any request, in any order. The product's own modules play them
 * against the in-memory simulator, with a clock that jumps.
 *
 * A failure prints its seed and path. Replay it with
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm test -- scenario/threads
 * `npm test` always plays the same 200 threads, and `npm run test:long` plays 2,000. THREADS and THREADS_SEED play others.
 */

const threads = Number(process.env.THREADS ?? (isLong ? 2_000 : 200));
const seed = Number(process.env.THREADS_SEED ?? 20_261_121);
const path = process.env.THREADS_PATH;

/** Randomness is part of the replay: backoffs and intervals get the same numbers every time. */
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

test(`${threads.toLocaleString('en')} threads keep their promises`, async () => {
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
