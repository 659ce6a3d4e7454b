import { beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import * as z from 'zod/mini';

import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { RunnerLog } from '../../simulator/runner/log.ts';

/*
 * No other test checks these parts of the simulator: Its responses match the documentation. It rejects requests that no correct
 * client sends, and records them as violations. Its runner executes the commands in hostile text.
 */

let simulator: InMemorySimulator;
beforeEach(() => {
  simulator = createInMemorySimulator();
  simulator.github.addThread({ number: 7 });
});

const job = '/v2/agent/prj_simulated_docs/job';
const visitors = '/v1/analytics/prj_simulated_docs/visitors';
const comments = '/github/repos/octo-org/docs/issues/7/comments';

/** Sends a correct request, except for the given body and headers. */
async function send(method: 'GET' | 'POST', path: string, body?: unknown, headers: object = {}) {
  const key = path.startsWith('/github') ? 'ghs_fake_0000simulated0000' : simulator.service.apiKey;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const { statusCode, body: answer } = await request(simulator.url + path, {
    method,
    dispatcher: simulator.dispatcher,
    headers: { 'user-agent': 'test', authorization: `Bearer ${key}`, ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: statusCode, answer: await answer.json() };
}

describe('the service returns the documented fields for', () => {
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
  test.each(['completed', 'failed', 'archived'])('a job that ends %s', async (end) => {
    simulator.service.script({ end });
    const created = await send('POST', job, { prompt: 'Write it.' });
    simulator.clock.advance(60_000);
    const ended = await send('GET', `${job}/job_0001`);
    const messaged = await send('POST', `${job}/job_0001/message`, { prompt: 'Go on.' });
    expect([created, ended, messaged].map(({ status }) => status)).toEqual([201, 200, 200]);
    const statuses = [created, ended, messaged].map(({ answer }) => jobAnswer.parse(answer).status);
    expect(statuses).toEqual(['active', end, end === 'archived' ? 'archived' : 'active']);
    expect(simulator.violations).toEqual([]);
  });
});

describe('it is a violation to send', () => {
  const prompt = { prompt: 'x' };
  test.each<[string, number, Parameters<typeof send>]>([
    ['no key', 401, ['POST', job, prompt, { authorization: '' }]],
    ['an empty prompt', 400, ['POST', job, { prompt: '' }]],
    ['a prompt that is not a string', 400, ['POST', job, { prompt: 1 }]],
    ['an unknown field', 400, ['POST', job, { ...prompt, model: 'y' }]],
    ['broken JSON', 400, ['POST', job, '{"prompt":']],
    ['another content type', 400, ['POST', job, prompt, { 'content-type': 'text/plain' }]],
    ['6 MB', 413, ['POST', job, { prompt: 'x'.repeat(6e6) }]],
    ['a request to an unknown endpoint', 404, ['POST', `${job}s`, prompt]],
    ['limit 251', 400, ['GET', `${visitors}?limit=251`]],
    ['offset -1', 400, ['GET', `${visitors}?offset=-1`]],
    ['31 February', 400, ['GET', `${visitors}?dateFrom=2026-02-31`]],
    ['an empty window', 400, ['GET', `${visitors}?dateFrom=2026-01-05&dateTo=2026-01-05`]],
    ['an unknown parameter', 400, ['GET', `${visitors}?page=2`]],
    ['a request that the action never needs', 404, ['GET', '/github/repos/octo-org/docs/labels']],
    ['a parameter that GitHub ignores', 200, ['GET', `${comments}?direction=desc`]],
    ['a blank comment', 422, ['POST', comments, { body: ' ' }]],
    ['a comment that is not a string', 422, ['POST', comments, { body: 1 }]],
    ['65,537 characters', 422, ['POST', comments, { body: 'x'.repeat(65_537) }]],
    [
      'a future API version',
      400,
      ['GET', comments, undefined, { 'x-github-api-version': '2099-01-01' }],
    ],
  ])('%s', async (_, expected, sent) => {
    expect(await send(...sent)).toMatchObject({ status: expected });
    expect(simulator.violations).toHaveLength(1);
    expect([...simulator.service.jobs, ...simulator.github.comments]).toEqual([]);
  });
});

test('the runner executes every command, even in lines with outside text', () => {
  const log = new RunnerLog();
  log.line('  ::SET-OUTPUT name=a%3Ab,x=y::1%0A2%25');
  log.line('quoted: ##[set-output name=c;]mid-line');
  log.line('::stop-commands::pause');
  log.line('::set-output name=d::never');
  log.line('::pause::');
  log.line('::add-mask::first line%0Asecond');
  log.line('::unknown::shown');
  log.line('::debug::hidden');
  log.line('::error title=Bad::the second time');
  expect(log.outputs).toEqual({ 'a:b': '1\n2%', c: 'mid-line' });
  expect(log.text).toBe('::set-output name=d::never\n::unknown::shown\nError: the *** time\n');
  expect(log.annotations.at(-1)).toEqual({ level: 'error', title: 'Bad', message: 'the *** time' });
});
