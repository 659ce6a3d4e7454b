import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Card } from '../../../src/requests/card/card.ts';
import {
  findObsolete,
  holderOf,
  pendingBefore,
  type Reader,
  statusCommentOf,
  wasDenied,
} from '../../../src/requests/thread/claims.ts';
import { mergeReads, type PostedCard } from '../../../src/requests/thread/find.ts';
import { newestJob } from '../../../src/requests/thread/jobs.ts';
import { active, completed, found, is } from '../../support/samples/cards.ts';

const nowMs = 100_000;
const [soon, past] = [nowMs + 1, nowMs - 1];
const [claimed, followed] = [is.claimed(soon), is.working(active, { until: soon })];
const key = 'comment:40';
const [bot, other] = ['github-actions[bot]', 'other[bot]'];
const me: Reader = { key, nonce: 'me', run: '7000000001', attempt: 1, login: undefined };
const later = { ...me, nonce: 'later', attempt: 2 };

/** A claim that doesn't contain its comment's ID yet. Another process wrote it, unless `patch` says otherwise. */
const claim = (id: number, about: Partial<PostedCard['comment']> = {}, patch: Partial<Card> = {}) =>
  found(id, { nonce: 'other', state: claimed, ...patch }, { unbound: true, ...about });
const idsOf = (all: readonly PostedCard[]) => all.map(({ comment }) => comment.id);

test('the status comment is the one with a job, even if another claim has a lower ID', () => {
  const withJob = found(50, { state: is.working() });
  for (const cards of [
    [claim(41), withJob],
    [withJob, claim(41)],
  ])
    expect(statusCommentOf(cards, { key }, undefined)).toBe(withJob);
});

test('a request that a later attempt of our run claimed is not ours', () => {
  const last = found(41, { nonce: 'other', state: claimed, attempt: 3 });
  expect(holderOf([last], later, nowMs)).toEqual({ is: 'elsewhere', last });
});

describe('obsolete comments', () => {
  const ofProcess = (nonce: string) => found(50, { nonce, state: claimed, generation: 2 });
  const [ours, theirs] = [ofProcess('me'), ofProcess('x')];
  const before = found(41, { nonce: 'before', run: '9', state: is.ended('failed', active) });
  const mine = (id: number, about = {}) => claim(id, about, { nonce: 'me' });
  const denial = (run: string) => found(41, { nonce: 'x', run, state: is.ended('denied') });
  const ofLater = found(50, { nonce: 'later', attempt: 2, state: claimed });
  const rows: [what: string, cards: PostedCard[], onlooker: Reader, ids: number[]][] = [
    ['include the comment that our claim replaces', [before, ours], me, [41]],
    ['don’t include one that another run’s claim replaces', [before, theirs], me, []],
    ['include our claim if we wrote it twice', [mine(41), mine(42)], me, [42]],
    ['include our claims that lost', [claim(40), mine(41), mine(42)], me, [41, 42]],
    [
      'include our previous attempt’s claim that lost',
      [claim(40, {}, { run: '9' }), mine(41)],
      later,
      [41],
    ],
    [
      'don’t include another run’s claim that lost',
      [mine(41), claim(42, {}, { run: '9' })],
      me,
      [],
    ],
    ['don’t include a pasted copy', [found(41), mine(42, { login: 'stranger' })], later, []],
    ['don’t include an edited claim', [found(41), mine(42, { unedited: false })], later, []],
    ['don’t include one for another trigger', [ours, found(41, { key: 'comment:1' })], me, []],
    ['include a denial from our previous attempt', [denial(me.run), ofLater], later, [41]],
    ['don’t include a denial from another run', [denial('9'), ours], me, []],
  ];
  test.each(rows)('%s', (_, cards, onlooker, ids) => {
    expect(idsOf(findObsolete(cards, holderOf(cards, onlooker, nowMs), onlooker))).toEqual(ids);
  });
});

describe('all processes agree on one winner', () => {
  const processes = ['a', 'b', 'c', 'd'].map((nonce) => {
    return { ...me, nonce, run: nonce < 'c' ? '1' : '2', login: bot };
  });
  const claims = fc.array(
    fc.record({
      by: fc.constantFrom(...processes),
      generation: fc.integer({ min: 1, max: 3 }),
      state: fc.constantFrom(claimed, is.claimed(past), followed, is.freed),
      unbound: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  );
  /** Invalid claims. They must never win, although their generation is higher. */
  const junk = fc.array(
    fc.constantFrom<(id: number) => PostedCard>(
      (id) => claim(id, { login: 'stranger' }, { generation: 9 }),
      (id) => claim(id, { login: other }, { generation: 9 }),
      (id) => claim(id, { unedited: false }, { generation: 9 }),
      (id) =>
        found(
          id,
          { generation: 9, comment: { id: id + 1, url: '' }, state: followed },
          { unbound: true, unedited: false },
        ),
      (id) => found(id, { generation: 9, state: is.ended('denied') }),
      (id) => found(id, { generation: 9, key: 'comment:4' }),
    ),
    { maxLength: 5 },
  );

  test('for any claims, in any order, among any invalid claims', () => {
    fc.assert(
      fc.property(claims, junk, fc.infiniteStream(fc.nat()), (written, others, order) => {
        const ours = written.map(({ by: { nonce, run }, generation, state, unbound }, index) =>
          found(41 + index, { nonce, run, generation, state }, { unbound }),
        );
        const all = [...ours, ...others.map((one, index) => one(10 + index))]
          .map((one) => ({ one, at: order.next().value }))
          .sort((one, another) => one.at - another.at)
          .map(({ one }) => one);
        const holders = processes.map((one) => holderOf(all, one, nowMs));
        const [winner] = holders.map(({ last }) => last);
        expect(new Set(holders.map(({ last }) => last))).toEqual(
          new Set([statusCommentOf(ours, { key }, bot)]),
        );
        expect(winner?.card.generation).toBe(
          Math.max(...written.map(({ generation }) => generation)),
        );
        for (const [index, { is: whose, last }] of holders.entries()) {
          const one = processes[index] ?? me;
          const isOwn = winner?.card.nonce === one.nonce && winner.card.state.is !== 'freed';
          expect(whose === 'ours').toBe(isOwn);
          expect(findObsolete(all, { is: whose, last }, one)).not.toContain(last);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the newest job', () => {
  test('is in the newest comment, even if another one was edited later', () => {
    const older = found(41, { state: is.working() });
    const newer = found(51, { state: is.working({ ...active, id: 'job_2' }) });
    const edited = found(41, { state: is.ended('pr', completed) });
    expect(mergeReads([older, newer], [edited])).toEqual([edited, newer]);
    expect(newestJob(mergeReads([older, newer], [edited]))).toEqual({
      jobId: 'job_2',
      askedAt: undefined,
    });
  });

  test('is found before comments without a job, and never in a copy', () => {
    const ended = [is.ended('answered', active), is.ended('denied'), is.ended('unconfirmed')];
    const states = [...ended, is.claimed(soon), is.freed];
    const after = states.map((state, index) =>
      found(60 + index, { state, key: `comment:${70 + index}` }),
    );
    const copy = found(90, { state: is.working({ ...active, id: 'job_9' }) }, { unbound: true });
    const first = found(41, { state: is.working(), askedAt: 5 });
    expect(newestJob([first, ...after, copy])).toEqual({ jobId: 'job_0001', askedAt: 5 });
    expect(newestJob([...after, copy])).toBeUndefined();
  });
});

test('a command waits up to two minutes for the newest earlier command that has no job yet', () => {
  const waiting = claim(41);
  const copy = { ...waiting, comment: { ...waiting.comment, id: 45 } };
  const before = (cards: PostedCard[], id: number, ms = 46_000) =>
    pendingBefore(cards, id, ms)?.comment.id;
  expect([
    before([waiting], 42, 41_000 + 119_999),
    before([waiting], 42, 41_000 + 120_000),
  ]).toEqual([41, undefined]);
  expect([before([waiting], 41), before([waiting], 40)]).toEqual([undefined, undefined]);
  expect(before([waiting, copy], 50)).toBe(41);
  expect(before([waiting, claim(43, {}, { key: 'comment:42' })], 50)).toBe(43);
  expect(before([found(41, { state: is.working() }), copy], 50)).toBeUndefined();
  expect(
    before([found(41, { state: is.freed }), found(42, { state: is.sent(soon) })], 50),
  ).toBeUndefined();
});

test('an earlier denial is recognized by its login', () => {
  const denied = [found(41, { requester: 'stranger', state: is.ended('denied') })];
  expect([wasDenied(denied, 'stranger'), wasDenied(denied, 'strange')]).toEqual([true, false]);
  expect(wasDenied([found(41, { requester: 'stranger' })], 'stranger')).toBe(false);
});
