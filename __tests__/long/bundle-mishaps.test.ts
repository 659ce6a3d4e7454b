import { expect, test } from '@jest/globals';

import { choicesOf } from '../../simulator/http/choose-request.ts';
import { inParallel } from '../support/cases.ts';
import { faults } from '../support/mishaps/kinds.ts';
import { type Case, endsOf, playOnBundle, requestsOf } from '../support/mishaps/matrix.ts';
import { subjects } from '../support/mishaps/subjects.ts';

/*
 * Runs the bundle over real sockets with every fault of the simulator, and kills it at every request. `scenario/mishaps` runs
 * every fault at every request in memory.
 */

const numbered = subjects.map((subject, which) => ({ subject, which }));

test.each(numbered)(
  'every fault at some request of the $subject.name',
  async ({ subject, which }) => {
    const choices = choicesOf(await requestsOf(subject));
    // Each fault happens at one request. The steps of 5 spread the faults over all requests.
    const cases = faults.map((fault, index): Case => {
      const choice = choices[(index * 5 + which) % choices.length];
      if (choice === undefined) throw new Error(`The ${subject.name} sends no requests`);
      return { ...choice, mishap: { kind: 'fault', fault } };
    });
    const ended = await inParallel(cases, 3, (one) => playOnBundle(subject, one));
    expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  },
);

test.each(subjects)('the $name killed at every request', async (subject) => {
  const cases = await endsOf(subject, { kind: 'kill', isPostRun: true });
  const ended = await inParallel(cases, 3, (one) => playOnBundle(subject, one));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
});
