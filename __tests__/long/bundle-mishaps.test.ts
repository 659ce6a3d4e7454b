import { expect, test } from '@jest/globals';

import { choicesOf } from '../../simulator/http/choose-request.ts';
import { inParallel } from '../support/cases.ts';
import { faults } from '../support/mishaps/kinds.ts';
import { type Case, endsOf, playOnBundle, requestsOf } from '../support/mishaps/matrix.ts';
import { subjects } from '../support/mishaps/subjects.ts';

/*
 * Each fault of the simulator, each request of a run, and a run killed at every request as if its runner died: on the bundle,
 * over sockets. `scenario/mishaps` plays all pairs in memory.
 */

const timeoutMs = 300_000;

test.each(subjects.map((subject, which) => ({ subject, which })))(
  'each fault and each request of the $subject.name',
  async ({ subject, which }) => {
    const choices = choicesOf(await requestsOf(subject));
    // Walks both lists at once, with steps coprime to their lengths, so that every pair comes up in time.
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
