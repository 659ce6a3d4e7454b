import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { type CancelCase, playCancelled } from '../support/mishaps/cancelled.ts';
import { playKilledWrite, type WritePoint } from '../support/mishaps/killed-write.ts';
import { reportSubject } from '../support/mishaps/report.ts';
import { routes } from '../support/routes.ts';

/*
 * The visitors report, canceled as GitHub does it while something hangs, or killed while it writes. Each file is complete or
 * missing, and the history keeps what it had and what was read. `scenario/mishaps` cancels and kills it at every request.
 */

const mostMs = 5_000;
const atOnce = 3;
const timeoutMs = 120_000;

/** The window has three pages, and so does the one before it. */
const page = (nth: number) => ({ at: routes.readVisitors, nth, phase: 'arrived' }) as const;
const ends = 'failed (cancelled)';

const points: readonly CancelCase[] = [
  { name: 'while GitHub hangs', at: routes.readRun, phase: 'arrived', hanging: ['github'], ends },
  { name: 'while the service hangs', ...page(5), hanging: ['service'], ends },
  {
    name: 'while a Retry-After of the service is waited for',
    ...page(2),
    laterMs: 500,
    prepare: ({ faults }) => faults.refuse(routes.readVisitors, 429, { nth: 2, retryAfter: 45 }),
    ends,
  },
  { name: 'by SIGTERM alone', ...page(4), by: 'SIGTERM', ends },
];

test(
  'cancelled while it waits',
  async () => {
    const ended = await inParallel(points, atOnce, (one) => playCancelled(reportSubject, one));
    expect(ended).toMatchObject(points.map(() => ({ end: ends, exitCode: 0, problems: [] })));
    expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < mostMs))).toEqual([]);
  },
  timeoutMs,
);

test(
  'killed in the middle of writing each file, and before it has its name',
  async () => {
    // The files in order: the history, CSV, JSON, Markdown.
    const cases = [1, 7, 7, 7].flatMap((page, index): WritePoint[] => [
      { step: 'write', file: index + 1, page },
      { step: 'rename', file: index + 1, page },
    ]);
    const ended = await inParallel(cases, atOnce, playKilledWrite);
    expect(ended).toMatchObject(cases.map(() => ({ end: 'failed (interrupted)', problems: [] })));
  },
  timeoutMs,
);
