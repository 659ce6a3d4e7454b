import fc from 'fast-check';
import { anyLuck, course, of, often, type Value } from '../threads/happenings.ts';

/** Which existing item, from the newest on, modulo the number of items. */
const which = fc.nat({ max: 11 });
/** The first eight of twenty people have write access. The last one here is a bot. */
const who = fc.oneof(often(3, fc.nat({ max: 7 })), often(1, fc.nat({ max: 20 })));
const luck = fc.record({
  ...anyLuck.single,
  course: fc.oneof(often(3, course), often(1, fc.constant({ activeMs: 5 * 3_600_000 }))),
  wait: fc.constantFrom('true', 'false'),
});
export type Luck = Value<typeof luck>;

const words = fc.oneof(
  often(8, fc.constant('/docs')),
  often(1, fc.constantFrom('/docs --new', '/docs help', '/docs status')),
);
/** `twins`: two workflows run it. `rush`: someone writes another command at the same moment. */
const beside = fc.oneof(
  often(6, fc.constant('no one')),
  often(1, fc.constantFrom('twins', 'rush')),
);

/** Whether it is on one of the agent's own pull requests. */
const isOnAgents = fc.constantFrom(false, false, false, true);

const happening = fc.oneof(
  often(8, of('command', { who, which, isOnAgents, words, beside, luck })),
  often(2, of('review', { who, which, isWhole: fc.boolean(), luck })),
  often(
    5,
    of('merge', { which, method: fc.constantFrom('merge', 'squash', 'rebase'), beside, luck }),
  ),
  often(3, of('re-run', { which, luck })),
  often(
    5,
    of('agent’s pull request', {
      which,
      end: fc.constantFrom('merged', 'closed', 'reopened'),
      luck,
    }),
  ),
  often(3, of('collect', { luck })),
  often(2, of('comment touched', { which, how: anyLuck.how })),
  often(2, of('busy', { isEdited: fc.boolean(), count: fc.integer({ min: 100, max: 600 }) })),
  often(2, of('lock turned', { which })),
  often(1, of('renamed', {})),
  often(1, of('key rotated', {})),
);
export type Happening = Value<typeof happening>;

/** What happens in a repository in a month, each some time after what came before. */
export const anyMonth = fc.record({
  happenings: fc.array(
    fc.record({
      afterMs: fc.constantFrom(60_000, 3 * 3_600_000, 12 * 3_600_000, 30 * 3_600_000),
      happening,
    }),
    { minLength: 1, maxLength: 60, size: 'max' },
  ),
  cap: fc.record({ max: fc.integer({ min: 2, max: 9 }), per: fc.constantFrom('day', 'week') }),
  mayEditInLocked: fc.boolean(),
  /** Whether a workflow collects when the agent opens a pull request, or only on a schedule and when one ends. */
  isCollectedWhenOpened: fc.boolean(),
});
export type Month = Value<typeof anyMonth>;
