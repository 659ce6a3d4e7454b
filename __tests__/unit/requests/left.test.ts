import { describe, expect, test } from '@jest/globals';
import { type Card, endingOf } from '../../../src/requests/card.ts';
import { afterLook, byTurn, type Look, leftIn } from '../../../src/requests/left.ts';
import { active, completed, found, is, jobIn, pullIn, signer } from '../../support/samples/cards.ts';

/* Cards that no process follows anymore, and what happens to them. Comment 41 was written 41 s after the epoch. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const writtenMs = 41_000;
const until = writtenMs + 30 * minuteMs;
const stop = { outcome: 'timed-out', reason: 'given-up' } as const;

const owner = { project: { id: 'prj_1', name: 'prj_1' }, signerOf: () => signer };

function left(ms: number, ...cards: ReturnType<typeof found>[]): string {
  const comments = new Map([[7, cards.map(({ comment }) => comment)]]);
  const all = leftIn(comments, owner, writtenMs + ms);
  const ids = (old: boolean) =>
    all.flatMap(({ comment, isOutdated }) => (isOutdated === old ? comment.id : [])).join(' ');
  return `open ${ids(false)}, outdated ${ids(true)}`;
}

describe('what was left', () => {
  const claim = { state: is.claimed(0) };
  const followed = { state: is.working(active, { until }) };
  const rows: [what: string, Partial<Card>, ms: number, isOpen: boolean][] = [
    ['a job that nobody follows', { state: is.working() }, 0, true],
    ['not one that is followed, nor ten minutes after', followed, 40 * minuteMs - 1, false],
    ['but then', followed, 40 * minuteMs, true],
    ['not one that was given up', { state: is.working(), stop }, 14 * dayMs, false],
    ['a claim', claim, 0, true],
    ['a request', { state: is.sent(0) }, 0, true],
    ['a pull request that may be merged or closed', { state: is.ended('pr', completed) }, dayMs, true],
    ['not one that was merged', { state: is.ended('pr', completed), pull: pullIn('merged') }, dayMs, false],
    [
      'nor one that the token can’t see',
      { state: is.ended('pr', completed), pull: pullIn('unseen') },
      0,
      false,
    ],
    [
      'one that was closed, since it may be reopened',
      { state: is.ended('pr', completed), pull: pullIn('closed') },
      0,
      true,
    ],
    ['not an end without one', { state: is.ended('none', jobIn('completed')) }, dayMs, false],
    ['nor what nobody can know', { state: is.ended('unconfirmed') }, dayMs, false],
    ['nor an answer', { state: is.ended('answered') }, dayMs, false],
    ['nor what was freed', { state: is.freed }, dayMs, false],
  ];
  test.each(rows)('%s', (_, patch, ms, isOpen) => {
    expect(left(ms, found(41, patch))).toBe(isOpen ? 'open 41, outdated ' : 'open , outdated ');
  });

  test('is what counts for each trigger, and what a run should have deleted', () => {
    const [first, second] = [found(41, claim), found(43, { state: is.working(), generation: 2 })];
    const other = found(42, { key: 'comment:39', state: is.working() });
    const beside = found(41, { ...claim, nonce: 'x', run: '8', generation: 2 });
    expect(left(hourMs, second, other, first)).toBe('open 42 43, outdated 41');
    expect(left(hourMs - 1, second, other, first)).toBe('open 42 43, outdated ');
    expect(left(hourMs, second, beside)).toBe('open 43, outdated ');
  });

  test('is no unbound claim that was edited, or is not by who writes our comments', () => {
    const unbound = (about: object) => found(41, claim, { unbound: true, ...about });
    const ours = found(30, { key: 'comment:29', state: is.ended('none', jobIn('completed')) });
    const others = [unbound({ unedited: false }), unbound({ login: 'stranger' })];
    expect(others.map((one) => left(hourMs, one))).toEqual(['open , outdated ', 'open , outdated ']);
    expect(left(hourMs, ours, unbound({ login: 'other[bot]' }))).toBe('open , outdated ');
    expect(left(hourMs, ours, unbound({}))).toBe('open 41, outdated ');
  });

  test('is looked at from the oldest, and last where that was in vain before', () => {
    const ids = [found(44, { checkedAt: 2 }), found(43), found(42, { checkedAt: 3 }), found(41)].sort(byTurn);
    expect(ids.map(({ comment }) => comment.id)).toEqual([41, 43, 44, 42]);
  });
});

describe('what becomes of it', () => {
  const atWork = { askedAt: writtenMs, state: is.working() };
  const stale = { askedAt: writtenMs, state: is.working(completed, { before: completed }) };
  const rows: [what: string, Partial<Card>, Look, ms: number, becomes: string][] = [
    ['a pull request', atWork, completed, 0, 'pr-created pull-request'],
    ['a failure', atWork, jobIn('failed'), 0, 'failed job-failed'],
    ['a job at work', atWork, active, 14 * dayMs - 1, 'same'],
    ['an unknown status', atWork, jobIn('paused'), dayMs, 'same'],
    ['at work for too long', atWork, active, 14 * dayMs, 'timed-out given-up'],
    ['not looked at', atWork, undefined, 14 * dayMs, 'unknown'],
    ['gone', atWork, 'gone', 2 * minuteMs, 'failed not-found'],
    ['not known yet', atWork, 'gone', 2 * minuteMs - 1, 'same'],
    ['a claim', { state: is.claimed(0) }, undefined, dayMs, 'same'],
    ['a claim that is too old', { state: is.claimed(0) }, undefined, 14 * dayMs, 'failed unconfirmed'],
    ['as before a message', stale, completed, 2 * minuteMs - 1, 'same'],
    ['still as before a message', stale, completed, 2 * minuteMs, 'pr-created follow-up-unseen'],
    ['another link', stale, { ...completed, prLink: 'https://x.example' }, 0, 'pr-created pull-request'],
  ];
  test.each(rows)('%s', (_, patch, look, ms, becomes) => {
    const { card } = found(41, patch);
    const after = afterLook(card, look, writtenMs + ms, ms >= 14 * dayMs);
    const end = after === card ? 'same' : Object.values((after && endingOf(after)) ?? {}).join(' ');
    expect(end || 'unknown').toBe(becomes);
  });
});
