import { expect, test } from '@jest/globals';

import type { FaultSpec } from '../../simulator/http/faults.ts';
import { createDispatcher } from '../../src/http/dispatcher.ts';
import { createDocsService } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { jobSchema } from '../../src/service/schemas.ts';
import { calm, memoryService } from '../support/in-process/service.ts';

const options = { signal: calm() };
const all = () => true;
const after = { when: 'after-handled' } as const;
const status = (status: number, seconds?: number): Fault => ({
  kind: 'status',
  status,
  ...(seconds === undefined ? {} : { retryAfter: seconds }),
});

type Use = 'createJob' | 'sendMessage' | 'getJob';

/** Makes one call that hits this fault every time, or this often. */
async function play(use: Use, fault: Omit<FaultSpec, 'at'> & Record<string, unknown>, times = 99) {
  const { simulator, service } = memoryService();
  const job = simulator.service.createJob('first');
  simulator.faults.add({ at: all, times, ...fault } as FaultSpec);
  const call = {
    createJob: () => service.createJob('x', options),
    sendMessage: () => service.sendMessage(job.id, 'x', options),
    getJob: () => service.getJob(job.id, options),
  }[use];
  const outcome = await call().then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.reason : error),
  );
  expect(simulator.violations).toEqual([]);
  return { outcome, sent: simulator.requests.length };
}

type Fault = Parameters<typeof play>[1];
type Case = [name: string, fault: Fault, write: [string, number], read: [string, number]];

/** What a permanent fault does to a POST and a GET: the reason, and how often it was sent. */
const cases: Case[] = [
  ['400', status(400), ['bad-request', 1], ['bad-request', 1]],
  ['401', status(401), ['unauthorized', 1], ['unauthorized', 1]],
  ['403', status(403), ['forbidden', 1], ['forbidden', 1]],
  ['404', status(404), ['not-found', 1], ['not-found', 1]],
  ['413', status(413), ['bad-request', 1], ['bad-request', 1]],
  // The interface doesn't say whether these mean that nothing was created.
  ['405', status(405), ['unconfirmed', 1], ['bad-request', 1]],
  ['409', status(409), ['unconfirmed', 1], ['bad-request', 1]],
  ['408', status(408), ['unconfirmed', 1], ['service-error', 4]],
  // The limit is hourly, so a request that costs credits isn't retried within it.
  ['429', status(429), ['rate-limited', 1], ['rate-limited', 4]],
  ['429, a minute', status(429, 60), ['rate-limited', 4], ['rate-limited', 4]],
  ['429, 61 s', status(429, 61), ['rate-limited', 1], ['rate-limited', 1]],
  ['500', status(500), ['unconfirmed', 1], ['service-error', 4]],
  ['502', { ...status(502), when: 'after-handled' }, ['unconfirmed', 1], ['service-error', 4]],
  ['503, a minute', status(503, 60), ['unconfirmed', 1], ['service-error', 4]],
  ['503, 61 s', status(503, 61), ['unconfirmed', 1], ['service-error', 1]],
  ['a redirect', { kind: 'redirect' }, ['unconfirmed', 1], ['redirected', 1]],
  ['a reset', { kind: 'reset' }, ['unconfirmed', 1], ['unreachable', 4]],
  ['half an answer', { kind: 'reset', when: 'half-answer' }, ['unconfirmed', 1], ['unreachable', 4]],
  ['no answer', { kind: 'hang', when: 'after-handled' }, ['unconfirmed', 1], ['unreachable', 4]],
  ['a page', { kind: 'html' }, ['unconfirmed', 1], ['invalid-response', 4]],
  ['half of the JSON', { kind: 'truncated-json', ...after }, ['unconfirmed', 1], ['invalid-response', 4]],
  ['JSON as text', { kind: 'wrong-content-type', ...after }, ['done', 1], ['done', 1]],
];

test.each(cases)('%s', async (_, fault, [writeEnd, writes], [readEnd, reads]) => {
  for (const use of ['createJob', 'sendMessage'] as const)
    expect(await play(use, fault)).toMatchObject({ outcome: writeEnd, sent: writes });
  expect(await play('getJob', fault)).toMatchObject({ outcome: readEnd, sent: reads });
});

test('what was not sent for certain is sent again: nothing can be there', async () => {
  const { simulator } = memoryService();
  const dispatcher = createDispatcher();
  const waits: number[] = [];
  const service = createDocsService({
    // Port 1 of the loopback interface, where nothing listens.
    baseUrl: 'http://127.0.0.1:1',
    projectId: 'p',
    apiKey: 'k',
    clock: simulator.clock,
    dispatcher,
    scrub: (text) => text,
  });
  const created = service.createJob('x', { ...options, onWait: (_, waitMs) => void waits.push(waitMs) });
  await expect(created).rejects.toMatchObject({ reason: 'unreachable', refused: true });
  expect(waits).toHaveLength(3);
  await dispatcher.destroy();
});

test('retries count for whoever keeps a budget, and what it throws ends the call', async () => {
  const { simulator, service } = memoryService();
  simulator.faults.refuse(all, 500, { times: 99 });
  let left = 2;
  const beforeSend = () => {
    if (left === 0) throw new Error('spent');
    left -= 1;
  };
  await expect(service.getJob('job_1', { ...options, beforeSend })).rejects.toThrow('spent');
  expect(simulator.requests).toHaveLength(2);
});

test('an aborted call ends with the reason of the abort, and sends nothing more', async () => {
  const { simulator, service } = memoryService();
  const controller = new AbortController();
  simulator.faults.refuse(all, 500, { times: 99 });
  simulator.onBoundary(() => controller.abort(new Error('cancelled')));
  await expect(service.createJob('x', { signal: controller.signal })).rejects.toThrow('cancelled');
  await expect(service.getJob('job_1', { signal: controller.signal })).rejects.toThrow('cancelled');
  expect(simulator.requests).toHaveLength(1);
});

const sideFields = ['source', 'model', 'prLink', 'createdAt'];

test.each<[string, Record<string, unknown>, string[], Record<string, unknown>]>([
  ['unknown fields', { progress: { percent: 7 }, cost: null }, [], {}],
  ['nothing but id and status', {}, sideFields, {}],
  ['nulls', { source: null, model: null, createdAt: null }, [], {}],
  ['an unknown status', { status: 'pondering' }, [], { status: 'pondering' }],
  ['an empty link', { prLink: '' }, [], { prLink: null }],
  ['a number for a link', { prLink: 7 }, [], { prLink: '7' }],
  [
    'white space around a link',
    { prLink: ' https://x.example/pull/5\n' },
    [],
    { prLink: 'https://x.example/pull/5' },
  ],
  [
    'a link and a command',
    { prLink: 'https://x.example/pull/5\n::error::x' },
    [],
    { prLink: '(no usable link)' },
  ],
  ['a link and words', { prLink: 'https://x.example/pull/5 is done' }, [], { prLink: '(no usable link)' }],
  [
    'a link with a control character',
    { prLink: 'https://x.example/pull/5\u0085' },
    [],
    { prLink: '(no usable link)' },
  ],
  ['numbers for texts', { model: 5, createdAt: 7, source: { ref: 3 } }, [], { model: undefined }],
])('a job with %s is read the same by POST and by GET', async (_, extra, omit, expected) => {
  const { simulator, service } = memoryService();
  simulator.service.scriptNext({ extra, omit });
  const job = await service.createJob('x', options);
  expect(job).toMatchObject({ id: 'job_0001', prLink: null, ...expected });
  expect(await service.getJob(job.id, options)).toEqual(job);
});

test.each<[string, { extra?: Record<string, unknown>; omit?: string[] }]>([
  ['without an id', { omit: ['id'] }],
  ['with an empty id', { extra: { id: '' } }],
])('a response %s is not a job, and the field is named', async (_, script) => {
  const { simulator, service } = memoryService();
  simulator.service.scriptNext(script);
  await expect(service.createJob('x', options)).rejects.toMatchObject({
    reason: 'unconfirmed',
    message: expect.stringMatching(/`id` doesn’t match the API documentation/),
  });
});

test('a created job without a usable status exists; reading it names the field', async () => {
  const { simulator, service } = memoryService();
  simulator.service.scriptNext({ extra: { status: '' } });
  const job = await service.createJob('x', options);
  expect(job).toMatchObject({ id: 'job_0001', status: 'active', prLink: null });
  await expect(service.getJob(job.id, { ...options, tries: 1 })).rejects.toMatchObject({
    reason: 'invalid-response',
    message: expect.stringMatching(/`status` doesn’t match/),
  });
});

test('ids are encoded, and the key goes in the header alone', async () => {
  const { simulator, service } = memoryService();
  await service.getJob('a/../b?c#d%2f', options).catch(() => undefined);
  const [request] = simulator.requests;
  expect(request?.path).toBe('/v2/agent/prj_simulated_docs/job/a%2F..%2Fb%3Fc%23d%252f');
  expect(request?.headers.authorization).toBe(`Bearer ${simulator.service.apiKey}`);
  expect(JSON.stringify({ ...request, headers: { ...request?.headers, authorization: '' } })).not.toContain(
    simulator.service.apiKey,
  );
});

test('fields of any length leave a job that a card has room for', () => {
  const long = 'x'.repeat(200_000);
  const fields = { status: long, model: long, createdAt: long, source: { repository: long, ref: long } };
  const job = jobSchema.parse({ id: 'job_0001', prLink: `https://github.com/${long}`, ...fields });
  expect(JSON.stringify(job).length).toBeLessThan(2_500);
  expect(job.prLink).toBe('(no usable link)');
  expect(jobSchema.safeParse({ id: long, status: 'active' }).success).toBe(false);
});
