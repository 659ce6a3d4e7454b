import { afterAll, expect, test } from '@jest/globals';

import { inParallel, printTable } from '../support/crash-play.ts';
import { agentSubject, type FaultAt, type FaultEnd, type Subject } from '../support/faults-cases.ts';
import { faults } from '../support/faults-kinds.ts';
import { followUp, promptWithThread, simpleCommand } from '../support/faults-scenarios.ts';
import { report } from '../support/report-faults.ts';

/*
 * Every fault of the simulator at every request: no second job, no false outcome, no false or broken report, no stack
 * trace, no unhandled rejection, no key anywhere, and an end within the deadline. All of them with the product's modules in this process; each kind and
 * each request on the bundle as well, over sockets.
 */

const subjects: readonly Subject[] = [
  ...[simpleCommand, followUp, promptWithThread].map(agentSubject),
  report,
];
const timeoutMs = 120_000;
const rows: (string | number)[][] = [];
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => {
  process.off('unhandledRejection', noteUnhandled);
  printTable('Fault matrix', [['faults', 'tried', 'as they should', 'ends'], ...rows]);
});

async function casesOf(subject: Subject, isLasting: boolean): Promise<FaultAt[]> {
  const requests = await subject.requests();
  return requests.flatMap(({ n }) => faults.map((fault) => ({ fault, n, isLasting })));
}

function tally(name: string, ended: readonly FaultEnd[]): readonly FaultEnd[] {
  const wrong = ended.filter(({ problems }) => problems.length > 0);
  const counts = Map.groupBy(ended, ({ end }) => end);
  const ends = [...counts].map(([end, { length }]) => `${end}: ${length}`).sort();
  rows.push([name, ended.length, ended.length - wrong.length, ends.join(', ')]);
  return wrong;
}

test.each(subjects)(
  'every fault at every request of the $name',
  async (subject) => {
    const ended = await inParallel(await casesOf(subject, false), 1, subject.inProcess);
    expect(tally(`${subject.name}, once`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);

test.each(subjects)(
  'every fault from every request of the $name on',
  async (subject) => {
    const ended = await inParallel(await casesOf(subject, true), 1, subject.inProcess);
    expect(tally(`${subject.name}, for good`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);

test(
  'each fault and each request on the bundle',
  async () => {
    const all = await Promise.all(subjects.map((subject) => subject.requests()));
    // Walks both lists at once, by steps that have no divisor in common with their lengths: each meets each in time.
    const cases = subjects.flatMap((subject, which) =>
      faults.map((fault, index) => {
        const requests = all[which] ?? [];
        const n = ((index * 5 + which) % requests.length) + 1;
        return () => subject.onBundle({ fault, n, isLasting: false });
      }),
    );
    const ended = await inParallel(cases, 3, (play) => play());
    expect(tally('on the bundle, once', ended)).toEqual([]);
  },
  timeoutMs,
);
