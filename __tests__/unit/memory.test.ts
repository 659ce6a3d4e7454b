import { describe, expect, test } from '@jest/globals';
import {
  merge,
  newestJob,
  type Onlooker,
  outdated,
  pendingBefore,
  type Remembered,
  recall,
  type Standing,
  standingOf,
  statusCommentOf,
  wasDenied,
} from '../../src/agent/thread/memory.ts';
import type { Marker } from '../../src/requests/marker.ts';
import { comment, marker, markers, remembered } from '../support/samples/markers.ts';

const me: Onlooker = {
  key: 'comment:40',
  nonce: 'me',
  run: '7000000001',
  attempt: 1,
  login: undefined,
  nowMs: 100_000,
};
const later = { ...me, attempt: 2 };
const elsewhere = { ...me, run: '7000000002' };

describe('the status comment of a trigger', () => {
  const key = 'comment:40';
  const claim = markers.write(marker({ phase: 'claimed' }));

  test('is the one with the lowest id, whatever copies of it there are', () => {
    const copies = [comment(30, claim, { unedited: false }), comment(50, claim)];
    const ours = remembered(41, { job: 'job_1' });
    expect(statusCommentOf([...recall(copies, markers), ours], key)).toBe(ours);
    expect(statusCommentOf(recall([comment(50, claim), comment(41, claim)], markers), key)?.comment.id).toBe(
      41,
    );
  });

  test('is the one that has a job, whatever empty claim was there before it', () => {
    const [orphan, own] = [
      remembered(41, { phase: 'claimed', bound: false }),
      remembered(42, { job: 'job_1' }),
    ];
    expect(statusCommentOf([orphan, own], key)).toBe(own);
  });

  test('is that of the highest generation, whatever its id', () => {
    const [first, second] = [remembered(60, { generation: 1 }), remembered(41, { generation: 2 })];
    expect(statusCommentOf([second, first], key)).toBe(second);
  });

  test('is not an older comment that a copy was put into', () => {
    const stuffed = comment(30, claim, { unedited: false, login: 'stranger' });
    expect(statusCommentOf(recall([stuffed, comment(41, claim)], markers), key)?.comment.id).toBe(41);
  });

  test('is not from somebody else, once GitHub has told who we are', () => {
    const theirs = comment(30, claim, { login: 'stranger' });
    const found = recall([theirs, comment(41, claim)], markers);
    expect(statusCommentOf(found, key, 'github-actions[bot]')?.comment.id).toBe(41);
  });

  test('is not a person’s copy of a first version, also before GitHub has told who we are', () => {
    const pasted = comment(50, claim, { login: 'stranger' });
    expect(statusCommentOf(recall([pasted], markers), key)).toBeUndefined();
  });

  test('is not that of another trigger, nor a refusal', () => {
    const others = [remembered(41, { key: 'comment:4' }), remembered(42, { phase: 'denied' })];
    expect(statusCommentOf(others, key)).toBeUndefined();
  });
});

/** Seconds since the epoch, after and before the onlooker looks. */
const [soon, past] = [101, 99];

describe('whose a trigger is', () => {
  const cases: [string, Partial<Marker> | undefined, Onlooker, Standing['is']][] = [
    ['nobody has claimed', undefined, me, 'free'],
    ['was released by anybody', { phase: 'released', nonce: 'other' }, elsewhere, 'free'],
    ['we have claimed', { phase: 'claimed', nonce: 'me', until: soon }, me, 'ours'],
    [
      'another step of our attempt has claimed',
      { phase: 'claimed', nonce: 'other', until: soon },
      me,
      'elsewhere',
    ],
    ['another run has claimed', { phase: 'claimed', nonce: 'other', until: soon }, elsewhere, 'elsewhere'],
    [
      'another run has claimed and gone',
      { phase: 'claimed', nonce: 'other', until: past },
      elsewhere,
      'left',
    ],
    ['our own attempt before has claimed', { phase: 'claimed', nonce: 'other', until: soon }, later, 'left'],
    [
      'another run watches',
      { phase: 'working', job: 'j', nonce: 'other', until: soon },
      elsewhere,
      'elsewhere',
    ],
    [
      'another run watched until its deadline',
      { phase: 'working', job: 'j', nonce: 'other', until: past },
      me,
      'left',
    ],
    ['nobody waits for', { phase: 'working', job: 'j', nonce: 'other' }, elsewhere, 'left'],
    [
      'another run has told to its end',
      { phase: 'ended', job: 'j', nonce: 'other', until: soon },
      elsewhere,
      'left',
    ],
    ['nobody can know of', { phase: 'unconfirmed', nonce: 'other', until: soon }, me, 'left'],
  ];

  test.each(cases)('one that %s', (_, patch, onlooker, is) => {
    const thread = patch === undefined ? [] : [remembered(41, patch)];
    expect(standingOf(thread, onlooker)).toEqual({ is, last: thread[0] });
  });
});

describe('what no longer counts', () => {
  const ids = (thread: Remembered[], onlooker = me) =>
    outdated(thread, standingOf(thread, onlooker), onlooker).map(({ comment: { id } }) => id);

  test('is what our claim follows, only once it has won', () => {
    const failed = remembered(41, { phase: 'ended', job: 'job_1', nonce: 'before' });
    const [won, lost] = ['me', 'other'].map((nonce) =>
      remembered(50, { generation: 2, nonce, phase: 'claimed', until: soon }),
    );
    expect(ids([failed, ...(won === undefined ? [] : [won])])).toEqual([41]);
    expect(ids([failed, ...(lost === undefined ? [] : [lost])])).toEqual([]);
  });

  test('is our claim that was written twice, or has lost', () => {
    const [first, second] = [41, 42].map((id) =>
      remembered(id, { nonce: 'me', phase: 'claimed', bound: false }),
    );
    const theirs = remembered(40, { nonce: 'other', phase: 'claimed', bound: false });
    expect(ids([first, second].filter((one) => one !== undefined))).toEqual([42]);
    expect(ids([theirs, ...[first, second].filter((one) => one !== undefined)])).toEqual([41, 42]);
  });

  test('is never what somebody else has pasted', () => {
    const ours = remembered(41, { job: 'job_1', attempt: 1 });
    const copy = comment(42, markers.write(marker({ phase: 'claimed' })), { login: 'stranger' });
    expect(ids([ours, ...recall([copy], markers)], later)).toEqual([]);
  });

  test('is not the claim that another run has lost with: it takes that back itself', () => {
    const ours = remembered(41, { nonce: 'me', phase: 'claimed' });
    expect(ids([ours, remembered(42, { nonce: 'other', run: '9', phase: 'claimed' })])).toEqual([]);
  });

  test('is the refusal of an attempt before, once its commenter is let in; another workflow keeps its own', () => {
    const ours = remembered(50, { nonce: 'me', phase: 'claimed', attempt: 2 });
    const [own, others] = [me.run, '9'].map((run, index) => remembered(41 + index, { phase: 'denied', run }));
    expect(
      ids(
        [own, others, ours].filter((one) => one !== undefined),
        later,
      ),
    ).toEqual([41]);
  });
});

describe('the newest job', () => {
  test('is that of the youngest comment, whichever was edited last', () => {
    const [older, newer] = [
      remembered(41, { job: 'job_1' }),
      remembered(51, { job: 'job_2', key: 'comment:50' }),
    ];
    const edited = remembered(41, { job: 'job_1', phase: 'ended' });
    expect(newestJob(merge([older, newer], [edited]))).toBe('job_2');
    expect(merge([older, newer], [edited])).toEqual([edited, newer]);
  });

  test('is none that only an unbound marker names', () => {
    expect(newestJob([remembered(41, { job: 'job_1', bound: false })])).toBeUndefined();
    expect(newestJob([])).toBeUndefined();
  });

  test('is not hidden by answers, refusals and claims after it', () => {
    const later = (['answered', 'denied', 'claimed', 'released'] as const).map((phase, index) =>
      remembered(60 + index, { phase, key: `comment:${70 + index}` }),
    );
    expect(newestJob([remembered(41, { job: 'job_1' }), ...later])).toBe('job_1');
  });
});

describe('a claim about to get its job', () => {
  const claim = remembered(41, { phase: 'claimed', bound: false });

  test('is waited for by a later command, for two minutes', () => {
    expect(pendingBefore([claim], 42, 41_000 + 119_000)).toBe(claim);
    expect(pendingBefore([claim], 42, 41_000 + 120_000)).toBeUndefined();
  });

  test('is not waited for by an earlier one, nor by itself', () => {
    expect(pendingBefore([claim], 41, 41_000)).toBeUndefined();
    expect(pendingBefore([claim], 40, 41_000)).toBeUndefined();
  });

  test('is not a copy of one that has its job by now', () => {
    const copy = recall([comment(45, claim.comment.body)], markers);
    expect(pendingBefore([remembered(41, { job: 'job_1' }), ...copy], 50, 46_000)).toBeUndefined();
    expect(pendingBefore([claim, ...copy], 50, 46_000)).toBe(claim);
  });

  test('is none once it has a job or was given up', () => {
    const others = [remembered(41, { job: 'job_1' }), remembered(42, { phase: 'released' })];
    expect(pendingBefore(others, 50, 43_000)).toBeUndefined();
  });
});

test('who was told is known by name', () => {
  const told = [remembered(41, { phase: 'denied', denied: 'stranger', bound: false })];
  expect(wasDenied(told, 'stranger')).toBe(true);
  expect(wasDenied(told, 'strange')).toBe(false);
  expect(wasDenied([remembered(41, { denied: 'stranger' })], 'stranger')).toBe(false);
});

test('only what verifies is recalled', () => {
  const theirs = comment(42, markers.write(marker({ comment: 41 })));
  const forged = comment(43, '<!-- docs-agent:v1 e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA -->');
  expect(recall([theirs, forged, comment(44, '/docs add it'), comment(45, '')], markers)).toEqual([]);
});
