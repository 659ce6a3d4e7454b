import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent, type Dispatcher, request } from 'undici';
import type { FaultSpec } from '../../../simulator/http/faults.ts';
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
  [
    'seconds',
    { at: CREATE, kind: 'status', status: 429, retryAfter: { form: 'seconds', seconds: 9 } },
    0,
    { headers: { 'retry-after': '9' } },
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
  ['redirect', { at: CREATE, kind: 'redirect' }, 0, { status: 302 }],
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
    simulators[transport].faults.add({ at: CREATE, kind: 'drip', when: 'after-handled' });
    await expect(create(transport, 100)).rejects.toThrow();
    await expect(create(transport, 100)).rejects.toThrow();
    expect(jobsOf(transport)).toBe(1);
  },
);
