import { afterAll, expect, test } from '@jest/globals';

import { choicesOf } from '../../simulator/http/choose-request.ts';
import { inParallel } from '../support/cases.ts';
import type { FaultCase, Subject } from '../support/faults/case.ts';
import { faults } from '../support/faults/kinds.ts';
import { subjects } from '../support/faults/subjects.ts';
import { FaultTable } from '../support/faults/table.ts';

/*
 * Every fault of the simulator at every request, with the product's modules in this process: no second job, no false
 * outcome, no false or broken report, no stack trace, no unhandled rejection, no key anywhere, and an end within the
 * deadline. `acceptance/fault-matrix` plays each kind and each request on the bundle.
 */

const timeoutMs = 120_000;
const table = new FaultTable();
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => {
  process.off('unhandledRejection', noteUnhandled);
  table.print('Faults in memory');
});

async function casesOf(subject: Subject, isLasting: boolean): Promise<FaultCase[]> {
  const requests = await subject.requests();
  return choicesOf(requests).flatMap((choice) => faults.map((fault) => ({ ...choice, fault, isLasting })));
}

test.each(subjects)(
  'every fault at every request of the $name',
  async (subject) => {
    const ended = await inParallel(await casesOf(subject, false), 1, subject.inProcess);
    expect(table.wrong(`${subject.name}, once`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);

test.each(subjects)(
  'every fault from every request of the $name on',
  async (subject) => {
    const ended = await inParallel(await casesOf(subject, true), 1, subject.inProcess);
    expect(table.wrong(`${subject.name}, for good`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);
