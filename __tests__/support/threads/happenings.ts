import fc from 'fast-check';

import type { JobScript } from '../../../simulator/service/job.ts';
import { faults } from '../mishaps/kinds.ts';

/** How a job behaves if the run creates it or sends it a message. */
export type Course = Partial<JobScript>;

const n = fc.integer({ min: 1, max: 14 });
const phase = fc.constantFrom('arrived' as const, 'handled' as const);
const which = fc.nat({ max: 5 });

type Model<T> = { [Name in keyof T]: fc.Arbitrary<T[Name]> };
export type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** Generates an event of this kind, with these details. */
export function of<K extends string, T extends object>(
  kind: K,
  model: Model<T>,
): fc.Arbitrary<{ kind: K } & T> {
  return fc.record({ kind: fc.constant(kind), ...model }) as fc.Arbitrary<{ kind: K } & T>;
}

export function often<T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> {
  return { weight, arbitrary };
}

/** What goes wrong at the nth request of a run, if the run sends that many. */
export const mishap = fc.oneof(
  often(4, of('none', {})),
  often(2, of('cancel', { n, phase })),
  often(2, of('kill', { n, phase, isPostRun: fc.boolean() })),
  often(2, of('fault', { n, fault: fc.constantFrom(...faults) })),
);
export type Mishap = Value<typeof mishap>;

export const course: fc.Arbitrary<Course> = fc.constantFrom<Course>(
  { activeMs: 12_000 },
  { activeMs: 12_000, staleMs: 9_000 },
  { activeMs: 12_000, end: 'failed' },
  { activeMs: 12_000, prLink: null },
  { activeMs: 6_000, prLinkDelayMs: 4_000 },
  { end: 'never' },
);

const words = fc.oneof(
  often(6, fc.constant('/docs')),
  often(1, fc.constantFrom('/docs --new', '/docs --no-wait')),
  often(1, fc.constantFrom('/docs help', '/docs status')),
);
const maintainer = fc.constant('maintainer');
const by = fc.oneof(often(7, maintainer), often(1, fc.constant('stranger')));

/** One event in a thread. `which` selects an existing item, modulo the number of items. */
const happening = fc.oneof(
  often(5, of('command', { words, by, mishap, course })),
  often(1, of('prompt', { mishap, course })),
  often(4, of('re-run', { which, mishap, course })),
  often(1, of('second workflow', { which, mishap, course })),
  often(1, of('job ends', { which, status: fc.constantFrom('completed', 'failed', 'archived') })),
  often(2, of('two at once', { which, course })),
  often(1, of('comment deleted', { which })),
  // A collect run, alone or in parallel with another collect run, a re-run, or both.
  often(
    3,
    of('collect', {
      afterMs: fc.constantFrom(0, 900_000, 7_200_000),
      beside: fc.constantFrom('none', 'collector', 're-run', 'both'),
      which,
      mishap,
      course,
    }),
  ),
  often(1, of('key rotated', {})),
  often(1, of('repository renamed', {})),
  // In other threads, a bot posts many comments, or edits those that it has.
  often(1, of('busy', { isEdited: fc.boolean(), count: fc.constantFrom(150, 350) })),
  // A collect run while the thread is locked.
  often(1, of('thread locked', { mayEditInLocked: fc.boolean() })),
  // A command on the pull request that the agent opened for one of the jobs.
  often(1, of('review', { which, course })),
  often(1, of('time passes', { ms: fc.constantFrom(1_000, 60_000, 3_600_000) })),
);

export type Happening = Value<typeof happening>;

/** The events in a thread: at least one command, and what follows. */
export const anyThread: fc.Arbitrary<Happening[]> = fc
  .tuple(
    of('command', { words, by: maintainer, mishap, course }),
    fc.array(happening, { maxLength: 4 }),
  )
  .map(([first, rest]) => [first, ...rest]);
