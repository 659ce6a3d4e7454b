import { beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import * as z from 'zod/mini';

import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { DEFAULT_PROJECT } from '../../../simulator/service/service.ts';

/*
 * The simulated service against the interface as the real one documents it: its answers have the documented form, and what
 * the interface does not allow is refused and noted as a violation. Every other test stands on that.
 */

const jobs = `/v2/agent/${DEFAULT_PROJECT.id}/job`;
const visitors = `/v1/analytics/${DEFAULT_PROJECT.id}/visitors`;

const dateTime = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
const jobAnswer = z.strictObject({
  id: z.string(),
  status: z.enum(['active', 'completed', 'archived', 'failed']),
  source: z.strictObject({ repository: z.string(), ref: z.string() }),
  model: z.string(),
  prLink: z.nullable(z.string().check(z.startsWith('https://'))),
  createdAt: dateTime,
  archivedAt: z.optional(z.nullable(dateTime)),
});
const count = z.int().check(z.nonnegative());
const counts = { human: count, ai: count, total: count };
const visitorsAnswer = z.strictObject({
  totals: z.strictObject(counts),
  visitors: z.array(z.strictObject({ path: z.string(), ...counts })),
  hasMore: z.boolean(),
});

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

async function call({ path = jobs, key = DEFAULT_PROJECT.apiKey, body, ...call }: Call) {
  const { method = 'POST', contentType = 'application/json' } = call;
  const response = await request(simulator.url + path, {
    method,
    dispatcher: simulator.dispatcher,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.statusCode, headers: response.headers, body: await response.body.json() };
}

const create = () => call({ body: { prompt: 'Write it.' } });
const get = (id = 'job_0001') => call({ method: 'GET', path: `${jobs}/${id}` });
const read = (query: string) => call({ method: 'GET', path: `${visitors}?${query}` });

test.each(['completed', 'failed', 'archived'])(
  'a job that ends %s, and goes on after a message',
  async (end) => {
    simulator.service.script({ end });
    const answers = [await create(), await get()];
    simulator.clock.advance(60_000);
    answers.push(await get());
    answers.push(await call({ path: `${jobs}/job_0001/message`, body: { prompt: 'Go on.' } }));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    const after = end === 'archived' ? 'archived' : 'active';
    const statuses = answers.map(({ body }) => jobAnswer.parse(body).status);
    expect(statuses).toEqual(['active', 'active', end, after]);
    expect(simulator.service.jobs[0]?.prompts).toEqual(['Write it.', 'Go on.']);
    expect(simulator.violations).toEqual([]);
  },
);

test('visitors come in pages, whole and without repeating any, and totals are deduplicated', async () => {
  simulator.service.visitors.script({ rows: 600 });
  const rows: z.infer<typeof visitorsAnswer>['visitors'] = [];
  for (const offset of [0, 250, 500]) {
    const { body } = await read(`dateFrom=2026-01-05&dateTo=2026-01-12&limit=250&offset=${offset}`);
    const { visitors, hasMore, totals } = visitorsAnswer.parse(body);
    expect(hasMore).toBe(offset < 500);
    rows.push(...visitors, { ...totals, path: 'totals' });
  }
  expect(new Set(rows.map(({ path }) => path)).size).toBe(601);
  for (const { human, ai, total } of rows) {
    expect(total).toBeGreaterThanOrEqual(Math.max(human, ai));
    expect(total).toBeLessThanOrEqual(human + ai);
  }
  expect(visitorsAnswer.parse((await read('')).body).visitors).toHaveLength(50);
});

test('the limits of an hour: a project’s uses of the agent, and an organization’s of analytics', async () => {
  simulator.service.limit.usesPerHour = 2;
  for (const expected of [201, 201, 429]) expect((await create()).status).toBe(expected);
  expect(await create()).toMatchObject({
    headers: { 'retry-after': '3600' },
    body: { error: expect.any(String) },
  });
  expect((await get()).status).toBe(200);
  simulator.service.visitors.useElsewhere(DEFAULT_PROJECT.organisation, 99);
  for (const expected of [200, 429]) expect((await read('')).status).toBe(expected);
});

describe('refuses what can happen to anybody, and notes no violation:', () => {
  test.each<[string, Call, number]>([
    ['a key that is none', { key: 'mint_fake_wrong', body: { prompt: 'x' } }, 401],
    ['a key with `read` scope', { key: 'mint_fake_reader', body: { prompt: 'x' } }, 403],
    ['a key of another organization', { key: 'mint_fake_foreign', body: { prompt: 'x' } }, 403],
    ['a project that is none', { path: '/v2/agent/nobody/job', body: { prompt: 'x' } }, 404],
    ['a job that is none', { method: 'GET', path: `${jobs}/job_9` }, 404],
    ['a message to a job that is none', { path: `${jobs}/job_9/message`, body: { prompt: 'x' } }, 404],
  ])('%s', async (_, request, status) => {
    simulator.service.addKey('mint_fake_reader', { scope: 'read' });
    simulator.service.addKey('mint_fake_foreign', { organisation: 'org_foreign' });
    expect(await call(request)).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(simulator.violations).toEqual([]);
    expect(simulator.service.jobs).toEqual([]);
  });
});

describe('refuses what no correct client sends, and notes a violation:', () => {
  const window = (query: string): Call => ({ method: 'GET', path: `${visitors}?${query}` });
  test.each<[string, Call, number]>([
    ['no key', { key: null, body: { prompt: 'x' } }, 401],
    ['no body', {}, 400],
    ['an empty prompt', { body: { prompt: '' } }, 400],
    ['a prompt that is no string', { body: { prompt: 1 } }, 400],
    ['an unknown field', { body: { prompt: 'x', model: 'y' } }, 400],
    ['broken JSON', { body: '{"prompt":' }, 400],
    ['another content type', { body: { prompt: 'x' }, contentType: 'text/plain' }, 400],
    ['6 MB', { body: { prompt: 'x'.repeat(6e6) } }, 413],
    ['an unknown endpoint', { path: `${jobs}s`, body: { prompt: 'x' } }, 404],
    ['another method', { method: 'GET' }, 404],
    ['limit 0', window('limit=0'), 400],
    ['limit 251', window('limit=251'), 400],
    ['offset -1', window('offset=-1'), 400],
    ['31 February', window('dateFrom=2026-02-31'), 400],
    ['an empty window', window('dateFrom=2026-01-05&dateTo=2026-01-05'), 400],
    ['an unknown parameter', window('page=2'), 400],
  ])('%s', async (_, request, status) => {
    expect((await call(request)).status).toBe(status);
    expect(simulator.violations).toHaveLength(1);
    expect(simulator.service.jobs).toEqual([]);
  });
});
