import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import type { FaultSpec } from '../../../simulator/http/faults.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { DEFAULT_PROJECT } from '../../../simulator/service/service.ts';

const CREATE = 'POST /v2/agent/{project}/job';

/** The same faults over a socket and in memory: both must look alike to a client. */
const transports = ['socket', 'memory'] as const;
let simulators: { readonly socket: Simulator; readonly memory: InMemorySimulator };
let dispatchers: Record<(typeof transports)[number], Dispatcher>;
let listening: Simulator;

beforeEach(async () => {
  listening = await startSimulator();
  const memory = createInMemorySimulator();
  simulators = { socket: listening, memory };
  dispatchers = { socket: new Agent(), memory: memory.dispatcher };
});
afterEach(async () => {
  await listening.close();
  await dispatchers.socket.destroy();
});

async function create(transport: (typeof transports)[number], timeoutMs = 5_000) {
  const { url } = simulators[transport];
  const response = await request(`${url}/v2/agent/${DEFAULT_PROJECT.id}/job`, {
    method: 'POST',
    dispatcher: dispatchers[transport],
    headers: { authorization: `Bearer ${DEFAULT_PROJECT.apiKey}`, 'content-type': 'application/json' },
    body: '{"prompt":"x"}',
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

const jobsOf = (transport: (typeof transports)[number]): number => simulators[transport].service.jobs.length;

type Case = [name: string, fault: FaultSpec, jobs: number, expected: object | 'error'];
const cases: Case[] = [
  ['reset before', { at: CREATE, kind: 'reset' }, 0, 'error'],
  ['reset after', { at: CREATE, kind: 'reset', when: 'after-handled' }, 1, 'error'],
  ['half an answer', { at: CREATE, kind: 'reset', when: 'half-answer' }, 1, 'error'],
  ['status', { at: CREATE, kind: 'status', status: 503 }, 0, { status: 503 }],
  ['status after', { at: CREATE, kind: 'status', status: 502, when: 'after-handled' }, 1, { status: 502 }],
  [
    'seconds',
    { at: CREATE, kind: 'status', status: 429, retryAfter: { form: 'seconds', seconds: 9 } },
    0,
    { headers: { 'retry-after': '9' } },
  ],
  [
    'a date',
    { at: CREATE, kind: 'status', status: 429, retryAfter: { form: 'http-date', seconds: 9 } },
    0,
    { headers: { 'retry-after': 'Mon, 05 Jan 2026 09:00:09 GMT' } },
  ],
  [
    'garbage',
    { at: CREATE, kind: 'status', status: 429, retryAfter: { form: 'raw', value: 'soon' } },
    0,
    { headers: { 'retry-after': 'soon' } },
  ],
  [
    'html',
    { at: CREATE, kind: 'html' },
    0,
    { status: 200, text: expect.stringContaining('<!DOCTYPE html>') },
  ],
  [
    'truncated JSON',
    { at: CREATE, kind: 'truncated-json', when: 'after-handled' },
    1,
    { status: 201, text: expect.not.stringContaining('}}') },
  ],
  [
    'another type',
    { at: CREATE, kind: 'wrong-content-type', when: 'after-handled' },
    1,
    { status: 201, headers: { 'content-type': 'text/plain' }, text: expect.stringContaining('job_0001') },
  ],
  ['redirect', { at: CREATE, kind: 'redirect', location: 'http://127.0.0.1:9/' }, 0, { status: 302 }],
];

test.each(transports.flatMap((transport) => cases.map((one): [string, ...Case] => [transport, ...one])))(
  '%s: %s',
  async (transport, _, fault, jobs, expected) => {
    const name = transport as (typeof transports)[number];
    simulators[name].faults.add(fault);
    const answer = create(name);
    if (expected === 'error') await expect(answer).rejects.toThrow(/socket|closed|ECONNRESET|terminated/i);
    else expect(await answer).toMatchObject(expected);
    expect(jobsOf(name)).toBe(jobs);
    expect(simulators[name].faults.pending).toBe(0);
    expect(simulators[name].requests).toMatchObject([{ route: CREATE, fault: fault.kind }]);
    expect((await create(name)).status).toBe(201);
  },
);

test.each(transports)(
  '%s: a hanging and a dripping answer end by the client’s timeout',
  async (transport) => {
    simulators[transport].faults.add({ at: CREATE, kind: 'hang' });
    simulators[transport].faults.add({ at: CREATE, kind: 'drip', when: 'after-handled', everyMs: 20 });
    await expect(create(transport, 100)).rejects.toThrow();
    await expect(create(transport, 100)).rejects.toThrow();
    expect(jobsOf(transport)).toBe(1);
  },
);

test('a drip comes to its end for whoever waits', async () => {
  listening.faults.add({ at: CREATE, kind: 'drip', when: 'after-handled', everyMs: 1 });
  expect(JSON.parse((await create('socket')).text)).toMatchObject({ id: 'job_0001' });
});

test.each(transports)('%s: oversized JSON is whole, and ends early for who hangs up', async (transport) => {
  simulators[transport].faults.add({
    at: ({ method }) => method === 'POST',
    kind: 'oversized-json',
    bytes: 2_000_000,
  });
  expect((await create(transport)).text.length).toBeGreaterThan(2_000_000);
  simulators[transport].faults.add({ at: ({ path }) => path === '/x', kind: 'oversized-json', bytes: 1e12 });
  const { body } = await request(`${simulators[transport].url}/x`, { dispatcher: dispatchers[transport] });
  body.on('error', () => undefined);
  body.destroy();
});

test.each(transports)('%s: the other origin keeps what followed a redirect', async (transport) => {
  const simulator = simulators[transport];
  simulator.faults.add({ at: CREATE, kind: 'redirect' });
  const { headers } = await create(transport);
  expect(headers.location).toBe(`${simulator.otherOrigin.url}/elsewhere`);
  await request(String(headers.location), { dispatcher: dispatchers[transport] });
  expect(simulator.otherOrigin.requests).toMatchObject([{ method: 'GET', target: '/elsewhere' }]);
  expect(simulator.requests).toHaveLength(1);
});

test.each(transports)('%s: boundary hooks see both edges of a request', async (transport) => {
  const simulator = simulators[transport];
  const seen: [RecordedRequest['route'], string, number | null][] = [];
  const end = simulator.onBoundary(async ({ route, status }, phase) => {
    await Promise.resolve();
    seen.push([route, phase, status]);
  });
  await create(transport);
  expect(seen).toEqual([
    [CREATE, 'arrived', null],
    [CREATE, 'handled', 201],
  ]);
  end();
  const stop = simulator.onBoundary((_, phase) => {
    if (phase === 'handled')
      throw Object.assign(new Error('connection reset by the test'), { code: 'ECONNRESET' });
  });
  await expect(create(transport)).rejects.toThrow(/connection reset by the test|other side closed/);
  stop();
  expect(jobsOf(transport)).toBe(2);
  expect(seen).toHaveLength(2);
});

test('undici’s retry interceptor works on the dispatcher in memory', async () => {
  const { memory } = simulators;
  memory.faults.add({ at: CREATE, kind: 'status', status: 503 });
  memory.faults.add({ at: CREATE, kind: 'reset' });
  const retry = interceptors.retry({ minTimeout: 1, maxTimeout: 1, methods: ['POST'] });
  dispatchers.memory = dispatchers.memory.compose(retry);
  expect((await create('memory')).status).toBe(201);
  expect(memory.requests.map(({ status }) => status)).toEqual([null, null, 201]);
});

test('close breaks open connections off and leaves nothing behind', async () => {
  listening.faults.add({ at: CREATE, kind: 'hang' });
  const hanging = create('socket');
  const assertion = expect(hanging).rejects.toThrow();
  while (listening.requests.length === 0) await new Promise(setImmediate);
  await listening.close();
  await assertion;
});

test('the clock moves by the control endpoint, which is no request', async () => {
  const move = (body: string) => request(`${listening.url}/_simulator/clock`, { method: 'POST', body });
  const moved = await move('{"advanceMs":1500}');
  expect(await moved.body.json()).toEqual({ now: listening.clock.startMs + 1_500 });
  const refused = await move('{"advanceMs":-1}');
  expect(refused.statusCode).toBe(400);
  await refused.body.dump();
  expect(listening.requests).toHaveLength(0);
});

test('in memory, a thousand requests are quick, and the network is out of reach', async () => {
  simulators.memory.service.limit.usesPerHour = 1_000;
  const startedAt = performance.now();
  for (let made = 0; made < 1_000; made += 1) await create('memory');
  expect((performance.now() - startedAt) / 1_000).toBeLessThan(2);
  const elsewhere = request('http://example.com/', { dispatcher: dispatchers.memory });
  await expect(elsewhere).rejects.toThrow('ECONNREFUSED');
});
