import { beforeEach, expect, test } from '@jest/globals';
import { request } from 'undici';

import { choicesOf } from '../../../simulator/http/choose-request.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';

const CREATE = 'POST /v2/agent/{project}/job';
const MESSAGE = 'POST /v2/agent/{project}/job/{id}/message';

let simulator: InMemorySimulator;
beforeEach(() => {
  simulator = createInMemorySimulator();
});

/** Asks for a job; gives the status of the answer. */
async function create(): Promise<number> {
  const { projectId, apiKey } = simulator.service;
  const { statusCode, body } = await request(`${simulator.url}/v2/agent/${projectId}/job`, {
    method: 'POST',
    dispatcher: simulator.dispatcher,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"prompt":"x"}',
  });
  await body.dump();
  return statusCode;
}

test('a fault meets the nth request of a route from now on, and as many after it as it is told', async () => {
  const statuses = async (count: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let made = 0; made < count; made += 1) seen.push(await create());
    return seen;
  };
  await create();
  simulator.faults.add({ at: MESSAGE, kind: 'status', status: 500 });
  simulator.faults.add({ at: CREATE, nth: 3, times: 2, kind: 'status', status: 502 });
  simulator.faults.add({ at: CREATE, kind: 'status', status: 503 });
  simulator.faults.add({ at: CREATE, kind: 'status', status: 504 });
  expect(await statuses(5)).toEqual([503, 504, 502, 502, 201]);
  expect(simulator.faults.pending).toBe(1);
  simulator.faults.clear();
  simulator.faults.add({ at: () => true, nth: 2, kind: 'status', status: 500 });
  expect(await statuses(3)).toEqual([201, 500, 201]);
});

test('a route that the simulator does not have is no choice', () => {
  const at = 'POST /v2/agent/{project}/jobs';
  expect(() => simulator.faults.add({ at, kind: 'reset' })).toThrow(
    /no route POST .*jobs\. It has:\nPOST \/v2/,
  );
  expect(() => simulator.once({ at, phase: 'arrived' }, () => undefined)).toThrow(RangeError);
});

test('something happens once, at a request that is chosen by its route', async () => {
  const seen: [string, number][] = [];
  const note = (what: string) => () => void seen.push([what, simulator.service.jobs.length]);
  simulator.once({ at: CREATE, nth: 2, phase: 'arrived' }, note('arrived'));
  simulator.once({ at: CREATE, nth: 2, phase: 'handled' }, note('handled'));
  const callOff = simulator.once({ at: CREATE, nth: 3, phase: 'arrived' }, note('never'));
  for (let made = 0; made < 2; made += 1) await create();
  callOff();
  await create();
  expect(seen).toEqual([
    ['arrived', 1],
    ['handled', 2],
  ]);
  simulator.once({ at: CREATE, phase: 'handled' }, () => {
    throw new Error('broken off by the test');
  });
  await expect(create()).rejects.toThrow('broken off by the test');
  expect(simulator.service.jobs).toHaveLength(4);
});

test('the requests of one run are choices for the next one', async () => {
  await create();
  await request(`${simulator.githubUrl}/repos/octo-org/docs/issues/7`, { dispatcher: simulator.dispatcher });
  await create();
  expect(choicesOf(simulator.requests)).toEqual([
    { at: CREATE, nth: 1 },
    { at: 'GET /repos/{owner}/{repo}/issues/{issue_number}', nth: 1 },
    { at: CREATE, nth: 2 },
  ]);
  await request(`${simulator.url}/nowhere`, { dispatcher: simulator.dispatcher });
  expect(() => choicesOf(simulator.requests)).toThrow('GET /nowhere has no route');
});
