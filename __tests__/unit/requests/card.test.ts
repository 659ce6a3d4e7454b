import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSigner, type SignerScope, startsWithMarker } from '../../../src/core/sign.ts';
import type { ThreadComment } from '../../../src/github/changes.ts';
import {
  type Card,
  type Ending,
  endingOf,
  fromStored,
  pullRequestOf,
  toStored,
} from '../../../src/requests/card/card.ts';
import { observePull, type SeenPullRequest } from '../../../src/requests/card/pull.ts';
import { whyNew } from '../../../src/requests/card/remarks.ts';
import * as become from '../../../src/requests/card/transitions.ts';
import {
  type Candidate,
  candidateFor,
  choose,
  mayStartOver,
} from '../../../src/requests/run/choose.ts';
import type { Plan } from '../../../src/requests/run/plan.ts';
import {
  type Claimant,
  findHolder,
  findObsolete,
  pendingBefore,
  statusCommentOf,
  wasDenied,
} from '../../../src/requests/thread/claims.ts';
import { cardsIn, mergeReads, type PostedCard } from '../../../src/requests/thread/find.ts';
import { newestJob } from '../../../src/requests/thread/jobs.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import type { Job } from '../../../src/service/schemas.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import { plain } from '../../support/plain.ts';
import {
  active,
  card,
  completed,
  found,
  is,
  jobIn,
  owner,
  pullIn,
  scope,
  shown,
  signer,
} from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

describe('a card', () => {
  const minuteMs = 60_000;
  const nowMs = 100_000;
  const [failed, archived, without] = [jobIn('failed'), jobIn('archived'), jobIn('completed')];
  const end = (ending?: Ending) =>
    ending === undefined ? '' : `${ending.outcome} ${ending.reason}`;

  /** A short name for a state. `@5` means that the job is watched until 5, and `?` that its status may be outdated. */
  function brief(state: Card['state']): string {
    if (state.is !== 'working') return 'how' in state ? state.how : state.is;
    const { job, before, until } = state;
    return `${job.status}${before === undefined ? '' : '?'}${until === undefined ? '' : `@${until}`}`;
  }

  const states = {
    freed: is.freed,
    claimed: is.claimed,
    sending: is.sending,
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
      ['stopped', stops, 'freed→freed claimed→freed sending→unconfirmed working→active'],
      ['stopped', stops, 'stale→completed? late→completed pr→pr'],
      [
        'interrupted',
        interrupts,
        'freed→freed claimed→freed sending→unconfirmed working→active over→pr',
      ],
      ['interrupted', interrupts, 'stale→completed? late→completed pr→pr denied→denied'],
      ['taken over', takes, 'freed→freed claimed→freed sending→unconfirmed'],
      ['taken over', takes, 'working→active@5 stale→completed?@5 pr→pr'],
      ['watched', watches, 'freed→freed sending→sending working→active@9 stale→completed?@9 pr→pr'],
      ['ended', (one) => become.endRequest(one, 'gone'), 'working→gone pr→gone sending→gone'],
      ['sending', (one) => become.markSending(one, 'create', nowMs), 'claimed→sending'],
      ['claimed', become.markClaimed, 'freed→claimed sending→claimed'],
      ['started over', (one) => become.startRequestOver(one, 'Why.'), 'pr→freed'],
      ['working', (one) => become.markWorking(one, active), 'sending→active'],
      ['working', (one) => become.markWorking(one, completed, completed), 'sending→completed?'],
      ['working', (one) => become.markWorking(one, active, completed), 'sending→active'],
    ];
    test.each(rows)('when it is %s', (_, happens, after) => {
      const from = after.split(' ').map((change) => change.split('→')[0] as keyof typeof states);
      const changes = from.map(
        (name) => `${name}→${brief(happens(card({ state: states[name] })).state)}`,
      );
      expect(changes.join(' ')).toBe(after);
    });

    test('when it is taken over, and keeps its end time only if it has ended', () => {
      const open = card({ state: is.working(), stop, endedAt: 4 });
      expect(become.takeOver(open, by)).toEqual({ ...card({ state: is.working() }), ...by });
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
      [
        'nothing new two minutes later',
        messaged(completed),
        completed,
        2 * minuteMs,
        true,
        'unseen',
      ],
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
      [
        'a running job later',
        asked(is.ended('unseen', completed)),
        active,
        minuteMs,
        true,
        'active',
      ],
      [
        'nothing new later',
        asked(is.ended('unseen', completed)),
        completed,
        2 * minuteMs,
        true,
        'unseen',
      ],
      [
        'a running job after a failure',
        asked(is.ended('failed', failed)),
        active,
        0,
        true,
        'active',
      ],
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
        headRef: 'docs/1',
        headSha: 'b',
        checkedSha: 'b',
        mergedAtMs: undefined,
        isFromFork: false,
        isDraft: false,
      },
      ...{ createdAtMs: 0, author: { login: 'docs-agent[bot]', isBot: true } },
    };
    const pr = is.ended('pr', completed);
    const seen = (patch: Partial<Card>, one: Partial<SeenPullRequest> | undefined) =>
      observePull(card({ state: pr, ...patch }), one ? { ...look, ...one } : 'unseen');

    test('shows whether a message moved its head, which means that the job picked up the message', () => {
      const before = { pull: pullIn('open', { head: 'a' }) };
      expect(seen(before, {}).pull).toEqual(
        pullIn('open', { shown, openedAt: 0, isUpdated: true }),
      );
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
        const { state, remarks, stop } =
          fromStored(signer.open({ id: 41, body, unedited: false })) ?? card();
        expect([state, remarks]).toEqual([hostile.state, hostile.remarks]);
        expect(end(stop)).toBe(end(hostile.stop));
      }),
      { numRuns: 150 },
    );
  });
});

describe('choosing a job', () => {
  /* Which job gets a prompt, and why. */

  type Ask = Plan['ask'];

  const withJob = found(20, { key: 'comment:19', state: is.ended('pr', completed) });
  const claim = found(25, { key: 'comment:24', state: is.claimed });
  const pullRequest = { url: completed.prLink ?? '', createdAtMs: 0 };
  const again = { sentBefore: [5] };

  describe('where a job is looked for', () => {
    const sources: [
      what: string,
      ask: Partial<Ask>,
      cards: (typeof withJob)[],
      where: string,
      about?: object,
    ][] = [
      ['a thread without a job', {}, [], 'nowhere'],
      ['a thread with a job', {}, [withJob], 'thread job_0001'],
      ['a thread with a job and a newer claim', {}, [withJob, claim], 'thread job_0001'],
      ['the agent’s pull request', {}, [], 'pull request', { pullRequest }],
      [
        'the agent’s pull request, whose thread has a job',
        {},
        [withJob],
        'thread job_0001',
        { pullRequest },
      ],
      ['--new', { continues: 'never' }, [withJob], 'nowhere'],
      ['a request that starts over', {}, [withJob], 'nowhere', again],
      ['a series', { continues: 'repository' }, [withJob], 'repository'],
      ['a job from the inputs', { jobId: 'job_0009' }, [withJob], 'inputs job_0009'],
      [
        'a job from the inputs, started over',
        { jobId: 'job_0009' },
        [withJob],
        'inputs job_0009',
        again,
      ],
    ];
    test.each(sources)('%s', (_, ask, cards, where, about = {}) => {
      const usual = {
        prompt: 'Add it.',
        jobId: undefined,
        continues: 'thread',
        wait: true,
      } as const;
      const source = candidateFor({ ...about }, cards, { ...about, ask: { ...usual, ...ask } });
      expect(source.jobId === undefined ? source.in : `${source.in} ${source.jobId}`).toBe(where);
    });
  });

  describe('the job that gets the prompt', () => {
    const jobId = 'job_0001';
    const closed = { state: 'closed', headSha: '' } as const;
    const rows: [what: string, source: Candidate['in'], found: Omit<Candidate, 'in'>][] = [
      ['none is known', 'nowhere', {}],
      ['earlier requests used another key', 'nowhere', { why: whyNew.otherKey('in this thread') }],
      ['the thread’s job has a pull request', 'thread', { jobId, job: completed }],
      ['the thread’s job failed', 'thread', { jobId, job: jobIn('failed') }],
      ['the thread’s job is archived', 'thread', { jobId, job: jobIn('archived') }],
      ['the thread’s job is gone', 'thread', { jobId }],
      ['its pull request was closed', 'thread', { jobId, job: completed, pull: closed }],
      [
        'its pull request was merged',
        'thread',
        { jobId, job: completed, pull: { ...closed, state: 'merged' } },
      ],
      [
        'its pull request is open',
        'thread',
        { jobId, job: completed, pull: { ...closed, state: 'open' } },
      ],
      ['the pull request’s job', 'pull request', { jobId, job: active }],
      ['the pull request’s job is archived', 'pull request', { jobId, job: jobIn('archived') }],
      ['the pull request’s job is gone', 'pull request', { jobId }],
      ['no job opened the pull request', 'pull request', {}],
      ['the inputs name an archived job', 'inputs', { jobId, job: jobIn('archived') }],
      [
        'the inputs name a job with a closed pull request',
        'inputs',
        { jobId, job: completed, pull: closed },
      ],
      ['a series has an open job', 'repository', { jobId, job: active }],
      ['a series has none', 'repository', {}],
      [
        'a series whose pull request can’t be seen',
        'repository',
        { why: whyNew.unseen('https://x') },
      ],
    ];
    test('depends on where it was found, and why it is a new one is said', () => {
      const choices = rows.map(([what, source, candidate]) => {
        const { job, why } = choose({ in: source, ...candidate });
        return `${what}: ${job?.status ?? (why === undefined ? 'new' : `new: ${why}`)}`;
      });
      expect(choices).toMatchSnapshot();
    });
  });

  test('only a later attempt starts over, and only if the job of an earlier process failed', () => {
    const ended = (how: 'failed' | 'archived' | 'gone' | 'pr' | 'unconfirmed', attempt = 2): Card =>
      card({ state: is.ended(how, active), attempt });
    const hows = ['failed', 'archived', 'gone', 'pr', 'unconfirmed'] as const;
    expect(hows.filter((how) => mayStartOver(ended(how), ended(how)))).toEqual([
      'failed',
      'archived',
      'gone',
    ]);
    expect(hows.filter((how) => mayStartOver(ended(how, 1), ended(how)))).toEqual([]);
    expect(hows.filter((how) => mayStartOver(ended(how), undefined))).toEqual([]);
    expect(mayStartOver(card({ state: is.working(), attempt: 2 }), card())).toBe(false);
  });
});

describe('claims', () => {
  const nowMs = 100_000;
  const soon = nowMs + 1;
  const [claimed, followed] = [is.claimed, is.working(active, { until: soon })];
  const key = 'comment:40';
  const [bot, other] = ['github-actions[bot]', 'other[bot]'];
  const me: Claimant = { key, nonce: 'me', run: '7000000001', attempt: 1, login: undefined };
  const later = { ...me, nonce: 'later', attempt: 2 };

  /** A claim that doesn't contain its comment's ID yet. Another process wrote it, unless `patch` says otherwise. */
  const claim = (
    id: number,
    about: Partial<PostedCard['comment']> = {},
    patch: Partial<Card> = {},
  ) => found(id, { nonce: 'other', state: claimed, ...patch }, { unbound: true, ...about });
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
    expect(findHolder([last], later, nowMs)).toEqual({ is: 'elsewhere', statusComment: last });
  });

  describe('who owns a request', () => {
    const touched = { unedited: false };
    const hourMs = 3_600_000;
    const mine = claim(45, {}, { nonce: 'me', generation: 1 });
    const sending = (patch: Partial<Card>) => found(41, { state: is.sending, ...patch });
    const ofOther = { nonce: 'other', run: '9' };
    const ofEarlier = { nonce: 'other', attempt: 0 };
    const rows: [what: string, cards: PostedCard[], owner: string, ms?: number][] = [
      ['an older claim', [claim(41), mine], 'elsewhere 41'],
      ['an older claim that someone touched', [claim(41, touched), mine], 'elsewhere 41'],
      ['a newer claim that someone touched', [mine, claim(46, touched)], 'ours 45'],
      ['our claim, which someone touched', [claim(45, touched, { nonce: 'me' })], 'ours 45'],
      [
        'a touched claim of another login',
        [claim(41, { ...touched, login: other }), mine],
        'ours 45',
      ],
      ['a copy of our claim', [claim(41, touched, { nonce: 'me' }), mine], 'ours 45'],
      [
        'a copy of a status comment',
        [found(40, { key: 'x' }), claim(41, touched, { nonce: 'me' }), mine],
        'ours 45',
      ],
      ['an hour-old claim', [claim(41)], 'free 41', hourMs],
      ['an hour-old claim and a newer one', [claim(41), mine], 'ours 45', hourMs],
      ['a touched claim an hour later', [claim(41, touched)], 'free 41', hourMs],
      ['a claim of our earlier attempt', [claim(41, touched, ofEarlier), mine], 'ours 45'],
      [
        'a released claim and an older one',
        [claim(41), found(42, { state: is.freed, generation: 2 })],
        'elsewhere 41',
      ],
      [
        'an earlier generation that is sending',
        [sending(ofOther), { ...mine, card: { ...mine.card, generation: 2 } }],
        'elsewhere 41',
      ],
      ['one that an earlier attempt was sending', [sending(ofEarlier), mine], 'ended 41'],
      ['one that was sending an hour ago', [sending(ofOther), mine], 'ended 41', hourMs],
    ];
    test.each(rows)('%s', (_, cards, owner, ms = 0) => {
      const holder = findHolder(cards, { ...me, login: bot }, 41_000 + ms);
      expect(`${holder.is} ${holder.statusComment?.comment.id}`).toBe(owner);
    });
  });

  describe('obsolete comments', () => {
    const ofProcess = (nonce: string) => found(50, { nonce, state: claimed, generation: 2 });
    const [ours, theirs] = [ofProcess('me'), ofProcess('x')];
    const before = found(41, { nonce: 'before', run: '9', state: is.ended('failed', active) });
    const mine = (id: number, about = {}) => claim(id, about, { nonce: 'me' });
    const denial = (run: string) => found(41, { nonce: 'x', run, state: is.ended('denied') });
    const ofLater = found(50, { nonce: 'later', attempt: 2, state: claimed });
    const rows: [what: string, cards: PostedCard[], onlooker: Claimant, ids: number[]][] = [
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
      expect(idsOf(findObsolete(cards, findHolder(cards, onlooker, nowMs), onlooker))).toEqual(ids);
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
        state: fc.constantFrom(claimed, followed, is.freed),
        unbound: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    /** Invalid claims. They must never win, although their generation is higher. */
    const junk = fc.array(
      fc.constantFrom<(id: number) => PostedCard>(
        (id) => claim(id, { login: 'stranger' }, { generation: 9 }),
        (id) => claim(id, { login: other }, { generation: 9 }),
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
          const holders = processes.map((one) => findHolder(all, one, nowMs));
          const [winner] = holders.map(({ statusComment }) => statusComment);
          // A released claim is free, even if an older one isn't.
          const held = ours.filter((one) => one.card.state.is !== 'freed');
          const candidates = held.length > 0 ? held : ours;
          expect(new Set(holders.map(({ statusComment }) => statusComment))).toEqual(
            new Set([statusCommentOf(candidates, { key }, bot)]),
          );
          expect(winner?.card.generation).toBe(
            Math.max(...candidates.map((one) => one.card.generation)),
          );
          for (const [index, { is: whose, statusComment: last }] of holders.entries()) {
            const one = processes[index] ?? me;
            const isOwn = winner?.card.nonce === one.nonce && winner.card.state.is !== 'freed';
            expect(whose === 'ours').toBe(isOwn);
            expect(findObsolete(all, { is: whose, statusComment: last }, one)).not.toContain(last);
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
        card: newer.card,
      });
    });

    test('is found before comments without a job, and never in a copy', () => {
      const ended = [is.ended('answered', active), is.ended('denied'), is.ended('unconfirmed')];
      const states = [...ended, is.claimed, is.freed];
      const after = states.map((state, index) =>
        found(60 + index, { state, key: `comment:${70 + index}` }),
      );
      const copy = found(90, { state: is.working({ ...active, id: 'job_9' }) }, { unbound: true });
      const first = found(41, { state: is.working(), askedAt: 5 });
      const { card } = first;
      expect(newestJob([first, ...after, copy])).toEqual({ jobId: 'job_0001', askedAt: 5, card });
      expect(newestJob([...after, copy])).toBeUndefined();
    });
  });

  test('a command waits up to two minutes for the newest earlier command that has no job yet', () => {
    const waiting = claim(41);
    const copy = { ...waiting, comment: { ...waiting.comment, id: 45 } };
    const commandBefore = (cards: PostedCard[], id: number, ms = 46_000) =>
      pendingBefore(cards, id, ms)?.comment.id;
    expect([
      commandBefore([waiting], 42, 41_000 + 119_999),
      commandBefore([waiting], 42, 41_000 + 120_000),
    ]).toEqual([41, undefined]);
    expect([commandBefore([waiting], 41), commandBefore([waiting], 40)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(commandBefore([waiting, copy], 50)).toBe(41);
    expect(commandBefore([waiting, claim(43, {}, { key: 'comment:42' })], 50)).toBe(43);
    expect(commandBefore([found(41, { state: is.working() }), copy], 50)).toBeUndefined();
    expect(commandBefore([found(41, { state: is.freed })], 50)).toBeUndefined();
    expect(commandBefore([found(42, { state: is.sending })], 50)).toBe(42);
  });

  test('an earlier denial is recognized by its login', () => {
    const denied = [found(41, { requester: 'stranger', state: is.ended('denied') })];
    expect([wasDenied(denied, 'stranger'), wasDenied(denied, 'strange')]).toEqual([true, false]);
    expect(wasDenied([found(41, { requester: 'stranger' })], 'stranger')).toBe(false);
  });
});

describe('signing', () => {
  const bound = found(41, { state: is.ended('pr', completed) });
  const { comment } = bound;
  const [line = ''] = comment.body.split('\n', 1);
  const unbound = signer.sign(card());
  const rotated = { ...scope, service: { ...scope.service, apiKey: 'mint_fake_rotated' } };
  const otherProject = { ...rotated, service: { ...rotated.service, projectId: 'prj_2' } };

  const foundBy = (from: typeof signer, inComment: ThreadComment) =>
    cardsIn([inComment], [{ ...owner, signerOf: () => from }]);
  /** The state of the card in an unedited comment with this text; `undefined` if there is no valid card. */
  const stateIn = (body: string, about: Partial<ThreadComment> = {}, from = signer) =>
    foundBy(from, { ...comment, unedited: true, body, ...about }).ours[0]?.card.state.is;

  test('a card is valid with text below it, and with text above it only if it contains its comment’s ID', () => {
    expect(foundBy(signer, comment).ours).toMatchObject([{ ...bound, owner: {} }]);
    for (const tail of [
      '',
      '\n',
      '\r\nText\r\n',
      '\n<!-- docs-agent:v1 x.y -->',
      `\n\n${signer.sign(found(41).card)}`,
    ])
      expect(stateIn(line + tail)).toBe('ended');
    for (const above of [
      '\n',
      'Done by hand.\n',
      'One\r\n\r\nTwo\r\n',
      `${unbound.slice(0, -9)}AAAAA -->\n`,
    ]) {
      expect(stateIn(`${above}${line}\nText`)).toBe('ended');
      expect(stateIn(`${above}${unbound}\nText`)).toBeUndefined();
      // A person may have added it.
      expect(stateIn(`${above}${unbound}\nText`, { unedited: false })).toBe('freed');
      // The line that names its comment is the newest.
      expect(stateIn(`${above}${unbound}\n${line}`, { unedited: false })).toBe('ended');
    }
    expect(stateIn(unbound)).toBe('freed');
    expect(stateIn(unbound, { unedited: false })).toBe('freed');
  });

  describe('a card is invalid', () => {
    test('if any character is changed, removed, or added', () => {
      for (let at = 0; at < line.length; at += 1) {
        const [before, after] = [line.slice(0, at), line.slice(at + 1)];
        const flipped = String.fromCharCode(line.charCodeAt(at) ^ (1 << (at % 7)));
        for (const body of [
          before + flipped + after,
          before + after,
          `${before}A${line.slice(at)}`,
        ])
          expect(stateIn(`${body}\nText`)).toBeUndefined();
      }
    });

    const { service } = scope;
    test.each<[string, Partial<SignerScope>]>([
      ['another thread', { thread: 8 }],
      ['another repository', { repositoryId: '790000002' }],
      [
        'a repository and thread that look the same when joined',
        { repositoryId: `${scope.repositoryId}\n7` },
      ],
      ['another project', { service: { ...service, projectId: 'prj_2' } }],
      ['another service', { service: { ...service, baseUrl: 'https://api.example.org' } }],
      ['a different key', rotated],
    ])('if it is from %s', (_, other) => {
      const theirs = createSigner({ ...scope, ...other });
      expect(stateIn(theirs.sign(bound.card))).toBeUndefined();
      expect(stateIn(line, {}, theirs)).toBeUndefined();
    });

    test('if it contains the ID of another comment', () =>
      expect(stateIn(line, { id: 42 })).toBeUndefined());

    test.each(['{} and more', '{}{}', ' {}', '\ufeff{}', '> {}', '<!-- -->{}', 'Look: {}'])(
      'if it is in %j',
      (around) => {
        expect(stateIn(around.replaceAll('{}', line))).toBeUndefined();
      },
    );

    test('if it has the signature of another card', () => {
      const [payload, mac] = [line.split('.')[0], signer.sign(found(41).card).split('.')[1]];
      expect(stateIn(`${payload}.${mac}`)).toBeUndefined();
    });

    test('if it was never signed', () => {
      const mac = fc.string({ unit: fc.constantFrom(...'AZaz09-_'), minLength: 43, maxLength: 43 });
      fc.assert(
        fc.property(fc.base64String(), mac, (payload, signature) => {
          const body = `<!-- docs-agent:v1 ${payload.replaceAll('=', '')}.${signature} -->`;
          expect(stateIn(body)).toBeUndefined();
          expect(startsWithMarker(body)).toBe(true);
        }),
      );
    });
  });

  test('the signed line never ends its HTML comment early, and doesn’t contain the key', () => {
    expect(line).toMatch(/^<!-- docs-agent:v1 [\w-]+\.[\w-]+ -->$/);
    expect(line.slice(4, -3)).not.toMatch(/^-?>|--!?>/);
    const payload = Buffer.from(line.slice(19).split('.')[0] ?? '', 'base64url').toString();
    expect(payload).not.toContain('mint_fake_key');
  });

  test('the card in a signed line is scrubbed, so it can’t contain the key', () => {
    const scrubbing = createSigner({ ...scope, scrub: createScrub(['mint_fake_key']) });
    const signed = scrubbing.sign(
      card({
        prompt: plain('Use mint_fake_key here.'),
        remarks: [{ place: 'fold', text: 'mint_fake_key' }],
      }),
    );
    const payload = Buffer.from(signed.slice(19).split('.')[0] ?? '', 'base64url').toString();
    expect(payload).toContain('Use *** here.');
    expect(payload).not.toContain('mint_fake_key');
  });

  describe('the trigger in a comment signed with a different API key', () => {
    const keyOf = (
      patch: Partial<Card>,
      about: Partial<ThreadComment> = {},
      other: SignerScope = rotated,
    ) => {
      const body = createSigner(other).sign(found(41, patch).card);
      return foundBy(signer, { ...comment, body, ...about }).ofOtherKeys[0]?.card.key;
    };
    const rows: [string, ReturnType<typeof keyOf>, string | undefined][] = [
      ['is known if a request may have been sent', keyOf({ state: is.claimed }), 'comment:40'],
      [
        'is known if the request has ended',
        keyOf({ state: is.ended('pr', completed) }),
        'comment:40',
      ],
      ['is unknown if nothing was sent', keyOf({ state: is.freed }), undefined],
      ['is unknown in an answer', keyOf({ ask: 'reply', state: is.ended('answered') }), undefined],
      [
        'is unknown in a comment from a stranger',
        keyOf({ state: is.claimed }, { isByInsider: false }),
        undefined,
      ],
      ['is unknown in a copy', keyOf({ state: is.claimed }, { id: 42 }), undefined],
      ['is unknown in another project', keyOf({ state: is.claimed }, {}, otherProject), undefined],
      ['is unknown if our own key signed it', keyOf({ state: is.claimed }, {}, scope), undefined],
    ];
    test.each(rows)('%s', (_, key, expected) => expect(key).toBe(expected));
  });
});
