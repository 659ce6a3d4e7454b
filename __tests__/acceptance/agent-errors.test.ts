import { expect, test } from '@jest/globals';
import { toString as wordsIn } from 'mdast-util-to-string';

import type { FaultSpec } from '../../simulator/http/faults.ts';
import { listen } from '../../simulator/http/server.ts';
import type { RunResult } from '../../simulator/runner/runner.ts';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';

const stage = new Stage();

const jobs = '/v2/agent/prj_simulated_docs/job';

/** Most tests inject a fault into the request that creates a job, because it costs credits. */
const at = routes.createJob;

function expectError(run: RunResult, reason: string, says: RegExp): void {
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toMatchObject({ outcome: 'failed', reason, 'pr-link': '', 'comment-url': '' });
  const { level, message } = lastAnnotation(run);
  expect(level).toBe('error');
  expect(message).toMatch(says);
  const { error, ...result } = JSON.parse(run.outputs.result ?? '');
  expect(result).toMatchObject({ reason });
  expect(message).toContain(error);
  expect(run.summary).toContain(`\`failed\` (\`${reason}\`)`);
  // The service's response is shown as code, and our own sentences as paragraphs.
  const nodes = nodesOf(parseGfm(run.summary));
  const texts = (type: string) => nodes.filter((node) => node.type === type).map((node) => wordsIn(node));
  const [first = '', ...hints] = error.split('\n');
  const [answer] = texts('code').filter((text) => first.replace(/\.$/, '').endsWith(`: ${text}`));
  const what = first.replace(/\.$/, '').replace(`: ${answer}`, '');
  expect(texts('paragraph').join('\n')).toContain(plain(what));
  for (const hint of hints) expect(texts('paragraph').join('\n')).toContain(plain(hint));
}

/** Removes the backticks, which Markdown doesn't show. */
const plain = (words: string) => words.replaceAll('`', '');

/** Responses that mean that no job was created, so running again is safe. */
const refusals: [status: number, reason: string, says: RegExp][] = [
  [400, 'bad-request', /answered 400: No\.\n.*its response says why/],
  [401, 'unauthorized', /answered 401: No\.\n.*wrong or has expired.*90 days/],
  [402, 'forbidden', /answered 402: No\.\n.*your plan may not include API access/],
  [403, 'forbidden', /answered 403: No\.\n.*`write` scope.*a different organization.*allowlist.*plan/],
  [404, 'not-found', /answered 404: No\.\n.*no such project.*`project-id`/],
  [
    429,
    'rate-limited',
    /^The service’s hourly limit has been reached\..*\n.*answered 429: No\.\nThe hourly limit has been reached\. Try again after 09:20 UTC \(in 20 min\)/,
  ],
];

test.each(refusals)(
  'a %i for a new job is an error with a hint, and is not retried',
  async (status, reason, says) => {
    const wait = status === 429 ? { retryAfter: 1_200 } : {};
    stage.simulator.faults.refuse(at, status, { says: 'No', ...wait });
    const run = await stage.play({ prompt: 'x' });
    expectError(run, reason, says);
    expect(run.outputs['job-id']).toBe('');
    expect(run.summary).toMatch(/Nothing was (created|sent to the agent)\./);
    expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
  },
);

/** Faults after which a job may or may not exist. */
const ambiguous: [name: string, fault: FaultSpec, jobs: number, says: RegExp][] = [
  ['a 502 from a gateway', { at, kind: 'status', status: 502, when: 'after-handled' }, 1, /answered 502/],
  ['an HTML page with status 200', { at, kind: 'html' }, 0, /200 with `text\/html.*not JSON/],
  ['truncated JSON', { at, kind: 'truncated-json', when: 'after-handled' }, 1, /201 .*not JSON/],
  [
    'a broken connection',
    { at, kind: 'reset', when: 'after-handled' },
    1,
    /the service’s response was incomplete/,
  ],
  ['no response', { at, kind: 'hang' }, 0, /no complete response within 30 s/],
  ['a response that is too long', { at, kind: 'oversized-json' }, 0, /the response is too long/],
  // A server that redirects may also have accepted the request.
  [
    'a redirect',
    { at, kind: 'redirect', status: 307 },
    0,
    /redirect to `http:\/\/127\.0\.0\.1:\d+`, which was not followed/,
  ],
];

test.each(ambiguous)('after %s, nothing is sent again', async (_, fault, created, says) => {
  stage.simulator.faults.add(fault);
  const run = await stage.play({ prompt: 'x' });
  expectError(run, 'unconfirmed', says);
  expect(run.summary).toContain('A job may exist.');
  const hint = 'It won’t be sent again automatically: check the service’s dashboard, then run it again';
  expect(run.summary).toContain(hint);
  expect(stage.simulator.service.jobs).toHaveLength(created);
  expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
});

test('a service that refuses connections is tried four times', async () => {
  const gone = await listen(() => Promise.resolve({ kind: 'reset' }));
  await gone.close();
  const run = await stage.play({ prompt: 'x', 'base-url': gone.url });
  expectError(run, 'unreachable', /can’t be reached: .*ECONNREFUSED.*\n.*`base-url`/);
  expect(run.log.match(/Trying again in/g)).toHaveLength(3);
  expect(run.summary).toContain('Nothing was created.');
});

test.each([
  [401, 'unauthorized'],
  [403, 'forbidden'],
])('a %d while watching ends the run, and the summary names the job', async (status, reason) => {
  stage.simulator.service.scriptNext({ activeMs: 300_000 });
  stage.simulator.faults.refuse(routes.getJob, status, { nth: 8, times: 99 });
  const run = await stage.play({ prompt: 'x' });
  expectError(run, reason, new RegExp(`Reading the job: the service answered ${status}`));
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  expect(run.summary).toContain('| Job | `job_0001` |');
  expect(run.summary).toContain('can no longer be followed');
});

test('a run with an outage until the deadline times out, and the summary names the error', async () => {
  stage.simulator.faults.refuse(routes.getJob, 500, { times: 99 });
  const run = await stage.play({ prompt: 'x', 'timeout-minutes': '5' });
  expect([endOf(run), run.exitCode]).toEqual(['timed-out (never-seen)', 1]);
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  const [open = ''] = run.summary.split('<details>');
  expect(open).not.toContain('at work');
  expect(open).toMatch(/The last check of the job failed: `Reading the job: the service answered 500/);
});

test.each([
  [500, 'unconfirmed'],
  [400, 'bad-request'],
])('a follow-up with a %d response is %s', async (status, reason) => {
  stage.simulator.service.createJob('first').end('completed');
  stage.simulator.faults.refuse(routes.sendMessage, status);
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_0001' });
  expectError(run, reason, new RegExp(`Sending the message: the service answered ${status}`));
  expect(stage.simulator.requests.filter(isFor(routes.sendMessage))).toHaveLength(1);
});

test('nothing is sent to a job that does not exist', async () => {
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_9' });
  expectError(run, 'not-found', /Reading the job: the service answered 404: Job not found/);
  // A single 404 may be a glitch.
  expect(requestLines(stage.simulator.requests)).toEqual([`GET ${jobs}/job_9`, `GET ${jobs}/job_9`]);
});
