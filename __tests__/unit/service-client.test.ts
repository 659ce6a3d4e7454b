import { expect, test } from '@jest/globals';

import type { FaultSpec } from '../../simulator/http/faults.ts';
import { explain } from '../../src/core/errors.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { jobSchema } from '../../src/service/schemas.ts';
import { memoryService } from '../support/in-process/service.ts';
import type { Fault } from './github/memory-github.ts';

const after = { when: 'after-handled' } as const;
const status = (status: number): Fault => ({ kind: 'status', status });

type Use = 'createJob' | 'sendMessage' | 'getJob';

/** Makes one call while this many requests fail. */
async function play(use: Use, fault: Fault, times = 99) {
  const { simulator, service } = memoryService();
  const job = simulator.service.createJob('first');
  simulator.faults.add({ at: () => true, times, ...fault } as FaultSpec);
  const call = {
    createJob: () => service.createJob('x'),
    sendMessage: () => service.sendMessage(job.id, 'x'),
    getJob: () => service.getJob(job.id),
  }[use];
  const outcome = await call().then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.reason : error),
  );
  expect(simulator.violations).toEqual([]);
  return { outcome, sent: simulator.requests.length };
}

type Case = [name: string, fault: Fault, write: [string, number], read: [string, number]];

/** For each permanent fault, how a POST and a GET end, and how often each is sent. */
const cases: Case[] = [
  ['400', status(400), ['bad-request', 1], ['bad-request', 1]],
  ['401', status(401), ['unauthorized', 1], ['unauthorized', 1]],
  ['402', status(402), ['forbidden', 1], ['forbidden', 1]],
  ['403', status(403), ['forbidden', 1], ['forbidden', 1]],
  ['404', status(404), ['not-found', 1], ['not-found', 1]],
  ['413', status(413), ['bad-request', 1], ['bad-request', 1]],
  // The service doesn't document whether it creates a job before it responds with one of these.
  ['405', status(405), ['unconfirmed', 1], ['bad-request', 1]],
  ['408', status(408), ['unconfirmed', 1], ['service-error', 4]],
  // The limit is hourly, so an immediate retry of a request that costs credits would fail, too.
  ['429', status(429), ['rate-limited', 1], ['rate-limited', 4]],
  ['429, a minute', { ...status(429), retryAfter: 60 }, ['rate-limited', 4], ['rate-limited', 4]],
  ['429, 61 s', { ...status(429), retryAfter: 61 }, ['rate-limited', 1], ['rate-limited', 1]],
  ['500', status(500), ['unconfirmed', 1], ['service-error', 4]],
  ['502', { ...status(502), ...after }, ['unconfirmed', 1], ['service-error', 4]],
  ['503, a minute', { ...status(503), retryAfter: 60 }, ['unconfirmed', 1], ['service-error', 4]],
  ['503, 61 s', { ...status(503), retryAfter: 61 }, ['unconfirmed', 1], ['service-error', 1]],
  ['a redirect', { kind: 'redirect' }, ['unconfirmed', 1], ['redirected', 1]],
  ['a reset', { kind: 'reset' }, ['unconfirmed', 1], ['unreachable', 4]],
  [
    'half a response',
    { kind: 'reset', when: 'half-answer' },
    ['unconfirmed', 1],
    ['unreachable', 4],
  ],
  ['no response', { kind: 'hang', ...after }, ['unconfirmed', 1], ['unreachable', 4]],
  ['a page', { kind: 'html' }, ['unconfirmed', 1], ['invalid-response', 4]],
  [
    'half of the JSON',
    { kind: 'truncated-json', ...after },
    ['unconfirmed', 1],
    ['invalid-response', 4],
  ],
  ['JSON as text', { kind: 'wrong-content-type', ...after }, ['done', 1], ['done', 1]],
];

test.each(cases)('%s', async (_, fault, [writeEnd, writes], [readEnd, reads]) => {
  for (const use of ['createJob', 'sendMessage'] as const)
    expect(await play(use, fault)).toMatchObject({ outcome: writeEnd, sent: writes });
  expect(await play('getJob', fault)).toMatchObject({ outcome: readEnd, sent: reads });
});

const link = 'https://x.example/pull/5';
const sideFields = ['source', 'model', 'prLink', 'createdAt'];

test.each<[string, Record<string, unknown>, string[], Record<string, unknown>]>([
  ['unknown fields', { progress: { percent: 7 }, cost: null }, [], {}],
  ['nothing but id and status', {}, sideFields, {}],
  ['nulls', { source: null, model: null, createdAt: null }, [], {}],
  ['an unknown status', { status: 'pondering' }, [], { status: 'pondering' }],
  ['an empty link', { prLink: '' }, [], { prLink: null }],
  ['a number instead of a link', { prLink: 7 }, [], { prLink: '7' }],
  ['white space around a link', { prLink: ` ${link}\n` }, [], { prLink: link }],
  ['text after a link', { prLink: `${link} is done` }, [], { prLink: '(no usable link)' }],
  [
    'numbers instead of text',
    { model: 5, createdAt: 7, source: { ref: 3 } },
    [],
    { model: undefined },
  ],
])(
  'a job with %s is the same in the responses to POST and GET',
  async (_, extra, omit, expected) => {
    const { simulator, service } = memoryService();
    simulator.service.scriptNext({ extra, omit });
    const job = await service.createJob('x');
    expect(job).toMatchObject({ id: 'job_0001', prLink: null, ...expected });
    expect(await service.getJob(job.id)).toEqual(job);
  },
);

test.each<[string, { extra?: Record<string, unknown>; omit?: string[] }]>([
  ['without an id', { omit: ['id'] }],
  ['with an empty id', { extra: { id: '' } }],
])('a response %s is not a job, and the error names the field', async (_, script) => {
  const { simulator, service } = memoryService();
  simulator.service.scriptNext(script);
  const what = 'The service’s response doesn’t match its documentation';
  const doing = expect.stringMatching(
    /^Creating the job: the service returned 201 with .* `id` isn’t as documented/,
  );
  const error = { reason: 'unconfirmed', what, doing };
  await expect(service.createJob('x')).rejects.toMatchObject(error);
});

test('a job created without a usable status counts as active, and reading it again is an error', async () => {
  const { simulator, service } = memoryService();
  simulator.service.scriptNext({ extra: { status: '' } });
  const job = await service.createJob('x');
  expect(job).toMatchObject({ id: 'job_0001', status: 'active', prLink: null });
  const error = {
    reason: 'invalid-response',
    doing: expect.stringMatching(/`status` isn’t as documented/),
  };
  await expect(service.getJob(job.id, { tries: 1 })).rejects.toMatchObject(error);
});

test('a job with very long fields still fits on a card', () => {
  const long = 'x'.repeat(200_000);
  const fields = {
    status: long,
    model: long,
    createdAt: long,
    source: { repository: long, ref: long },
  };
  const job = jobSchema.parse({ id: 'job_0001', prLink: `https://github.com/${long}`, ...fields });
  expect(JSON.stringify(job).length).toBeLessThan(2_500);
  expect(job.prLink).toBe('(no usable link)');
  expect(jobSchema.safeParse({ id: long, status: 'active' }).success).toBe(false);
});

test('a client that is bound to another signal ends with that one, also while it waits', async () => {
  const [run, grace] = [new AbortController(), new AbortController()];
  const { simulator, service } = memoryService(run.signal);
  const patient = service.within(grace.signal);
  run.abort(new Error('canceled'));
  await expect(service.createJob('x')).rejects.toThrow('canceled');
  const { id } = await patient.createJob('x');
  simulator.faults.add({ at: () => true, times: 9, ...status(503) } as FaultSpec);
  simulator.clock.onSleep(() => grace.abort(new Error('too late')));
  await expect(patient.getJob(id)).rejects.toThrow('too late');
});

test.each<[string, (key: string) => Fault]>([
  ['a type', (key) => ({ ...status(200), headers: { 'content-type': `text/x-${key}` } })],
  ['a redirect', (key) => ({ ...status(302), headers: { location: `https://${key}.example/` } })],
])('%s that repeats the key in a header doesn’t show it', async (_, faultWith) => {
  const { simulator, apiKey, service } = memoryService();
  simulator.faults.add({ at: () => true, ...faultWith(apiKey) } as FaultSpec);
  const error: unknown = await service.getJob('job_1', { tries: 1 }).catch((error) => error);
  expect(error).toBeInstanceOf(ServiceError);
  const texts = [String(error), ...Object.values(explain(error))].join('\n').toLowerCase();
  expect(texts).not.toContain(apiKey.toLowerCase());
});
