import { afterAll, expect, test } from '@jest/globals';
import { isLong } from '../support/long.ts';
import { testThreads } from '../support/threads/generated.ts';
import {
  anyThread,
  type Happening,
  type Mishap,
  untroubled,
} from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';
import { UnconfirmedTally } from '../support/threads/unconfirmed.ts';

/*
 * Generates threads with any sequence of commands, follow-ups, re-runs, second workflows, strangers, rotated keys, and jobs that
 * end in different ways. Runs can be canceled, killed, or hit by a fault at any request. The action's modules run in memory
 * against the simulator, whose clock skips every wait.
 *
 * One machine in eleven is suspended at a request, for 2 to 120 minutes; others collect or run the workflow again meanwhile. One
 * clock in ten is 2 to 15 minutes off. In one run in twelve, a person hides, edits, or deletes the status comment. Of runs that
 * begin together, half are suspended, mostly for seconds, and a third have another time. At the end, a line says how many
 * requests were left unconfirmed.
 *
 * A failure prints its seed and path. To replay it:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm test -- scenario/threads
 * `npm test` always runs the same 60 threads, and `npm run test:long` runs 2,000. Set THREADS for a different number, and
 * THREADS_SEED for different threads.
 */

const count = Number(process.env.THREADS ?? (isLong ? 2_000 : 60));

const tally = new UnconfirmedTally();

testThreads('threads', count, anyThread, async (happenings) => {
  const model = new ThreadModel();
  const problems = await model.play(happenings);
  tally.add(model);
  return problems;
});

afterAll(() => {
  process.stdout.write(`${tally.report}\n`);
});

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
/** Two minutes at the nth request. */
const suspended = (n: number): Mishap => {
  const rest = { isClockPaused: true, meanwhile: 'nothing' } as const;
  return { kind: 'sleep', n, phase: 'arrived', ms: 120_000, ...rest };
};
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
  [
    'a machine whose clock is ahead sleeps before its claim, while another workflow sends the request',
    [
      {
        ...untroubled,
        kind: 'two workflows',
        words: '/docs',
        by: 'maintainer',
        course,
        clockAheadMs: 600_000,
        mishap: suspended(7),
      },
    ],
  ],
  [
    'a runner is lost around its request, a person hides the claim, and the workflow is run again',
    [
      asked({ kind: 'kill', n: 10, phase: 'handled', isPostRun: false }),
      { kind: 'comment touched', which: 0, how: 'hidden' },
      rerun(none),
    ],
  ],
  [
    'a person deletes the claim between two looks for rivals, and the workflow is run again',
    [
      { ...asked(none), touched: { kind: 'touch', n: 9, phase: 'arrived', how: 'deleted' } },
      rerun(none),
    ],
  ],
])('%s', async (_, happenings) => {
  expect(await new ThreadModel().play(happenings)).toEqual([]);
});
