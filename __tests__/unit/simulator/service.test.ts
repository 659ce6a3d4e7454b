import { beforeEach, expect, test } from '@jest/globals';
import { request } from 'undici';

import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { DEFAULT_PROJECT } from '../../../simulator/service/service.ts';

let simulator: InMemorySimulator;
beforeEach(() => {
  simulator = createInMemorySimulator();
});

interface Call {
  readonly path?: string;
  readonly method?: 'GET' | 'POST';
  readonly key?: string | null;
  readonly body?: unknown;
  readonly contentType?: string;
}

const JOBS = `/v2/agent/${DEFAULT_PROJECT.id}/job`;

async function call({
  path = JOBS,
  method = 'POST',
  key = DEFAULT_PROJECT.apiKey,
  body,
  contentType,
}: Call = {}) {
  const response = await request(simulator.url + path, {
    method,
    dispatcher: simulator.dispatcher,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = (await response.body.json()) as Record<string, unknown>;
  return { status: response.statusCode, headers: response.headers, body: answer };
}

const create = (prompt = 'Write it.') => call({ body: { prompt } });
const get = (id = 'job_0001') => call({ method: 'GET', path: `${JOBS}/${id}` });
const message = (id = 'job_0001', prompt = 'Go on.') =>
  call({ path: `${JOBS}/${id}/message`, body: { prompt } });

test('a job goes from active to completed on the simulated clock', async () => {
  const created = await create();
  expect(created).toMatchObject({ status: 201, body: { id: 'job_0001', status: 'active', prLink: null } });
  expect(created.body.createdAt).toBe('2026-01-05T09:00:00.000Z');
  simulator.clock.advance(59_999);
  expect((await get()).body.status).toBe('active');
  simulator.clock.advance(1);
  expect((await get()).body).toMatchObject({
    status: 'completed',
    prLink: 'https://github.com/octo-org/docs/pull/101',
    archivedAt: null,
  });
  expect(simulator.service.jobs[0]?.prompts).toEqual(['Write it.']);
  expect(simulator.violations).toEqual([]);
});

test('a message makes the job active again, after a stale while', async () => {
  await create();
  simulator.clock.advance(60_000);
  simulator.service.scriptNextMessage({ staleMs: 10_000, activeMs: 20_000, end: 'failed' });
  expect((await message()).body).toMatchObject({ status: 'completed' });
  simulator.clock.advance(10_000);
  expect((await get()).body).toMatchObject({ status: 'active', prLink: null });
  simulator.clock.advance(20_000);
  expect((await get()).body).toMatchObject({ status: 'failed', prLink: null });
  expect(simulator.service.jobs[0]?.prompts).toEqual(['Write it.', 'Go on.']);
});

test('jobs follow their script: late link, odd statuses, fields left out and put in, no end', async () => {
  simulator.service.script({ activeMs: 0 });
  simulator.service.scriptNext({ prLinkDelayMs: 5_000 });
  simulator.service.scriptNext({ end: 'paused', omit: ['id'], archivedAt: 'omit', extra: { progress: 3 } });
  simulator.service.scriptNext({ end: 'never', activeStatus: 'queued' });
  simulator.service.scriptNext({ prLink: 'javascript:alert(1)' });
  expect((await create()).body).toMatchObject({ status: 'completed', prLink: null });
  simulator.clock.advance(5_000);
  expect((await get()).body.prLink).toMatch(/^https:/);
  const odd = (await create()).body;
  expect(odd).toMatchObject({ status: 'paused', progress: 3 });
  expect(odd).not.toHaveProperty('id');
  expect(odd).not.toHaveProperty('archivedAt');
  expect((await create()).body.status).toBe('queued');
  simulator.clock.advance(86_400_000);
  expect((await get('job_0003')).body.status).toBe('queued');
  expect((await create()).body.prLink).toBe('javascript:alert(1)');
});

test('a job can be ended by hand; what archived jobs do with messages is scripted', async () => {
  await create();
  simulator.service.jobs[0]?.end('archived');
  expect((await get()).body).toMatchObject({ status: 'archived', archivedAt: '2026-01-05T09:00:00.000Z' });
  expect(await message()).toMatchObject({ status: 200, body: { status: 'archived' } });
  simulator.service.messageToArchived = 'refused';
  expect((await message()).status).toBe(400);
  simulator.service.messageToArchived = 'revives';
  expect((await message()).body.status).toBe('active');
});

test('a job archived by its script was archived when it ended, whenever somebody looks', async () => {
  simulator.service.script({ activeMs: 60_000, end: 'archived' });
  await create();
  simulator.clock.advance(3_600_000);
  expect((await get()).body).toMatchObject({ status: 'archived', archivedAt: '2026-01-05T09:01:00.000Z' });
});

test('the source is a full address', async () => {
  expect((await create()).body.source).toEqual({
    repository: 'https://github.com/octo-org/docs',
    ref: 'main',
  });
});

test('refuses keys and ids it does not know, without calling it a violation', async () => {
  expect(await call({ key: 'mint_fake_wrong', body: { prompt: 'x' } })).toMatchObject({ status: 401 });
  expect(await call({ path: '/v2/agent/nobody/job', body: { prompt: 'x' } })).toMatchObject({
    status: 404,
    body: { error: 'Project not found' },
  });
  expect(await get('job_9999')).toMatchObject({ status: 404, body: { error: 'Job not found' } });
  expect(await message('job_9999')).toMatchObject({ status: 404 });
  expect(simulator.violations).toEqual([]);
});

test('a key serves every project of its organisation, and none of another', async () => {
  const { service } = simulator;
  service.addProject({ id: 'prj_second', organisation: DEFAULT_PROJECT.organisation });
  service.addProject({ id: 'prj_foreign', organisation: 'org_foreign', apiKey: 'mint_fake_foreign' });
  const ask = (project: string, key: string) =>
    call({ path: `/v2/agent/${project}/job`, key, body: { prompt: 'x' } });
  expect(await ask('prj_second', DEFAULT_PROJECT.apiKey)).toMatchObject({ status: 201 });
  expect(await ask('prj_foreign', DEFAULT_PROJECT.apiKey)).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('another organization') },
  });
  expect(await ask('prj_second', 'mint_fake_foreign')).toMatchObject({ status: 403 });
  expect(await ask('nobody', 'mint_fake_foreign')).toMatchObject({ status: 404 });
  // A job is found in its own project only, though the key serves both.
  const path = (project: string) => `/v2/agent/${project}/job/job_0001`;
  expect(await call({ method: 'GET', path: path('prj_second') })).toMatchObject({ status: 200 });
  expect(await call({ method: 'GET', path: path(DEFAULT_PROJECT.id) })).toMatchObject({ status: 404 });
  expect(service.jobs).toHaveLength(1);
  expect(simulator.violations).toEqual([]);
});

test('a read key looks at jobs and visitors, and asks for nothing', async () => {
  const key = 'mint_fake_reader';
  simulator.service.addKey(key, { scope: 'read' });
  await create();
  expect(await call({ key, body: { prompt: 'x' } })).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('write scope') },
  });
  expect(await call({ key, path: `${JOBS}/job_0001/message`, body: { prompt: 'x' } })).toMatchObject({
    status: 403,
  });
  expect(await call({ key, method: 'GET', path: `${JOBS}/job_0001` })).toMatchObject({ status: 200 });
  const visitors = `/v1/analytics/${DEFAULT_PROJECT.id}/visitors`;
  expect(await call({ key, method: 'GET', path: visitors })).toMatchObject({ status: 200 });
  expect(simulator.service.jobs[0]?.prompts).toEqual(['Write it.']);
});

test('a key that was rotated is unknown, and the new one serves the same jobs', async () => {
  await create();
  simulator.service.addKey('mint_fake_1111rotated1111');
  simulator.service.revokeKey(DEFAULT_PROJECT.apiKey);
  expect((await get()).status).toBe(401);
  const path = `${JOBS}/job_0001`;
  expect(await call({ key: 'mint_fake_1111rotated1111', method: 'GET', path })).toMatchObject({
    status: 200,
  });
});

test.each<[string, Call, number]>([
  ['no key', { key: null, body: { prompt: 'x' } }, 401],
  ['no body', {}, 400],
  ['an empty prompt', { body: { prompt: '' } }, 400],
  ['a prompt that is no string', { body: { prompt: 1 } }, 400],
  ['an unknown field', { body: { prompt: 'x', model: 'y' } }, 400],
  ['an array', { body: [] }, 400],
  ['broken JSON', { body: '{"prompt":' }, 400],
  ['another content type', { body: { prompt: 'x' }, contentType: 'text/plain' }, 400],
  ['6 MB', { body: { prompt: 'x'.repeat(6e6) } }, 413],
  ['an unknown endpoint', { path: `${JOBS}s`, body: { prompt: 'x' } }, 404],
  ['another method', { method: 'GET' }, 404],
])('refuses %s and calls it a violation', async (_, request, status) => {
  expect((await call(request)).status).toBe(status);
  expect(simulator.violations).toHaveLength(1);
  expect(simulator.service.jobs).toHaveLength(0);
});

test('path parameters are decoded once', async () => {
  simulator.service.addProject({ id: 'a/b %2F..', apiKey: 'mint_fake_other', organisation: 'o' });
  const path = `/v2/agent/${encodeURIComponent('a/b %2F..')}/job`;
  expect(await call({ path, key: 'mint_fake_other', body: { prompt: 'x' } })).toMatchObject({ status: 201 });
  expect(simulator.service.jobs[0]?.projectId).toBe('a/b %2F..');
  expect(simulator.requests[0]?.path).toBe(path);
});

test('creates and messages share an hourly limit that says when to come back', async () => {
  simulator.service.limit.usesPerHour = 2;
  await create();
  simulator.clock.advance(600_000);
  await message();
  expect(await create()).toMatchObject({ status: 429, headers: { 'retry-after': '3000' } });
  simulator.service.limit.retryAfter = 'http-date';
  expect((await create()).headers['retry-after']).toBe('Mon, 05 Jan 2026 10:00:00 GMT');
  expect((await get()).status).toBe(200);
  simulator.clock.advance(3_000_000);
  expect((await create()).status).toBe(201);
});

test('errors on demand, for an endpoint and so many times', async () => {
  simulator.service.fail({ on: ['create'], status: 503, times: 1, headers: { 'retry-after': '7' } });
  expect(await create()).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
  expect(await create()).toMatchObject({ status: 201 });
  simulator.service.fail({ status: 500, error: 'boom' });
  expect((await get()).body).toEqual({ error: 'boom' });
  expect((await get()).status).toBe(500);
  simulator.service.recover();
  expect((await get()).status).toBe(200);
});

test('latency passes on the simulated clock', async () => {
  simulator.service.latencyMs = 1_500;
  await create();
  expect(simulator.clock.monotonic()).toBe(1_500);
});
