import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inTurn, leftIn } from '../../src/agent/open/find.ts';
import type { Look } from '../../src/agent/open/looks.ts';
import { type Verdict, verdictOn } from '../../src/agent/open/verdict.ts';
import type { Remembered } from '../../src/agent/thread/memory.ts';
import type { Marker } from '../../src/requests/marker.ts';
import type { Job } from '../../src/service/schemas.ts';
import { completed } from '../support/samples/known.ts';
import { remembered } from '../support/samples/markers.ts';

/* The whole table of what nobody is at any more, and of what becomes of it. Comment 41 was written 41 s after the epoch. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const writtenMs = 41_000;
const login = 'github-actions[bot]';

const idsOf = (found: readonly Remembered[]) => found.map(({ comment }) => comment.id);
const at = (ms: number, ...all: Remembered[]) => {
  const { open, outdated } = leftIn(all, 7, writtenMs + ms);
  return { open: idsOf(open), outdated: idsOf(outdated) };
};

describe('open is', () => {
  const job = 'job_0001';
  const rows: [string, Parameters<typeof remembered>[1], number, boolean][] = [
    ['a job that nobody watches', { job }, 0, true],
    ['a watched job is not', { job, until: 41 + 1_800 }, 30 * minuteMs, false],
    ['nor right after its time', { job, until: 41 + 1_800 }, 40 * minuteMs - 1, false],
    ['but ten minutes later', { job, until: 41 + 1_800 }, 40 * minuteMs, true],
    ['a claim is not', { phase: 'claimed', bound: false }, hourMs - 1, false],
    ['but after an hour', { phase: 'claimed', bound: false }, hourMs, true],
    ['also one that names its comment', { phase: 'claimed' }, hourMs, true],
    ['an end is not', { phase: 'ended', job }, dayMs, false],
    ['nor is what nobody can know', { phase: 'unconfirmed' }, dayMs, false],
    ['nor what was released', { phase: 'released' }, dayMs, false],
    ['nor an answer', { phase: 'answered' }, dayMs, false],
    ['nor a refusal', { phase: 'denied', denied: 'stranger' }, dayMs, false],
  ];

  test.each(rows)('%s', (_, marker, ms, isOpen) => {
    expect(at(ms, remembered(41, marker)).open).toEqual(isOpen ? [41] : []);
  });

  test('only what counts for its trigger, each trigger for itself', () => {
    const first = remembered(41, { job, generation: 1 });
    const second = remembered(43, { job, generation: 2 });
    const other = remembered(42, { key: 'comment:39', job });
    expect(at(0, second, other, first).open).toEqual([42, 43]);
  });

  describe('a claim that does not name its comment', () => {
    const claim = (patch: Partial<Remembered['comment']>): Remembered => {
      const { comment, marker } = remembered(41, { phase: 'claimed', bound: false });
      return { marker, comment: { ...comment, ...patch } };
    };

    test.each<[string, Partial<Remembered['comment']>, boolean]>([
      ['of an app, as it was written', {}, true],
      ['that was edited', { unedited: false }, false],
      ['of a person', { login: 'stranger' }, false],
    ])('%s', (_, patch, isOpen) => {
      expect(at(hourMs, claim(patch)).open).toEqual(isOpen ? [41] : []);
    });

    test('of somebody else than the thread’s other comments of ours', () => {
      const bound = remembered(30, { key: 'comment:29', phase: 'ended', job });
      expect(at(hourMs, bound, claim({ login: 'other[bot]' })).open).toEqual([]);
      expect(at(hourMs, bound, claim({ login })).open).toEqual([41]);
    });
  });
});

describe('to be taken back is', () => {
  const last = { phase: 'ended', job: 'job_0002', generation: 2, nonce: 'nonce-2' } as const;
  const rows: [string, Partial<Marker>, number, boolean][] = [
    ['a claim that was followed', { phase: 'ended', nonce: 'nonce-1', generation: 1 }, hourMs, true],
    ['not within the hour', { phase: 'ended', nonce: 'nonce-1', generation: 1 }, hourMs - 1, false],
    [
      'what the same process wrote twice',
      { phase: 'claimed', nonce: 'nonce-2', generation: 2 },
      hourMs,
      true,
    ],
    [
      'not what another claimed beside it',
      { phase: 'released', nonce: 'x', generation: 2, run: '8' },
      hourMs,
      false,
    ],
    ['nor what is of another trigger', { key: 'comment:1', nonce: 'nonce-2', generation: 1 }, hourMs, false],
  ];

  test.each(rows)('%s', (_, marker, ms, isOutdated) => {
    const found = at(ms, remembered(41, marker), remembered(40, last));
    expect(found.outdated).toEqual(isOutdated ? [41] : []);
  });

  test('nothing of a report, which no process signs', () => {
    const report = { key: 'visitors:prj:2026-03-02:2026-03-09', phase: 'ended' } as const;
    expect(at(dayMs, remembered(40, report), remembered(41, report)).outdated).toEqual([]);
  });
});

describe('what becomes of an open comment', () => {
  const job = (status: string, prLink: string | null = null): Job => ({ ...completed, status, prLink });
  const link = completed.prLink;
  const seen = (status: string, prLink?: string | null): Look => ({ is: 'seen', job: job(status, prLink) });
  const atWork: Verdict = { is: 'at work' };
  const over = (outcome: string, reason: string, more = {}) =>
    expect.objectContaining({ is: 'over', ending: { outcome, reason, ...more } });
  const before = { status: 'completed', prLink: link };
  const asked: Partial<Marker> = { job: completed.id, askedAt: 41 };

  const rows: [string, Partial<Marker>, Look | undefined, number, unknown][] = [
    ['a job with a link', asked, seen('completed', link), 0, over('pr-created', 'pull-request')],
    ['one without', asked, seen('completed'), 0, over('no-changes', 'no-pull-request')],
    ['one that failed', asked, seen('failed'), 0, over('failed', 'job-failed')],
    ['one that was archived', asked, seen('archived'), 0, over('archived', 'job-archived')],
    ['one at work', asked, seen('active'), dayMs, atWork],
    ['one in a state that nobody knows', asked, seen('paused'), dayMs, atWork],
    ['one at work for too long', asked, seen('active'), 14 * dayMs, over('timed-out', 'given-up')],
    ['one that could not be looked at', asked, { is: 'unseen' }, 14 * dayMs, { is: 'unseen' }],
    ['one that was not looked at', asked, undefined, 14 * dayMs, { is: 'unseen' }],
    ['one that is gone', asked, { is: 'gone' }, 2 * minuteMs, over('failed', 'not-found')],
    ['one that may not be known yet', asked, { is: 'gone' }, 2 * minuteMs - 1, atWork],
    ['a claim without a job', { phase: 'claimed' }, undefined, hourMs, over('failed', 'unconfirmed')],
    ['as before a message', { ...asked, before }, seen('completed', link), 2 * minuteMs - 1, atWork],
    [
      'as before a message, two minutes after it',
      { ...asked, before },
      seen('completed', link),
      2 * minuteMs,
      over('pr-created', 'follow-up-unseen', { isUnseen: true }),
    ],
    [
      'otherwise than before a message',
      { ...asked, before },
      seen('completed', `${link}9`),
      0,
      over('pr-created', 'pull-request'),
    ],
  ];

  test.each(rows)('%s', (_, marker, look, ms, verdict) => {
    const open = remembered(41, marker);
    expect(verdictOn(open, look, { nowMs: writtenMs + ms, sinceMs: 14 * dayMs })).toEqual(verdict);
  });

  test('without a limit a job is never given up', () => {
    const patience = { nowMs: writtenMs + 4_000 * dayMs, sinceMs: undefined };
    expect(verdictOn(remembered(41, asked), seen('active'), patience)).toEqual(atWork);
  });

  test('right after a message counts from the last edit, since the message was sent before that', () => {
    const { comment, marker } = remembered(41, { ...asked, before });
    const editedLater = { marker, comment: { ...comment, editedAtMs: writtenMs + minuteMs } };
    const patience = { nowMs: writtenMs + 2 * minuteMs, sinceMs: undefined };
    expect(verdictOn(editedLater, seen('completed', link), patience)).toEqual(atWork);
  });
});

describe('the order to look at jobs in', () => {
  const jobIds = Array.from({ length: 10 }, (_, index) => `job_${index}`);

  test('is by age, where there are requests for all of them', () => {
    expect(inTurn(jobIds, 10, dayMs)).toEqual(jobIds);
  });

  test('begins with the oldest, and leaves none out', () => {
    expect(inTurn(jobIds, 4, 0).slice(0, 2)).toEqual(['job_0', 'job_1']);
    expect(new Set(inTurn(jobIds, 4, 5 * hourMs)).size).toBe(10);
    expect(new Set(inTurn(jobIds, 1, 0)).size).toBe(10);
  });

  test('brings every job its turn within some runs, however many hours lie between them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 168 }),
        fc.integer({ min: 0, max: 500_000 }),
        (requests, more, hours, since) => {
          const jobs = Array.from({ length: requests + more }, (_, index) => index);
          const [first, others] = [Math.floor(requests / 2), jobs.length - Math.floor(requests / 2)];
          // By then a job is left out with a chance of less than e^-30.
          const runs = 30 * Math.ceil(others / (requests - first));
          const seen = new Set(
            Array.from({ length: runs }, (_, run) =>
              inTurn(jobs, requests, (since + run * hours) * hourMs).slice(0, requests),
            ).flat(),
          );
          expect(seen.size).toBe(jobs.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
