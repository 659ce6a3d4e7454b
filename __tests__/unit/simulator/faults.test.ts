import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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

const handled = { at: CREATE, when: 'after-handled' } as const;
const inSeconds = { retryAfter: { form: 'seconds', seconds: 9 } } as const;
const after9s = { headers: { 'retry-after': '9' } };
const page = { status: 200, text: expect.stringContaining('<!DOCTYPE html>') };
const asText = { headers: { 'content-type': 'text/plain' }, text: expect.stringContaining('job_0001') };
const cases: [name: string, fault: FaultSpec, jobs: number, expected: object | 'error'][] = [
  ['reset before', { at: CREATE, kind: 'reset' }, 0, 'error'],
  ['reset after', { ...handled, kind: 'reset' }, 1, 'error'],
  ['half an answer', { at: CREATE, kind: 'reset', when: 'half-answer' }, 1, 'error'],
  ['status', { at: CREATE, kind: 'status', status: 503 }, 0, { status: 503 }],
  ['seconds', { at: CREATE, kind: 'status', status: 429, ...inSeconds }, 0, after9s],
  ['html', { at: CREATE, kind: 'html' }, 0, page],
  ['truncated JSON', { ...handled, kind: 'truncated-json' }, 1, { text: expect.not.stringContaining('}}') }],
  ['another type', { ...handled, kind: 'wrong-content-type' }, 1, { status: 201, ...asText }],
  ['redirect', { at: CREATE, kind: 'redirect' }, 0, { status: 302 }],
];

describe.each(transports)('%s', (transport) => {
  test.each(cases)('%s', async (_, fault, jobs, expected) => {
    const { faults, service, requests } = simulators[transport];
    faults.add(fault);
    const answer = create(transport);
    if (expected === 'error') await expect(answer).rejects.toThrow(/socket|closed|ECONNRESET|terminated/i);
    else expect(await answer).toMatchObject(expected);
    expect(service.jobs).toHaveLength(jobs);
    expect(faults.pending).toBe(0);
    expect(requests).toMatchObject([{ route: CREATE, fault: fault.kind }]);
    expect((await create(transport)).status).toBe(201);
  });

  test('a hanging and a dripping answer end by the client’s timeout', async () => {
    const { faults, service } = simulators[transport];
    faults.add({ at: CREATE, kind: 'hang' });
    faults.add({ ...handled, kind: 'drip' });
    await expect(create(transport, 100)).rejects.toThrow();
    await expect(create(transport, 100)).rejects.toThrow();
    expect(service.jobs).toHaveLength(1);
  });
});
