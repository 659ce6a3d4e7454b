import { expect, test } from '@jest/globals';
import { isLong } from '../support/long.ts';
import { testThreads } from '../support/threads/generated.ts';
import {
  anyThread,
  type Happening,
  type Mishap,
  untroubled,
} from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generates threads with any sequence of commands, follow-ups, re-runs, second workflows, strangers, rotated keys, and jobs that
 * end in different ways. Runs can be canceled, killed, or hit by a fault at any request. The action's modules run in memory
 * against the simulator, whose clock skips every wait.
 *
 * A failure prints its seed and path. To replay it:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm test -- scenario/threads
 * `npm test` always runs the same 60 threads, and `npm run test:long` runs 2,000. Set THREADS for a different number, and
 * THREADS_SEED for different threads.
 */

const count = Number(process.env.THREADS ?? (isLong ? 2_000 : 60));

testThreads('threads', count, anyThread, (happenings) => new ThreadModel().play(happenings));

const course = { activeMs: 12_000 };
const none = { kind: 'none' } as const;
const asked = (mishap: Mishap) =>
  ({
    kind: 'command',
    words: '/docs',
    by: 'maintainer',
    course,
    ...untroubled,
    mishap,
  }) as const;
const rerun = (mishap: Mishap) =>
  ({ kind: 're-run', which: 0, course, ...untroubled, mishap }) as const;

/** Threads that were generated once, and went wrong. */
test.each<[string, readonly Happening[]]>([
  [
    'a re-run is canceled before its claim has won',
    [
      asked({ kind: 'cancel', n: 2, phase: 'arrived' }),
      rerun({ kind: 'cancel', n: 7, phase: 'arrived' }),
    ],
  ],
  [
    'a re-run after an archived job is killed while it creates another one',
    [
      asked(none),
      { kind: 'job ends', which: 0, status: 'archived' },
      rerun({ kind: 'kill', n: 12, phase: 'handled', isPostRun: true }),
    ],
  ],
  [
    'another workflow sends the request at once with a re-run whose key is new',
    [
      asked({ kind: 'kill', n: 8, phase: 'arrived', isPostRun: false }),
      { kind: 'key rotated' },
      { kind: 'two at once', which: 0, course, ...untroubled },
    ],
  ],
])('%s', async (_, happenings) => {
  expect(await new ThreadModel().play(happenings)).toEqual([]);
});
