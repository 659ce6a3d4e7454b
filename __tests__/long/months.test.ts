import { anyMonth } from '../support/months/happenings.ts';
import { problemsIn } from '../support/months/model.ts';
import { testThreads } from '../support/threads/generated.ts';

/*
 * Generates months in the repository of a busy team: twenty people, three bots, a command workflow, an on-merge workflow, and one that
 * collects. What must be true is judged from the simulator's jobs, comments, and pull requests alone. Set MONTHS for a different
 * number. To replay a failure:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm run test:long -- long/months
 */

testThreads('months', Number(process.env.MONTHS ?? 500), anyMonth, problemsIn);
