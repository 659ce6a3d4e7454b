import { expect, test } from '@jest/globals';

import { choicesOf } from '../../simulator/http/choose-request.ts';
import { inParallel } from '../support/cases.ts';
import { playOnBundle, requestsOf } from '../support/faults/case.ts';
import { faults } from '../support/faults/kinds.ts';
import { subjects } from '../support/faults/subjects.ts';

/*
 * Each fault of the simulator and each request of a run, on the bundle, over sockets: no second job, no false outcome, no
 * false or broken report, no stack trace and no key anywhere. `scenario/faults` plays
 * their pairs in memory.
 */

const timeoutMs = 120_000;

test.each(subjects.map((subject, which) => ({ subject, which })))(
  'each fault and each request of the $subject.name on the bundle',
  async ({ subject, which }) => {
    const choices = choicesOf(await requestsOf(subject));
    // Walks both lists at once, by steps that have no divisor in common with their lengths: each meets each in time.
    const cases = faults.map((fault, index) => {
      const choice = choices[(index * 5 + which) % choices.length];
      if (choice === undefined) throw new Error(`The ${subject.name} sends no requests`);
      return () => playOnBundle(subject, { ...choice, fault, isLasting: false });
    });
    const ended = await inParallel(cases, 3, (play) => play());
    expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  },
  timeoutMs,
);
