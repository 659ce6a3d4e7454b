import { expect, test } from '@jest/globals';

import { choicesOf } from '../../simulator/http/choose-request.ts';
import { inParallel } from '../support/cases.ts';
import { faults } from '../support/mishaps/kinds.ts';
import { type Case, endsOf, playOnBundle, requestsOf } from '../support/mishaps/matrix.ts';
import { subjects } from '../support/mishaps/subjects.ts';

/*
 * Each fault of the simulator and each request of a run, and a run killed at every request, as a runner that dies kills it: on
 * the bundle, over sockets. `scenario/mishaps` plays their pairs in memory.
 */

const timeoutMs = 300_000;

test.each(subjects.map((subject, which) => ({ subject, which })))(
  'each fault and each request of the $subject.name',
  async ({ subject, which }) => {
    const choices = choicesOf(await requestsOf(subject));
    // Walks both lists at once, by steps that have no divisor in common with their lengths: each meets each in time.
    const cases = faults.map((fault, index): Case => {
      const choice = choices[(index * 5 + which) % choices.length];
      if (choice === undefined) throw new Error(`The ${subject.name} sends no requests`);
      return { ...choice, mishap: { kind: 'fault', fault } };
    });
    const ended = await inParallel(cases, 3, (one) => playOnBundle(subject, one));
    expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  },
  timeoutMs,
);

test.each(subjects)(
  'the $name killed at every request',
  async (subject) => {
    const cases = await endsOf(subject, { kind: 'kill', isPostRun: true });
    const ended = await inParallel(cases, 3, (one) => playOnBundle(subject, one));
    expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  },
  timeoutMs,
);
