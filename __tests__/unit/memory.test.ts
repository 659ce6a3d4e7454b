import { describe, expect, test } from '@jest/globals';
import { merge, newestJob, ofTrigger, pendingBefore, recall, wasDenied } from '../../src/agent/memory.ts';
import { comment, marker, markers, remembered } from '../support/thread-markers.ts';

describe('the status comment of a trigger', () => {
  const key = 'comment:40';
  const claim = markers.write(marker({ phase: 'claimed' }));

  test('is the one that names itself, whatever copies there are', () => {
    const ours = remembered(41, { job: 'job_1' });
    const copies = [comment(30, claim, { unedited: false }), comment(50, claim)];
    expect(ofTrigger([...recall(copies, markers), ours], key)).toBe(ours);
  });

  test('is the oldest while none names itself', () => {
    const [first, second] = recall([comment(50, claim), comment(41, claim)], markers);
    expect(first?.comment.id).toBe(41);
    expect(
      ofTrigger(
        [first, second].filter((one) => one !== undefined),
        key,
      ),
    ).toBe(first);
  });

  test('is not an older comment that a copy was put into', () => {
    const found = recall(
      [comment(30, claim, { unedited: false, login: 'stranger' }), comment(41, claim)],
      markers,
    );
    expect(ofTrigger(found, key)?.comment.id).toBe(41);
  });

  test('is not that of another trigger, nor a refusal', () => {
    expect(
      ofTrigger([remembered(41, { key: 'comment:4' }), remembered(42, { phase: 'denied' })], key),
    ).toBeUndefined();
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
