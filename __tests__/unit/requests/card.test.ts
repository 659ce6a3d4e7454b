import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as transitions from '../../../src/requests/card.ts';
import { type Card, type CardState, cardSchema, endingOf, looked } from '../../../src/requests/card.ts';
import { pullRequestOf } from '../../../src/requests/job.ts';
import { commentOf } from '../../../src/requests/store.ts';
import type { Job } from '../../../src/service/schemas.ts';
import {
  active,
  card,
  claimedUntil,
  completed,
  ended,
  freed,
  jobIn,
  sentUntil,
  signer,
  working,
} from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

const minuteMs = 60_000;
const nowMs = 100_000;
const [failed, archived, without] = [jobIn('failed'), jobIn('archived'), jobIn('completed')];
const end = ({ outcome, reason } = endingOf(card()) ?? { outcome: '', reason: '' }) =>
  `${outcome} ${reason}`.trim();

/** A state in a word or two: `working active, before completed, until 5`. */
function brief(state: CardState): string {
  if (state.is === 'working') {
    const { job, before, until } = state;
    return `working ${job.status}${before ? `, before ${before.status}` : ''}${until === undefined ? '' : `, until ${until}`}`;
  }
  return 'how' in state ? state.how : state.is;
}

const states = {
  freed,
  claimed: claimedUntil(5),
  sent: sentUntil(5),
  working: working(active, { until: 5 }),
  over: working(completed, { until: 5 }),
  stale: working(completed, { before: completed, until: 5 }),
  late: working(without, { until: 5 }),
  pr: ended('pr', completed),
  denied: ended('denied'),
} satisfies Record<string, CardState>;

const by = { nonce: 'later', run: '8', runUrl: 'https://x.example/8', attempt: 2 };
const stop = { outcome: 'failed', reason: 'github-error' } as const;
const isUnknown = 'unconfirmed';

describe('what an event makes of a card', () => {
  type Row = [
    event: string,
    happens: (card: Card) => Card,
    after: Partial<Record<keyof typeof states, string>>,
  ];
  const rows: Row[] = [
    [
      'it is stopped',
      (one) => transitions.stopped(one, stop),
      {
        freed: 'freed',
        claimed: 'freed',
        sent: isUnknown,
        working: 'working active',
        stale: 'working completed, before completed',
        pr: 'pr',
      },
    ],
    [
      'it is interrupted',
      (one) => transitions.interrupted(one, 'cancelled'),
      {
        freed: 'freed',
        claimed: 'freed',
        sent: isUnknown,
        working: 'working active',
        over: 'pr',
        stale: 'working completed, before completed',
        late: 'working completed',
        pr: 'pr',
        denied: 'denied',
      },
    ],
    [
      'another process takes it over',
      (one) => transitions.takenOver(one, by),
      {
        freed: 'freed',
        claimed: isUnknown,
        sent: isUnknown,
        working: 'working active, until 5',
        stale: 'working completed, before completed, until 5',
        pr: 'pr',
      },
    ],
    [
      'it is watched',
      (one) => transitions.watched(one, 9),
      {
        freed: 'freed',
        sent: 'sent',
        working: 'working active, until 9',
        stale: 'working completed, before completed, until 9',
        pr: 'pr',
      },
    ],
    ['its job is gone', transitions.gone, { working: 'gone', pr: 'gone' }],
    ['nobody can know', transitions.unconfirmed, { claimed: isUnknown, sent: isUnknown }],
    ['it is refused', (one) => transitions.refused(one, nowMs), { sent: 'claimed' }],
    ['it is sent', (one) => transitions.sent(one, 'create', nowMs), { claimed: 'sent' }],
    ['it is claimed', (one) => transitions.claimed(one, 2, nowMs), { freed: 'claimed', denied: 'claimed' }],
    ['it starts anew', (one) => transitions.startedAnew(one, 'Why.'), { pr: 'freed' }],
    ['it has a job', (one) => transitions.working(one, active, undefined), { sent: 'working active' }],
    [
      'its message is taken',
      (one) => transitions.working(one, completed, completed),
      { sent: 'working completed, before completed' },
    ],
    [
      'its message moves the job',
      (one) => transitions.working(one, active, completed),
      { sent: 'working active' },
    ],
    ['it attaches', (one) => transitions.attached(one, completed), { claimed: 'working completed' }],
  ];
  test.each(rows)('%s', (_, happens, after) => {
    const found = Object.keys(after).map((is) => [
      is,
      brief(happens(card({ state: states[is as keyof typeof states] })).state),
    ]);
    expect(Object.fromEntries(found)).toEqual(after);
  });

  test('taken over by a later process, a claim to attach is taken up again', () => {
    const left = card({ ask: 'attach', state: claimedUntil(5), stop, endedAt: 4 });
    expect(transitions.takenOver(left, by)).toEqual({
      ...card({ ask: 'attach', state: claimedUntil(5) }),
      ...by,
    });
    // When it ended stays known of what has ended.
    expect(transitions.takenOver(card({ state: states.pr, endedAt: 4 }), by)).toMatchObject({
      ...by,
      endedAt: 4,
    });
  });

  test('it keeps what is still true of the request, and nothing else', () => {
    const old = card({
      askedAt: 1,
      endedAt: 2,
      head: 'abc',
      notes: ['Old.'],
      comment: { id: 41, url: '' },
      stop,
      ask: 'message',
      state: ended('failed', failed),
    });
    const {
      askedAt: _,
      endedAt: __,
      head: ___,
      stop: ____,
      ...kept
    } = transitions.claimed(transitions.startedAnew(old, 'New.'), 2, nowMs);
    expect(kept).toEqual({
      ...card(),
      notes: ['New.'],
      generation: 2,
      state: claimedUntil(nowMs + 10 * minuteMs),
    });
  });
});

describe('a look at the job', () => {
  const asked = (state: CardState) => card({ askedAt: 0, state });
  const messaged = (before: Job) => asked(working(before, { before }));
  const rows: [shows: string, card: Card, job: Job, ms: number, isLinkFinal: boolean, after: string][] = [
    ['a job at work', asked(working()), active, 0, false, 'working active'],
    ['an unknown status', asked(working()), jobIn('paused'), 0, true, 'working paused'],
    ['a pull request', asked(working()), completed, 0, false, 'pr'],
    ['none yet', asked(working()), without, 0, false, 'working completed'],
    ['none', asked(working()), without, 0, true, 'none'],
    ['a failure', asked(working()), failed, 0, false, 'failed'],
    ['an archived job', asked(working()), archived, 0, false, 'archived'],
    [
      'nothing new after a message',
      messaged(completed),
      completed,
      2 * minuteMs - 1,
      true,
      'working completed, before completed',
    ],
    ['nothing new two minutes after it', messaged(completed), completed, 2 * minuteMs, true, 'unseen'],
    ['another link', messaged(completed), { ...completed, prLink: 'https://x.example/' }, 0, false, 'pr'],
    ['another end', messaged(completed), failed, 0, false, 'failed'],
    ['that the message is taken up', messaged(completed), active, 0, false, 'working active'],
    [
      'no link before and after the message',
      messaged(without),
      without,
      2 * minuteMs,
      false,
      'working completed, before completed',
    ],
    ['none for good', messaged(without), without, 2 * minuteMs, true, 'unseen'],
    [
      'that an unseen message was taken up',
      asked(ended('unseen', completed)),
      active,
      minuteMs,
      true,
      'working active',
    ],
    ['still an unseen message', asked(ended('unseen', completed)), completed, 2 * minuteMs, true, 'unseen'],
    ['that a failed job was revived', asked(ended('failed', failed)), active, 0, true, 'working active'],
  ];
  test.each(rows)('%s', (_, begun, job, ms, isLinkFinal, after) => {
    expect(brief(looked(begun, job, { nowMs: ms, isLinkFinal }).state)).toBe(after);
  });

  test('gives the same card if it shows nothing new, and else drops how an earlier run ended', () => {
    const left = { ...asked(working()), stop, endedAt: 5 };
    expect(looked(left, active, { nowMs, isLinkFinal: true })).toBe(left);
    expect(looked(left, completed, { nowMs, isLinkFinal: true })).toEqual(asked(ended('pr', completed)));
  });
});

describe('how it ends', () => {
  const unusable = { ...completed, prLink: 'ftp://x' };
  const rows: [CardState, string][] = [
    [ended('pr', completed), 'pr-created pull-request'],
    [ended('pr', unusable), 'pr-created unusable-pr-link'],
    [ended('none', without), 'no-changes no-pull-request'],
    [ended('failed', { ...failed, prLink: completed.prLink }), 'failed job-failed'],
    [ended('archived', { ...archived, prLink: completed.prLink }), 'archived job-archived'],
    [ended('gone', active), 'failed not-found'],
    [ended('unconfirmed'), 'failed unconfirmed'],
    [ended('unseen', completed), 'pr-created follow-up-unseen'],
    [ended('unseen', without), 'no-changes follow-up-unseen'],
    [ended('unseen', archived), 'archived follow-up-unseen'],
    [ended('unseen', failed), 'failed job-failed'],
    [ended('answered'), 'answered help'],
    [ended('denied'), 'denied permission'],
    [working(completed), ''],
    [freed, ''],
    [sentUntil(5), ''],
  ];
  test.each(rows)('%j: %s', (state, says) => {
    expect(end(endingOf(card({ state })))).toBe(says);
    expect(end(endingOf(card({ state, stop })))).toBe('failed github-error');
  });
});

describe('the pull request of a job', () => {
  test.each([
    ['https://github.com/octo-org/docs/pull/101/files#diff', '101'],
    ['https://gitlab.com/group/sub/docs/-/merge_requests/42', '42'],
    ['https://gitlab.example.com/docs/merge_requests/42/diffs', '42'],
    ['https://bitbucket.org/team/docs/pull-requests/9', '9'],
    ['https://codeberg.org/team/docs/pulls/5', '5'],
    ['https://github.com/octo-org/docs/pull/12abc', ''],
    [`https://github.com/octo-org/docs/pull/${'9'.repeat(40)}`, ''],
  ])('%s is number %j', (prLink, number) => {
    expect(pullRequestOf({ ...completed, prLink })).toEqual({ url: prLink, number });
  });

  test.each([
    'http://x.example/pull/1',
    'https://u:p@x.example/',
    'https://u@x.example/',
    'javascript:alert(1)',
    '//x.example/',
    '',
  ])('is none at %j', (prLink) => expect(pullRequestOf({ ...completed, prLink })).toBeUndefined());
});

test('whatever it contains, it is read as it was saved, and its comment fits and verifies', () => {
  fc.assert(
    fc.property(hostileCard, (hostile) => {
      expect(cardSchema.parse(JSON.parse(JSON.stringify(hostile)))).toEqual(hostile);
      const body = commentOf(hostile, signer);
      const [line = ''] = body.split('\n', 1);
      expect(line.length).toBeLessThanOrEqual(12 * 1024);
      expect(body.length).toBeLessThan(65_536);
      const { state, notes, stop } = cardSchema.parse(signer.open({ id: 41, login: '', body }));
      expect({ state, notes, stop: stop && end(stop) }).toEqual({
        ...{ state: hostile.state, notes: hostile.notes },
        stop: hostile.stop && end(hostile.stop),
      });
    }),
    { numRuns: 300 },
  );
});
