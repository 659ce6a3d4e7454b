import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Card } from '../../../src/requests/card.ts';
import {
  type Found,
  type Holder,
  holderOf,
  merged,
  newestJob,
  type Onlooker,
  outdated,
  pendingBefore,
  statusCommentOf,
  wasDenied,
} from '../../../src/requests/claims.ts';
import { active, card, completed, found, is } from '../../support/samples/cards.ts';

const nowMs = 100_000;
const [soon, past] = [nowMs + 1, nowMs - 1];
const key = 'comment:40';
const bot = 'github-actions[bot]';
const me: Onlooker = { key, nonce: 'me', run: '7000000001', attempt: 1, login: undefined };
const later = { ...me, nonce: 'later', attempt: 2 };
const elsewhere = { ...me, nonce: 'elsewhere', run: '7000000002' };

/** A claim that does not name its comment yet, by another process unless told otherwise. */
const claim = (id: number, patch: Partial<Card> = {}, about: Partial<Found['comment']> = {}) =>
  found(id, { nonce: 'other', state: is.claimed(soon), ...patch }, { unbound: true, ...about });
const idsOf = (all: readonly Found[]) => all.map(({ comment }) => comment.id);

describe('the status comment of a trigger', () => {
  const own = claim(41);
  const withJob = found(50, { state: is.working() });
  const rows: [which: string, cards: Found[], login: string | undefined, id: number | undefined][] = [
    ['is the lowest of one generation', [claim(50), own], undefined, 41],
    ['is the one with a job, also above a lower claim', [own, withJob], undefined, 50],
    [
      'is of the highest generation',
      [found(60, { generation: 1 }), found(61, { generation: 2 })],
      undefined,
      61,
    ],
    ['is of the highest generation, job or not', [withJob, claim(60, { generation: 2 })], undefined, 60],
    [
      'is no copy in an older comment, which was edited',
      [claim(30, {}, { unedited: false }), own],
      undefined,
      41,
    ],
    ['is not by a stranger', [claim(30, {}, { login: 'stranger' }), own], undefined, 41],
    [
      'is not by another app, once our login is known',
      [claim(30, {}, { login: 'other[bot]' }), own],
      bot,
      41,
    ],
    ['may be by any app before', [claim(30, {}, { login: 'other[bot]' }), own], undefined, 30],
    ['may be a person’s, if that is who we are', [claim(30, {}, { login: 'me' })], 'me', 30],
    ['was edited by anyone, once it names itself', [found(41, {}, { login: 'somebody' })], bot, 41],
    [
      'is of no other trigger, and no refusal',
      [claim(41, { key: 'x' }), found(42, { state: is.ended('denied') })],
      bot,
      undefined,
    ],
    ['may be an answer', [found(42, { state: is.ended('answered') })], bot, 42],
  ];
  test.each(rows)('%s', (_, cards, login, id) => {
    for (const order of [cards, cards.toReversed()])
      expect(statusCommentOf(order, key, login)?.comment.id).toBe(id);
  });
});

describe('who has a trigger', () => {
  const other = { nonce: 'other' };
  const rows: [whose: string, patch: Partial<Card> | undefined, onlooker: Onlooker, is: Holder['is']][] = [
    ['nobody claimed it', undefined, me, 'free'],
    ['it was freed', { ...other, state: is.freed }, elsewhere, 'free'],
    ['we claimed it', { nonce: 'me', state: is.claimed(past) }, me, 'ours'],
    ['another step of our attempt claimed it', { ...other, state: is.claimed(soon) }, me, 'elsewhere'],
    ['another run claimed it', { ...other, state: is.claimed(soon) }, elsewhere, 'elsewhere'],
    ['another run is asking', { ...other, state: is.sent(soon) }, elsewhere, 'elsewhere'],
    ['another run claimed it and is over', { ...other, state: is.claimed(past) }, elsewhere, 'left'],
    ['our attempt before claimed it', { ...other, state: is.claimed(soon) }, later, 'left'],
    [
      'our attempt before follows it',
      { ...other, state: is.working(active, { until: soon }) },
      later,
      'left',
    ],
    [
      'a later attempt of ours claimed it',
      { ...other, attempt: 3, state: is.claimed(soon) },
      later,
      'elsewhere',
    ],
    [
      'another run follows it',
      { ...other, state: is.working(active, { until: soon }) },
      elsewhere,
      'elsewhere',
    ],
    ['another run followed it', { ...other, state: is.working(active, { until: past }) }, me, 'left'],
    ['no run waits for it', { ...other, state: is.working() }, elsewhere, 'left'],
    ['another run saw its end', { ...other, state: is.ended('pr', completed) }, elsewhere, 'left'],
    ['nobody can know of it', { ...other, state: is.ended('unconfirmed') }, me, 'left'],
  ];
  test.each(rows)('%s', (_, patch, onlooker, is) => {
    const cards = patch === undefined ? [] : [found(41, patch)];
    expect(holderOf(cards, onlooker, nowMs)).toEqual({ is, last: cards[0] });
  });
});

describe('what no longer counts', () => {
  const ours = found(50, { state: is.claimed(soon), generation: 2 });
  const before = found(41, { nonce: 'before', run: '9', state: is.ended('failed', active) });
  const mine = (id: number, about = {}) => claim(id, { nonce: 'me' }, about);
  const rows: [what: string, cards: Found[], onlooker: Onlooker, ids: number[]][] = [
    ['what our claim follows', [before, ours], me, [41]],
    [
      'not while another run’s claim follows it',
      [before, { ...ours, card: { ...ours.card, nonce: 'other' } }],
      me,
      [],
    ],
    ['our claim written twice', [mine(41), mine(42)], me, [42]],
    ['our claim that lost', [claim(40), mine(41), mine(42)], me, [41, 42]],
    ['our earlier attempt’s claim that lost', [claim(40, { run: '9' }), mine(41)], later, [41]],
    ['not another run’s claim that lost', [mine(41), claim(42, { run: '9' })], me, []],
    ['not what somebody pasted', [found(41), mine(42, { login: 'stranger' })], later, []],
    ['not what was edited', [found(41), mine(42, { unedited: false })], later, []],
    ['not another trigger’s', [ours, found(41, { key: 'comment:1' })], me, []],
    [
      'the refusal by our attempt before',
      [
        found(41, { nonce: 'x', state: is.ended('denied') }),
        found(50, { nonce: 'later', attempt: 2, state: is.claimed(soon) }),
      ],
      later,
      [41],
    ],
    [
      'not a refusal by another run',
      [found(41, { nonce: 'x', run: '9', state: is.ended('denied') }), ours],
      me,
      [],
    ],
  ];
  test.each(rows)('%s', (_, cards, onlooker, ids) => {
    expect(idsOf(outdated(cards, holderOf(cards, onlooker, nowMs), onlooker))).toEqual(ids);
  });
});

describe('all onlookers agree on one winner', () => {
  const processes = ['a', 'b', 'c', 'd'].map((nonce, index) => ({
    ...me,
    nonce,
    run: `${index >> 1}`,
    login: bot,
  }));
  const aClaim = fc.record({
    by: fc.constantFrom(...processes),
    generation: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom(is.claimed(soon), is.claimed(past), is.working(active, { until: soon }), is.freed),
    unbound: fc.boolean(),
  });
  const claims = fc.array(aClaim, { minLength: 1, maxLength: 8 }).map((all) =>
    all.map(({ by, generation, state, unbound }, index) => {
      const { nonce, run } = by;
      return found(41 + index, { nonce, run, generation, state }, { unbound });
    }),
  );
  const junk = fc.array(
    fc.constantFrom<(id: number) => Found>(
      (id) => claim(id, { generation: 9 }, { login: 'stranger' }),
      (id) => claim(id, { generation: 9 }, { login: 'other[bot]' }),
      (id) => claim(id, { generation: 9 }, { unedited: false }),
      (id) => ({
        ...found(id, { generation: 9 }),
        comment: { ...found(id).comment, id: id + 1_000, unedited: false },
      }),
      (id) => found(id, { generation: 9, state: is.ended('denied') }),
      (id) => found(id, { generation: 9, key: 'comment:4' }),
    ),
    { maxLength: 5 },
  );
  const thread = fc.tuple(claims, junk).chain(([ours, others]) => {
    const all = [...ours, ...others.map((other, index) => other(10 + index))];
    return fc.record({ ours: fc.constant(ours), all: fc.shuffledSubarray(all, { minLength: all.length }) });
  });

  test('whatever is there, in whatever order, and whatever else is around it', () => {
    fc.assert(
      fc.property(thread, ({ ours, all }) => {
        const standing = processes.map((one) => holderOf(all, one, nowMs));
        const winners = new Set(standing.map(({ last }) => last?.comment.id));
        expect([...winners]).toEqual([statusCommentOf(ours, key, bot)?.comment.id]);
        const [winner] = standing.map(({ last }) => last?.card);
        expect(winner?.generation).toBe(Math.max(...ours.map(({ card: { generation } }) => generation)));
        // Only the process that wrote it goes on; whoever lost takes back what is its own.
        for (const [index, { is, last }] of standing.entries()) {
          const one = processes[index] ?? me;
          if (winner?.state.is !== 'freed') expect(is === 'ours').toBe(winner?.nonce === one.nonce);
          expect(outdated(all, { is, last }, one)).not.toContain(last);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the newest job', () => {
  test('is that of the newest comment, whichever was edited last', () => {
    const [older, newer] = [
      found(41, { state: is.working() }),
      found(51, { state: is.working({ ...active, id: 'job_2' }) }),
    ];
    const edited = found(41, { state: is.ended('pr', completed) });
    expect(merged([older, newer], [edited])).toEqual([edited, newer]);
    expect(newestJob(merged([older, newer], [edited]))).toBe('job_2');
  });

  test('is not hidden by what comes after it, nor that of a copy', () => {
    const states = [
      is.ended('answered', active),
      is.ended('denied'),
      is.claimed(soon),
      is.freed,
      is.ended('unconfirmed'),
    ];
    const after = states.map((state, index) => found(60 + index, { state, key: `comment:${70 + index}` }));
    const copy = found(90, { state: is.working({ ...active, id: 'job_9' }) }, { unbound: true });
    expect(newestJob([found(41, { state: is.working() }), ...after, copy])).toBe('job_0001');
    expect(newestJob([...after, copy])).toBeUndefined();
  });
});

test('an earlier command about to get its job is waited for, for two minutes', () => {
  const waiting = claim(41);
  const copy = { ...waiting, comment: { ...waiting.comment, id: 45 } };
  const before = (cards: Found[], id: number, ms = 46_000) => pendingBefore(cards, id, ms)?.comment.id;
  expect([before([waiting], 42, 41_000 + 119_999), before([waiting], 42, 41_000 + 120_000)]).toEqual([
    41,
    undefined,
  ]);
  expect([before([waiting], 41), before([waiting], 40)]).toEqual([undefined, undefined]);
  expect(before([waiting, copy], 50)).toBe(41);
  expect(before([found(41, { state: is.working() }), copy], 50)).toBeUndefined();
  expect(before([found(41, { state: is.freed }), found(42, { state: is.sent(soon) })], 50)).toBeUndefined();
});

test('somebody who was denied before is known by name', () => {
  const denied = [found(41, { asker: 'stranger', state: is.ended('denied') })];
  expect([wasDenied(denied, 'stranger'), wasDenied(denied, 'strange')]).toEqual([true, false]);
  expect(wasDenied([found(41, { asker: 'stranger' })], 'stranger')).toBe(false);
  expect(card().asker).toBe('maintainer');
});
