import { expect, jest, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { type CancelCase, playCancelled } from '../support/mishaps/cancelled.ts';
import { reportSubject } from '../support/mishaps/report.ts';
import { routes } from '../support/routes.ts';

/*
 * Cancels the visitors report in real time, as `acceptance/cancel` does with a command. `scenario/mishaps` cancels and kills the
 * report at every request.
 */

const mostMs = 5_000;
const atOnce = 3;
jest.setTimeout(120_000);

/** The nth request for visitors. Each of the two weeks takes three. */
const page = (nth: number) => ({ at: routes.readVisitors, nth, phase: 'arrived' }) as const;
const ends = 'failed (cancelled)';

const points: readonly CancelCase[] = [
  { name: 'while GitHub hangs', at: routes.readRun, phase: 'arrived', hanging: ['github'], ends },
  { name: 'while the service hangs', ...page(5), hanging: ['service'], ends },
  {
    name: 'while the run waits because of a Retry-After header',
    ...page(2),
    laterMs: 500,
    prepare: ({ faults }) => faults.refuse(routes.readVisitors, 429, { nth: 2, retryAfter: 45 }),
    ends,
  },
  { name: 'by SIGTERM alone', ...page(4), by: 'SIGTERM', ends },
];

test('a canceled report ends in time', async () => {
  const ended = await inParallel(points, atOnce, (one) => playCancelled(reportSubject, one));
  expect(ended).toMatchObject(points.map(() => ({ end: ends, exitCode: 0, problems: [] })));
  expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < mostMs))).toEqual([]);
});
