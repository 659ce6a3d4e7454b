import { describe, expect, test } from '@jest/globals';
import { decide, type Request, type Step } from '../../src/agent/job/decide.ts';
import type { Asked, Known } from '../../src/agent/known.ts';
import type { Standing } from '../../src/agent/thread/memory.ts';
import type { Job } from '../../src/service/schemas.ts';
import { completed, knownWith } from '../support/samples/known.ts';
import { remembered } from '../support/samples/markers.ts';

/* The whole table of what a run does next. Each row says what is known, and the one step that follows from it. */

const active: Job = { id: 'job_0001', status: 'active', prLink: null };
const failed: Job = { ...active, status: 'failed' };
const archived: Job = { ...active, status: 'archived' };

const own = remembered(41, { phase: 'claimed', nonce: 'nonce-of-a-test' });
const standing = (is: Exclude<Standing['is'], 'free'>): Standing => ({ is, last: own });
const earlier = remembered(30, { key: 'comment:29', phase: 'claimed', bound: false });
const withJob = remembered(20, { key: 'comment:19', phase: 'ended', job: 'job_0001' });

const asked = (job: Job | undefined, more: Partial<Extract<Asked, { is: 'yes' }>> = {}): Asked => ({
  is: 'yes',
  by: 'creating',
  jobId: 'job_0001',
  job,
  ...more,
});

const fresh: Partial<Known> = { asked: { is: 'no' }, status: { told: 'nothing', generation: 0 }, memory: [] };
const claimed: Partial<Known> = {
  ...fresh,
  status: { told: 'claimed', generation: 1, comment: { id: 41, url: '', body: '' } },
  standing: standing('ours'),
};
const noThread: Partial<Known> = { ...fresh, threadNumber: undefined, memory: undefined };

const ask = {
  prompt: 'add a quickstart',
  jobId: undefined,
  continues: 'thread' as const,
  about: undefined,
  wait: true,
  removed: 0,
};
const inputs = { ...ask, continues: 'nowhere' as const };
const next = (known: Partial<Known>, over: Partial<Request> = {}): Step =>
  decide(knownWith(known), { ask, attempt: 1, nowMs: 30_000, ...over });

const end = (outcome: string, reason: string) => ({ do: 'end', ending: { outcome, reason } });
const doing = (what: Step['do'], more: object = {}) => expect.objectContaining({ do: what, ...more });

type Row = [string, Partial<Known>, Partial<Request>, unknown];

describe('before anything is asked', () => {
  const look = (jobId: string, mustExist: boolean) => ({ do: 'look at the job', jobId, mustExist });
  const rows: Row[] = [
    ['the thread comes first', { ...fresh, memory: undefined }, {}, { do: 'read the thread' }],
    ['then the claim', fresh, {}, { do: 'claim' }],
    [
      'a trigger that another process is at is left to it',
      { ...fresh, standing: standing('elsewhere') },
      {},
      end('skipped', 'another-run'),
    ],
    [
      'a claim lost meanwhile as well',
      { ...claimed, standing: standing('elsewhere') },
      {},
      end('skipped', 'another-run'),
    ],
    ['a thread without a job gets one', claimed, {}, { do: 'create', note: undefined }],
    ['without a thread there is nothing to claim', noThread, {}, { do: 'create', note: undefined }],
    [
      'an earlier command about to get its job is waited for',
      { ...claimed, memory: [earlier] },
      {},
      { do: 'wait for an earlier command', earlier },
    ],
    [
      'but not for ever',
      { ...claimed, memory: [earlier], looksAtEarlier: 4 },
      {},
      { do: 'create', note: undefined },
    ],
    ['the thread’s job is looked at', { ...claimed, memory: [withJob] }, {}, look('job_0001', false)],
    [
      'and gets the message',
      { ...claimed, memory: [withJob], target: { jobId: 'job_0001', job: completed } },
      {},
      { do: 'message', job: completed },
    ],
    [
      'even a failed one',
      { ...claimed, memory: [withJob], target: { jobId: 'job_0001', job: failed } },
      {},
      { do: 'message', job: failed },
    ],
    [
      'an archived one makes room',
      { ...claimed, memory: [withJob], target: { jobId: 'job_0001', job: archived } },
      {},
      { do: 'create', note: 'The thread’s job `job_0001` is archived; this is a new job.' },
    ],
    [
      'one that is gone as well',
      { ...claimed, memory: [withJob], target: { jobId: 'job_0001', job: undefined } },
      {},
      { do: 'create', note: 'The thread’s job `job_0001` is no longer there; this is a new job.' },
    ],
    [
      '--new does not look at it',
      { ...claimed, memory: [withJob] },
      { ask: inputs },
      { do: 'create', note: undefined },
    ],
    [
      'nor does one that starts anew',
      { ...claimed, memory: [withJob], startsAnew: true },
      {},
      { do: 'create', note: undefined },
    ],
    [
      'the job of the inputs must be there',
      claimed,
      { ask: { ...inputs, jobId: 'job_0009' } },
      look('job_0009', true),
    ],
    [
      'and gets the message of the inputs',
      { ...claimed, target: { jobId: 'job_0009', job: archived } },
      { ask: { ...inputs, jobId: 'job_0009' } },
      { do: 'message', job: archived },
    ],
    [
      'without a prompt nothing is claimed',
      fresh,
      { ask: { ...inputs, prompt: undefined, jobId: 'job_0009' } },
      look('job_0009', true),
    ],
    [
      'and the job is attached to',
      { ...fresh, target: { jobId: 'job_0009', job: active } },
      { ask: { ...inputs, prompt: undefined, jobId: 'job_0009' } },
      { do: 'attach', job: active },
    ],
  ];
  test.each(rows)('%s', (_, known, request, step) => expect(next(known, request)).toEqual(step));
});

describe('what nobody can know', () => {
  test.each([1, 2, 9])('is never asked again, in attempt %i', (attempt) => {
    const known = { ...claimed, asked: { is: 'maybe', by: 'creating' } } satisfies Partial<Known>;
    expect(next(known, { attempt })).toEqual(end('failed', 'unconfirmed'));
  });
});

test('a trigger that was marked with another API key is not asked again', () => {
  const known = {
    ...claimed,
    asked: { is: 'maybe', by: 'creating' },
    isKeyChanged: true,
  } satisfies Partial<Known>;
  expect(next(known, { attempt: 2 })).toEqual(end('failed', 'key-changed'));
});

describe('once it is asked', () => {
  const left: Partial<Known> = { memory: [own], standing: standing('left') };
  const of = (job: Job | undefined, more: Parameters<typeof asked>[1] = {}): Partial<Known> => ({
    ...left,
    asked: asked(job, more),
  });
  const before = { status: 'completed', prLink: null };
  const isRemembered = true;
  const rows: Row[] = [
    ['the thread hears of a job of ours', of(active), {}, { do: 'tell at work' }],
    ['it is watched', { ...of(active), isAnnounced: true }, {}, doing('watch')],
    [
      'or left, where nobody waits',
      { ...of(active), isAnnounced: true },
      { ask: { ...ask, wait: false } },
      end('detached', 'not-waited'),
    ],
    [
      'a remembered job is looked at first',
      of(undefined, { isRemembered }),
      {},
      { do: 'look at the job', jobId: 'job_0001', mustExist: true },
    ],
    [
      'in a re-run it may be gone',
      of(undefined, { isRemembered }),
      { attempt: 2 },
      { do: 'look at the job', jobId: 'job_0001', mustExist: false },
    ],
    [
      'what is over is not announced, and its late link is looked for',
      of(completed, { isRemembered }),
      {},
      doing('watch'),
    ],
    [
      'nor is it left, where nobody waits',
      of(completed, { isRemembered }),
      { ask: { ...ask, wait: false } },
      doing('watch'),
    ],
    [
      'an end that may be from before a message is none',
      of(completed, { before, isRemembered }),
      {},
      { do: 'tell at work' },
    ],
    [
      'an end that was told stays told, whatever a later message has set to work',
      { ...of(active, { isRemembered }), status: { told: 'the end', generation: 1 } },
      {},
      doing('watch'),
    ],
    ['a failed job is told by a first attempt', of(failed, { isRemembered }), {}, doing('watch')],
    [
      'and asked for anew by a later one',
      of(failed, { isRemembered }),
      { attempt: 2 },
      { do: 'start anew', note: 'The run before ended with job `job_0001` (failed); this is a new job.' },
    ],
    [
      'an archived one as well',
      of(archived, { isRemembered }),
      { attempt: 2 },
      { do: 'start anew', note: 'The run before ended with job `job_0001` (archived); this is a new job.' },
    ],
    [
      'and one that is gone',
      of(undefined, { isRemembered, isGone: true }),
      { attempt: 2 },
      { do: 'start anew', note: 'The run before ended with job `job_0001` (gone); this is a new job.' },
    ],
    [
      'the job of the inputs is followed once more, without a word',
      of(failed, { isRemembered }),
      { attempt: 2, ask: { ...inputs, jobId: 'job_0009' } },
      { do: 'start anew', note: undefined },
    ],
    ['what this run has asked itself is not asked anew', of(failed), { attempt: 2 }, doing('watch')],
    [
      'an end is an end',
      { ...of(failed), ending: { outcome: 'failed', reason: 'job-failed' } },
      { attempt: 2 },
      end('failed', 'job-failed'),
    ],
  ];
  test.each(rows)('%s', (_, known, request, step) => expect(next(known, request)).toEqual(step));
});
