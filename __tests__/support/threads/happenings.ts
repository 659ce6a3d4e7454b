import fc from 'fast-check';

import type { JobScript } from '../../../simulator/service/job.ts';
import { faults } from '../mishaps/kinds.ts';
import { type How, how } from './people.ts';

/** How a job behaves if the run creates it or sends it a message. */
export type Course = Partial<JobScript>;

const n = fc.integer({ min: 1, max: 14 });
const phase = fc.constantFrom('arrived' as const, 'handled' as const);
const which = fc.nat({ max: 5 });
const minuteMs = 60_000;

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

const none = of('none', {});

/** What happens while a machine is suspended, besides what the thread says. */
const meanwhile = fc.constantFrom(
  'nothing',
  'collect',
  're-run',
  'second workflow',
  'collect and re-run',
);
/** The machine is suspended at the nth request, while others go on. */
const sleepFor = (minutes: readonly number[]) =>
  of('sleep', {
    n,
    phase,
    ms: fc.constantFrom(...minutes.map((each) => each * minuteMs)),
    isClockPaused: fc.boolean(),
    meanwhile,
  });
const sleep = sleepFor([2, 10, 45, 61, 90, 120]);
export type Sleep = Value<typeof sleep>;

/** What goes wrong at the nth request of a run, if the run sends that many. */
const usualMishap = fc.oneof(
  often(4, none),
  often(2, of('cancel', { n, phase })),
  often(2, of('kill', { n, phase, isPostRun: fc.boolean() })),
  often(2, of('fault', { n, fault: fc.constantFrom(...faults) })),
);
/** One machine in eleven is suspended. */
const mishap = fc.oneof(often(10, usualMishap), often(1, sleep));
export type Mishap = Value<typeof mishap>;

const wrongClock = fc.constantFrom(...[-15, -10, -2, 2, 10, 15].map((each) => each * minuteMs));
/** One clock in ten differs from GitHub's. */
const clockAheadMs = fc.oneof(often(9, fc.constant(0)), often(1, wrongClock));
/**
 * In one run in twelve, a person touches the request's newest status comment: at the run's nth request, or at the first one
 * for which there is a comment.
 */
const touched = fc.oneof(
  often(11, none),
  often(1, of('touch', { n: fc.oneof(fc.constant(1), n), phase, how })),
);
export type Touched = Value<typeof touched>;

export const course: fc.Arbitrary<Course> = fc.constantFrom<Course>(
  { activeMs: 12_000 },
  { activeMs: 12_000, staleMs: 9_000 },
  { activeMs: 12_000, end: 'failed' },
  { activeMs: 12_000, prLink: null },
  { activeMs: 6_000, prLinkDelayMs: 4_000 },
  { end: 'never' },
);

/** What happens to a run and around it. */
export interface Luck {
  readonly mishap: Mishap;
  readonly clockAheadMs: number;
  readonly touched: Touched;
}

export const untroubled: Luck = {
  mishap: { kind: 'none' },
  clockAheadMs: 0,
  touched: { kind: 'none' },
};

/** The luck of a run, and of one that begins together with another run. The latter has no other mishap. */
interface Kinds {
  readonly single: Model<Luck>;
  readonly rival: Model<Luck>;
  readonly how: fc.Arbitrary<How>;
}

export const anyLuck: Kinds = {
  single: { mishap, clockAheadMs, touched },
  rival: {
    // Often for seconds, as on a slow network: without that, one of the runs would always be faster.
    mishap: fc.oneof(often(3, none), often(1, sleep), often(2, sleepFor([0.1, 0.5, 2]))),
    clockAheadMs: fc.oneof(often(2, fc.constant(0)), often(1, wrongClock)),
    touched,
  },
  how,
};

/** Machines never sleep, all clocks agree, and people only delete comments. */
const calm = { clockAheadMs: fc.constant(0), touched: none };
const calmLuck: Kinds = {
  single: { mishap: usualMishap, ...calm },
  rival: { mishap: none, ...calm },
  how: fc.constant('deleted'),
};

const words = fc.oneof(
  often(6, fc.constant('/docs')),
  often(1, fc.constantFrom('/docs --new', '/docs --no-wait')),
  often(1, fc.constantFrom('/docs help', '/docs status')),
);
const maintainer = fc.constant('maintainer');
const by = fc.oneof(often(7, maintainer), often(1, fc.constant('stranger')));

/** One event in a thread. `which` selects an existing item, modulo the number of items. */
const happeningWith = ({ single, rival, how }: Kinds) =>
  fc.oneof(
    often(5, of('command', { words, by, course, ...single })),
    often(1, of('prompt', { course, ...single })),
    often(4, of('re-run', { which, course, ...single })),
    often(1, of('second workflow', { which, course, ...single })),
    often(1, of('job ends', { which, status: fc.constantFrom('completed', 'failed', 'archived') })),
    often(2, of('two at once', { which, course, ...rival })),
    often(
      1,
      of('two workflows', { words: fc.constant('/docs'), by: maintainer, course, ...rival }),
    ),
    often(1, of('comment touched', { which, how })),
    // A collect run, alone or in parallel with another collect run, a re-run, or both.
    often(
      3,
      of('collect', {
        afterMs: fc.constantFrom(0, 900_000, 7_200_000),
        beside: fc.constantFrom('none', 'collector', 're-run', 'both'),
        which,
        course,
        ...single,
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

export type Happening = Value<ReturnType<typeof happeningWith>>;

/** The events in a thread: at least one command, and what follows. */
const threadWith = (kinds: Kinds): fc.Arbitrary<Happening[]> =>
  fc
    .tuple(
      of('command', { words, by: maintainer, course, ...kinds.single }),
      fc.array(happeningWith(kinds), { maxLength: 4 }),
    )
    .map(([first, rest]) => [first, ...rest]);

export const anyThread = threadWith(anyLuck);

/** Without sleep, wrong clocks, and edits by people, which earlier versions didn't withstand. */
export const calmThread = threadWith(calmLuck);
