import fc from 'fast-check';

import type { JobScript } from '../../../simulator/service/job.ts';
import { faults } from '../faults/kinds.ts';

/** How the service's job goes, if the run makes one or sends it a message. */
export type Course = Partial<JobScript>;

const n = fc.integer({ min: 1, max: 14 });
const phase = fc.constantFrom('arrived' as const, 'handled' as const);
const which = fc.nat({ max: 5 });

/** What happens to a run at its n-th request; where it sends fewer, nothing does. */
const mishap = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('none' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), n, phase }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), n, phase, isPostRun: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fault' as const), n, fault: fc.constantFrom(...faults) }),
  },
);
export type Mishap = Value<typeof mishap>;
type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;

const course: fc.Arbitrary<Course> = fc.constantFrom<Course>(
  { activeMs: 12_000 },
  { activeMs: 12_000, staleMs: 9_000 },
  { activeMs: 12_000, end: 'failed' },
  { activeMs: 12_000, prLink: null },
  { activeMs: 6_000, prLinkDelayMs: 4_000 },
  { end: 'never' },
);

const words = fc.oneof(
  { weight: 6, arbitrary: fc.constant('/docs') },
  { weight: 1, arbitrary: fc.constantFrom('/docs --new', '/docs --no-wait') },
  { weight: 1, arbitrary: fc.constantFrom('/docs help', '/docs status') },
);
const by = fc.oneof(
  { weight: 7, arbitrary: fc.constant('maintainer') },
  { weight: 1, arbitrary: fc.constant('stranger') },
);

/** One thing that happens in a thread. `which` picks one of what there is, whatever its number. */
const happening = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('command' as const), words, by, mishap, course }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prompt' as const), mishap, course }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('re-run' as const), which, mishap, course }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('second workflow' as const), which, mishap, course }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('job ends' as const),
      which,
      status: fc.constantFrom('completed' as const, 'failed' as const, 'archived' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('two at once' as const), which, course }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('comment deleted' as const), which }) },
  // A run of collect mode, perhaps beside another, beside a re-run of something, or both.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('collect' as const),
      afterMs: fc.constantFrom(0, 900_000, 7_200_000),
      beside: fc.constantFrom('none' as const, 'collector' as const, 're-run' as const, 'both' as const),
      which,
      mishap,
      course,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('key rotated' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('time passes' as const),
      ms: fc.constantFrom(1_000, 60_000, 3_600_000),
    }),
  },
);

export type Happening = Value<typeof happening>;

/** A thread's life: at least one command, and what comes after it. */
export const anyThread: fc.Arbitrary<Happening[]> = fc
  .tuple(
    fc.record({
      kind: fc.constant('command' as const),
      words,
      by: fc.constant('maintainer'),
      mishap,
      course,
    }),
    fc.array(happening, { maxLength: 4 }),
  )
  .map(([first, rest]) => [first, ...rest]);
