import { isLong } from '../support/long.ts';
import { testThreads } from '../support/threads/generated.ts';
import { anyThread } from '../support/threads/happenings.ts';
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
