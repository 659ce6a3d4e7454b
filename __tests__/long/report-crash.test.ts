import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import {
  playCancelledReport,
  playKilledWrite,
  type ReportCancelCase,
  type WritePoint,
} from '../support/mishaps/cancelled-report.ts';
import { routes } from '../support/routes.ts';

/*
 * The visitors report, cancelled as GitHub cancels it, or killed: each file is whole or not there, the history keeps what it
 * had and what was read, and a re-run gives the report as if nothing had happened. `scenario/mishaps` kills it at every request.
 */

const mostMs = 5_000;
const atOnce = 3;
const timeoutMs = 120_000;

const run = { at: routes.readRun };
/** The window has three pages, and the one before it three more. */
const page = (nth: number) => ({ at: routes.readVisitors, nth });
const limit = { kind: 'status', status: 429, retryAfter: 45 } as const;

const points: readonly ReportCancelCase[] = [
  { name: 'while the run is looked up', ...run, phase: 'arrived' },
  ...[1, 2, 3, 4, 5, 6].flatMap((nth): ReportCancelCase[] => [
    { name: `while page ${nth} is asked for`, ...page(nth), phase: 'arrived' },
  ]),
  ...[2, 5].flatMap((nth): ReportCancelCase[] => [
    { name: `when page ${nth} is not answered yet`, ...page(nth), phase: 'handled' },
  ]),
  { name: 'while GitHub hangs', ...run, phase: 'arrived', hanging: ['github'] },
  { name: 'while the service hangs', ...page(5), phase: 'arrived', hanging: ['service'] },
  {
    name: 'while a Retry-After of the service is waited for',
    ...page(2),
    phase: 'arrived',
    laterMs: 500,
    prepare: ({ faults }) => faults.add({ ...page(2), ...limit }),
  },
  { name: 'by SIGTERM alone', ...page(4), phase: 'arrived', by: 'SIGTERM' },
];

test(
  'cancelled at every point of the report',
  async () => {
    const ended = await inParallel(points, atOnce, playCancelledReport);
    expect(
      ended.filter(
        ({ end, exitCode, problems }) =>
          end !== 'failed (cancelled)' || exitCode !== 0 || problems.length > 0,
      ),
    ).toEqual([]);
    expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < mostMs))).toEqual([]);
    expect(ended).toHaveLength(points.length);
  },
  timeoutMs,
);

test(
  'killed in the middle of writing each file, and before it has its name',
  async () => {
    // The files in order: the history, CSV, JSON, Markdown.
    const cases = [1, 2, 3, 4].flatMap((file): WritePoint[] => [
      { step: 'write', file },
      { step: 'rename', file },
    ]);
    const ended = await inParallel(cases, atOnce, playKilledWrite);
    const expected = cases.map(({ file }) => ({
      end: 'failed (interrupted)',
      signal: 'SIGKILL',
      askedAgain: [6, 0, 0, 0][file - 1],
      problems: [],
    }));
    expect(
      ended.map(({ end, signal, askedAgain, problems }) => ({ end, signal, askedAgain, problems })),
    ).toEqual(expected);
  },
  timeoutMs,
);
