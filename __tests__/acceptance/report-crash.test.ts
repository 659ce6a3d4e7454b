import { expect, test } from '@jest/globals';

import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { bothPhases, inParallel, printTable } from '../support/crash-play.ts';
import {
  type CancelledReport,
  playCancelledReport,
  playKilledReport,
  playKilledWrite,
  type ReportCancelCase,
  type ReportEnd,
  type WritePoint,
} from '../support/report-ends.ts';
import { report } from '../support/report-faults.ts';

/*
 * The visitors report, cancelled as GitHub cancels it, or killed: each file is whole or not there, the history keeps what it
 * had and what was read, and a re-run gives the report as if nothing had happened.
 */

const mostMs = 5_000;
const atOnce = 3;
const timeoutMs = 120_000;

const isNth =
  (n: number) =>
  (request: RecordedRequest): boolean =>
    request.n === n;

const points: readonly ReportCancelCase[] = [
  { name: 'while the run is looked up', at: isNth(1), phase: 'arrived' },
  { name: 'while the window’s first page is asked for', at: isNth(2), phase: 'arrived' },
  { name: 'when its second page is not answered yet', at: isNth(3), phase: 'handled' },
  { name: 'while its last page is asked for', at: isNth(4), phase: 'arrived' },
  { name: 'while the window before is asked for', at: isNth(5), phase: 'arrived' },
  { name: 'when its second page is not answered yet', at: isNth(6), phase: 'handled' },
  { name: 'while the very last page is asked for', at: isNth(7), phase: 'arrived' },
  { name: 'while GitHub hangs', at: isNth(1), phase: 'arrived', hanging: ['github'] },
  { name: 'while the service hangs', at: isNth(6), phase: 'arrived', hanging: ['service'] },
  {
    name: 'while a Retry-After of the service is waited for',
    at: isNth(3),
    phase: 'arrived',
    laterMs: 500,
    prepare: ({ faults }) =>
      faults.add({ at: 3, kind: 'status', status: 429, retryAfter: { form: 'seconds', seconds: 45 } }),
  },
  { name: 'by SIGTERM alone', at: isNth(5), phase: 'arrived', by: 'SIGTERM' },
];

/** How many pages a re-run has to ask for: none of a window that the history holds whole. */
function pagesLeft(answered: number): number {
  if (answered < 3) return 6;
  return answered < 6 ? 3 : 0;
}

function table(title: string, ended: readonly (ReportEnd & Partial<CancelledReport>)[]): void {
  const rows = ended.map(({ name, end, askedAgain, cancelledForMs, problems }) => [
    name,
    end,
    cancelledForMs === undefined ? '' : `${(cancelledForMs / 1000).toFixed(1)} s`,
    askedAgain,
    problems.length,
  ]);
  printTable(title, [['report', 'end', 'over after', 'asked again', 'untrue'], ...rows]);
}

function verdictOf({ end, signal, askedAgain, problems }: ReportEnd): object {
  return { end, signal, askedAgain, problems };
}

test(
  'cancelled at every point of the report',
  async () => {
    const ended = await inParallel(points, atOnce, playCancelledReport);
    table('Report cancelled, then post, then a re-run', ended);
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
  'killed at every boundary of the report',
  async () => {
    const boundaries = bothPhases((await report.requests()).length);
    const ended = await inParallel(boundaries, atOnce, playKilledReport);
    table('Report killed, then post, then a re-run', ended);
    // An answer that was still on its way is lost, and has to be asked for again.
    const expected = boundaries.map(({ n }) => ({
      end: 'failed (interrupted)',
      signal: 'SIGKILL',
      askedAgain: pagesLeft(Math.max(0, n - 2)),
      problems: [],
    }));
    expect(ended.map(verdictOf)).toEqual(expected);
    expect(ended).toHaveLength(14);
  },
  timeoutMs,
);

test(
  'killed in the middle of writing each file, and before it has its name',
  async () => {
    // The files in order: the history with one window, the history with both, CSV, JSON, Markdown.
    const cases = [1, 2, 3, 4, 5].flatMap((file): WritePoint[] => [
      { step: 'write', file },
      { step: 'rename', file },
    ]);
    const ended = await inParallel(cases, atOnce, playKilledWrite);
    table('Report killed while it writes, then post, then a re-run', ended);
    const expected = cases.map(({ file }) => ({
      end: 'failed (interrupted)',
      signal: 'SIGKILL',
      askedAgain: [6, 3, 0, 0, 0][file - 1],
      problems: [],
    }));
    expect(ended.map(verdictOf)).toEqual(expected);
  },
  timeoutMs,
);
