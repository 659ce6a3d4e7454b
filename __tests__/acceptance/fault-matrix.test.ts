import { afterAll, expect, test } from '@jest/globals';

import { inParallel, printTable } from '../support/crash-play.ts';
import {
  type FaultCase,
  type FaultEnd,
  playInProcess,
  playOnBundle,
  requestsOf,
} from '../support/faults-cases.ts';
import { faults } from '../support/faults-kinds.ts';
import { followUp, promptWithThread, type Scenario, simpleCommand } from '../support/faults-scenarios.ts';

/*
 * Every fault of the simulator at every request: no second job, no false outcome, no stack trace, no unhandled rejection,
 * no key anywhere, and an end within the deadline. All of them with the product's modules in this process; each kind and
 * each request on the bundle as well, over sockets.
 */

const scenarios: readonly Scenario[] = [simpleCommand, followUp, promptWithThread];
const timeoutMs = 120_000;
const rows: (string | number)[][] = [];
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => {
  process.off('unhandledRejection', noteUnhandled);
  printTable('Fault matrix', [['faults', 'tried', 'as they should', 'ends'], ...rows]);
});

async function casesOf(scenario: Scenario, isLasting: boolean): Promise<FaultCase[]> {
  const requests = await requestsOf(scenario);
  return requests.flatMap(({ n }) => faults.map((fault) => ({ scenario, fault, n, isLasting })));
}

function tally(name: string, ended: readonly FaultEnd[]): readonly FaultEnd[] {
  const wrong = ended.filter(({ problems }) => problems.length > 0);
  const counts = Map.groupBy(ended, ({ end }) => end);
  const ends = [...counts].map(([end, { length }]) => `${end}: ${length}`).sort();
  rows.push([name, ended.length, ended.length - wrong.length, ends.join(', ')]);
  return wrong;
}

test.each(scenarios)(
  'every fault at every request of the $name',
  async (scenario) => {
    const ended = await inParallel(await casesOf(scenario, false), 1, playInProcess);
    expect(tally(`${scenario.name}, once`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);

test.each(scenarios)(
  'every fault from every request of the $name on',
  async (scenario) => {
    const ended = await inParallel(await casesOf(scenario, true), 1, playInProcess);
    expect(tally(`${scenario.name}, for good`, ended)).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  timeoutMs,
);

test(
  'each fault and each request on the bundle',
  async () => {
    const all = await Promise.all(scenarios.map((scenario) => requestsOf(scenario)));
    // Walks both lists at once, by steps that have no divisor in common with their lengths: each meets each in time.
    const cases = scenarios.flatMap((scenario, which) =>
      faults.map((fault, index): FaultCase => {
        const requests = all[which] ?? [];
        const n = ((index * 5 + which) % requests.length) + 1;
        return { scenario, fault, n, isLasting: false };
      }),
    );
    const ended = await inParallel(cases, 3, playOnBundle);
    expect(tally('on the bundle, once', ended)).toEqual([]);
  },
  timeoutMs,
);
