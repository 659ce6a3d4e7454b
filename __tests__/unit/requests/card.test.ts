import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Card,
  type Ending,
  endingOf,
  pullRequestOf,
} from '../../../src/requests/card/card.ts';
import { observePull, type SeenPullRequest } from '../../../src/requests/card/pull.ts';
import * as become from '../../../src/requests/card/transitions.ts';
import { fromStored, toStored } from '../../../src/requests/card/versions.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import type { Job } from '../../../src/service/schemas.ts';
import {
  active,
  card,
  completed,
  is,
  jobIn,
  pullIn,
  shown,
  signer,
} from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

const minuteMs = 60_000;
const nowMs = 100_000;
const [failed, archived, without] = [jobIn('failed'), jobIn('archived'), jobIn('completed')];
const end = (ending?: Ending) => (ending === undefined ? '' : `${ending.outcome} ${ending.reason}`);

/** A short name for a state. `@5` means that the job is watched until 5, and `?` that its status may be outdated. */
function brief(state: Card['state']): string {
  if (state.is !== 'working') return 'how' in state ? state.how : state.is;
  const { job, before, until } = state;
  return `${job.status}${before === undefined ? '' : '?'}${until === undefined ? '' : `@${until}`}`;
}

const states = {
  freed: is.freed,
  claimed: is.claimed(5),
  sent: is.sent(5),
  working: is.working(active, { until: 5 }),
  over: is.working(completed, { until: 5 }),
  stale: is.working(completed, { before: completed, until: 5 }),
  late: is.working(without, { until: 5 }),
  pr: is.ended('pr', completed),
  denied: is.ended('denied'),
} satisfies Record<string, Card['state']>;

const by = { nonce: 'later', run: '8', runUrl: 'https://x.example/8', attempt: 2 };
const stop = { outcome: 'failed', reason: 'github-error' } as const;

describe('a card changes its state', () => {
  const stops = (one: Card) => become.stopRun(one, stop);
  const interrupts = (one: Card) => become.interruptRun(one, 'cancelled');
  const takes = (one: Card) => become.takeOver(one, by);
  const watches = (one: Card) => become.watchUntil(one, 9);
  const rows: [event: string, happens: (card: Card) => Card, after: string][] = [
    ['stopped', stops, 'freed→freed claimed→freed sent→unconfirmed working→active'],
    ['stopped', stops, 'stale→completed? late→completed pr→pr'],
    [
      'interrupted',
      interrupts,
      'freed→freed claimed→freed sent→unconfirmed working→active over→pr',
    ],
    ['interrupted', interrupts, 'stale→completed? late→completed pr→pr denied→denied'],
    ['taken over', takes, 'freed→freed claimed→unconfirmed sent→unconfirmed'],
    ['taken over', takes, 'working→active@5 stale→completed?@5 pr→pr'],
    ['watched', watches, 'freed→freed sent→sent working→active@9 stale→completed?@9 pr→pr'],
    ['ended', (one) => become.endRequest(one, 'gone'), 'working→gone pr→gone sent→gone'],
    ['sent', (one) => become.markSent(one, 'create', nowMs), 'claimed→sent'],
    ['claimed', (one) => become.markClaimed(one, nowMs), 'freed→claimed sent→claimed'],
    ['started over', (one) => become.startRequestOver(one, 'Why.'), 'pr→freed'],
    ['working', (one) => become.markWorking(one, active), 'sent→active'],
    ['working', (one) => become.markWorking(one, completed, completed), 'sent→completed?'],
    ['working', (one) => become.markWorking(one, active, completed), 'sent→active'],
  ];
  test.each(rows)('when it is %s', (_, happens, after) => {
    const from = after.split(' ').map((change) => change.split('→')[0] as keyof typeof states);
    const changes = from.map(
      (name) => `${name}→${brief(happens(card({ state: states[name] })).state)}`,
    );
    expect(changes.join(' ')).toBe(after);
  });

  test('when it is taken over, but a claim to attach stays a claim', () => {
    const open = card({ ask: 'attach', state: is.claimed(5), stop, endedAt: 4 });
    expect(become.takeOver(open, by)).toEqual({
      ...card({ ask: 'attach', state: is.claimed(5) }),
      ...by,
    });
    // A request that has ended keeps its end time.
    const over = card({ state: states.pr, stop, endedAt: 4 });
    expect(become.takeOver(over, by)).toEqual({
      ...card({ state: states.pr, endedAt: 4 }),
      ...by,
    });
  });

  test('when it starts over, and loses everything about its job', () => {
    const place = { comment: { id: 41, url: '' }, login: 'bot' };
    const before: Partial<Card> = {
      ...place,
      askedAt: 1,
      endedAt: 2,
      head: 'abc',
      remarks: [{ place: 'fold', text: 'Old.' }],
      stop,
    };
    const again = become.startRequestOver(
      card({ ...before, ask: 'message', state: is.ended('gone') }),
      'New.',
    );
    expect(again).toEqual(
      card({ ...place, sentBefore: [1], remarks: [{ place: 'comment', text: 'New.' }] }),
    );
  });
});

describe('a check of the job', () => {
  const asked = (state: Card['state']) => card({ askedAt: 0, state });
  const messaged = (before: Job) => asked(is.working(before, { before }));
  const rows: [
    shows: string,
    card: Card,
    job: Job,
    ms: number,
    isLinkFinal: boolean,
    after: string,
  ][] = [
    ['an unknown status', asked(is.working()), jobIn('paused'), 0, true, 'paused'],
    [
      'nothing new after a message',
      messaged(completed),
      completed,
      2 * minuteMs - 1,
      true,
      'completed?',
    ],
    ['nothing new two minutes later', messaged(completed), completed, 2 * minuteMs, true, 'unseen'],
    [
      'another link',
      messaged(completed),
      { ...completed, prLink: 'https://x.example/' },
      0,
      false,
      'pr',
    ],
    ['another result', messaged(completed), failed, 0, false, 'failed'],
    ['a running job after a message', messaged(completed), active, 0, false, 'active'],
    [
      'no link before and after the message',
      messaged(without),
      without,
      2 * minuteMs,
      false,
      'completed?',
    ],
    [
      'no link two minutes after a message',
      messaged(without),
      without,
      2 * minuteMs,
      true,
      'unseen',
    ],
    ['a running job later', asked(is.ended('unseen', completed)), active, minuteMs, true, 'active'],
    [
      'nothing new later',
      asked(is.ended('unseen', completed)),
      completed,
      2 * minuteMs,
      true,
      'unseen',
    ],
    ['a running job after a failure', asked(is.ended('failed', failed)), active, 0, true, 'active'],
  ];
  test.each(rows)('finds %s', (_, begun, job, ms, isLinkFinal, after) => {
    expect(brief(become.observe(begun, { job, isLinkFinal }, ms).state)).toBe(after);
  });

  test('returns the same card if nothing is new, and otherwise drops how an earlier run ended', () => {
    const open = { ...asked(is.working()), stop, endedAt: 5 };
    expect(become.observe(open, { job: active, isLinkFinal: true }, nowMs)).toBe(open);
    expect(become.observe(open, { job: completed, isLinkFinal: true }, nowMs)).toEqual(
      asked(is.ended('pr', completed)),
    );
  });
});

describe('a check of the pull request', () => {
  const look: SeenPullRequest = {
    ...{ mergeCommitSha: undefined, baseRef: 'main', defaultBranch: 'main', isPrivate: false },
    closedAtMs: undefined,
    ...{
      state: 'open',
      shown,
      headSha: 'b',
      checkedSha: 'b',
      mergedAtMs: undefined,
      isDraft: false,
    },
    ...{ createdAtMs: 0, author: { login: 'docs-agent[bot]', isBot: true } },
  };
  const pr = is.ended('pr', completed);
  const seen = (patch: Partial<Card>, one: Partial<SeenPullRequest> | undefined) =>
    observePull(card({ state: pr, ...patch }), one ? { ...look, ...one } : 'unseen');

  test('shows whether a message moved its head, which means that the job picked up the message', () => {
    const before = { pull: pullIn('open', { head: 'a' }) };
    expect(seen(before, {}).pull).toEqual(pullIn('open', { shown, openedAt: 0, isUpdated: true }));
    expect(seen(before, { headSha: 'a' }).pull).toEqual(
      pullIn('open', { shown, openedAt: 0, isUpdated: false }),
    );
    const unseen = { ...before, state: is.ended('unseen', completed) };
    expect(seen(unseen, {}).state).toEqual(pr);
    expect(seen(unseen, { headSha: 'a' }).state).toEqual(unseen.state);
  });

  test('ignores what was known about another link', () => {
    const old = { pull: { ...pullIn('merged'), url: 'https://github.com/octo-org/docs/pull/7' } };
    expect(seen(old, {}).pull).toEqual(pullIn('open', { shown, openedAt: 0 }));
    const none = card({ state: is.ended('none', without) });
    expect(observePull(none, look)).toBe(none);
  });
});

describe('the result of a request', () => {
  const unusable = { ...completed, prLink: 'ftp://x' };
  const rows: [Card['state'], string][] = [
    [is.ended('pr', unusable), 'pr-created unusable-pr-link'],
    [is.ended('failed', { ...failed, prLink: completed.prLink }), 'failed job-failed'],
    [is.ended('archived', { ...archived, prLink: completed.prLink }), 'archived job-archived'],
    [is.ended('unseen', without), 'no-changes follow-up-unseen'],
    [is.ended('unseen', archived), 'archived follow-up-unseen'],
    [is.ended('unseen', failed), 'failed job-failed'],
    [is.ended('answered'), 'answered help'],
    [is.ended('denied'), 'denied permission'],
    [is.working(completed), ''],
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
    ['https://github.com/pull/7/pull/101', '101'],
    ['https://github.com/octo-org/docs/pull/12abc', ''],
    ['https://github.com/octo-org/docs/pull/0012', ''],
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
  ])('is not at %j', (prLink) => expect(pullRequestOf({ ...completed, prLink })).toBeUndefined());
});

test('a hostile card is read exactly as it was saved, and its comment fits and has a valid signature', () => {
  fc.assert(
    fc.property(hostileCard, (hostile) => {
      expect(fromStored(JSON.parse(JSON.stringify(toStored(hostile))))).toMatchObject(hostile);
      const body = commentOf(hostile, signer);
      const [line = ''] = body.split('\n', 1);
      expect(line.length).toBeLessThanOrEqual(12 * 1024);
      expect(body.length).toBeLessThan(65_536);
      const { state, remarks, stop } = fromStored(signer.open({ id: 41, body })) ?? card();
      expect([state, remarks]).toEqual([hostile.state, hostile.remarks]);
      expect(end(stop)).toBe(end(hostile.stop));
    }),
    { numRuns: 150 },
  );
});
