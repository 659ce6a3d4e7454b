import { expect, test } from '@jest/globals';
import { toString as wordsIn } from 'mdast-util-to-string';

import type { FaultSpec } from '../../simulator/http/faults.ts';
import { listen } from '../../simulator/http/server.ts';
import type { RunResult } from '../../simulator/runner/runner.ts';
import { countOf, lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

const jobs = '/v2/agent/prj_simulated_docs/job';

/** The place of most faults: the request that costs credits. */
const at = routes.createJob;

/** What every failed run looks like. */
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
  // The service's answer is code; what to do about it is prose, which wraps.
  const nodes = nodesOf(parseGfm(run.summary));
  const told = (type: string) => nodes.filter((node) => node.type === type).map((node) => wordsIn(node));
  const [first = '', ...hints] = error.split('\n');
  const [answer] = told('code').filter((text) => first.replace(/\.$/, '').endsWith(`: ${text}`));
  const what = first.replace(/\.$/, '').replace(`: ${answer}`, '');
  expect(told('paragraph').join('\n')).toContain(plain(what));
  for (const hint of hints) expect(told('paragraph').join('\n')).toContain(plain(hint));
}

/** Words of a log as they appear in Markdown. */
const plain = (words: string) => words.replaceAll('`', '');

/** Responses to the creation that refuse it: nothing was created, and running again is safe. */
const refusals: [status: number, reason: string, says: RegExp][] = [
  [400, 'bad-request', /answered 400: No\.\n.*its answer says why/],
  [401, 'unauthorized', /answered 401: No\.\n.*wrong or has expired.*90 days/],
  [403, 'forbidden', /answered 403: No\.\n.*`write` scope.*a different organization.*allowlist/],
  [404, 'not-found', /answered 404: No\.\n.*no such project.*`project-id`/],
  [
    429,
    'rate-limited',
    /^The service’s hourly limit has been reached\..*\n.*answered 429: No\.\nThe hourly limit has been reached\. Try again after 09:20 UTC \(in 20 min\)/,
  ],
];

test.each(refusals)(
  '%i on the creation is told with a hint, and asked once',
  async (status, reason, says) => {
    stage.simulator.faults.refuse(at, status, {
      says: 'No',
      ...(status === 429 ? { retryAfter: 1_200 } : {}),
    });
    const run = await stage.play({ prompt: 'x' });
    expectError(run, reason, says);
    expect(run.outputs['job-id']).toBe('');
    expect(run.summary).toMatch(/Nothing was (created|sent to the agent)\./);
    expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
  },
);

/** Responses to the creation after which a job may or may not exist. */
const ambiguous: [name: string, fault: FaultSpec, jobs: number, says: RegExp][] = [
  ['502 of a gateway', { at, kind: 'status', status: 502, when: 'after-handled' }, 1, /answered 502/],
  ['503, whatever it asks', { at, kind: 'status', status: 503, retryAfter: 40 }, 0, /answered 503/],
  ['409', { at, kind: 'status', status: 409, when: 'after-handled' }, 1, /answered 409/],
  ['an html page that says all is well', { at, kind: 'html' }, 0, /200 with `text\/html.*not JSON/],
  ['truncated JSON', { at, kind: 'truncated-json', when: 'after-handled' }, 1, /201 .*not JSON/],
  [
    'a broken connection',
    { at, kind: 'reset', when: 'after-handled' },
    1,
    /the service’s response was incomplete/,
  ],
  ['an answer that does not come', { at, kind: 'hang' }, 0, /no complete response within 30 s/],
  ['an answer without an end', { at, kind: 'oversized-json' }, 0, /the response is too long/],
];

test.each(ambiguous)('after %s nothing is sent a second time', async (_, fault, created, says) => {
  stage.simulator.faults.add(fault);
  const run = await stage.play({ prompt: 'x' });
  expectError(run, 'unconfirmed', says);
  expect(run.summary).toContain('A job may exist.');
  expect(run.summary).toMatch(
    /It won’t be sent again automatically: check the service’s dashboard, then run it again/,
  );
  expect(stage.simulator.service.jobs).toHaveLength(created);
  expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
});

test('a 429 with a short Retry-After is waited for', async () => {
  stage.simulator.faults.add({ at, kind: 'status', status: 429, retryAfter: 7 });
  const run = await stage.play({ prompt: 'x' });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'job-id': 'job_0001' });
  expect(run.log).toMatch(/answered 429.*Trying again in \d+ s\./);
  expect(stage.simulator.service.jobs).toHaveLength(1);
  const [first, second] = stage.simulator.requests;
  expect(second?.method).toBe('POST');
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(7_000);
});

test.each([302, 307])('a %d to another origin is not followed', async (status) => {
  stage.simulator.faults.add({ at, kind: 'redirect', status });
  const run = await stage.play({ prompt: 'x' });
  const { origin } = new URL(stage.simulator.otherOrigin.url);
  // A server that redirects may also have accepted the request.
  expectError(run, 'unconfirmed', new RegExp(`redirect to \`${origin}\`, which was not followed`));
  expect(stage.simulator.otherOrigin.requests).toEqual([]);
  expect(stage.simulator.requests).toHaveLength(1);
});

test('a redirect while watching is not followed either, and passes like any other outage', async () => {
  stage.simulator.faults.add({ at: routes.getJob, nth: 2, kind: 'redirect' });
  const run = await stage.play({ prompt: 'x' });
  expect(run.log).toMatch(/which was not followed\. Checking again in/);
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'job-id': 'job_0001' } });
  expect(stage.simulator.otherOrigin.requests).toEqual([]);
});

test('a port where nobody listens is tried four times, and nothing was created', async () => {
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
  [404, 'not-found'],
])('%d while watching ends the run, and the job is named', async (status, reason) => {
  stage.simulator.faults.refuse(routes.getJob, status, { nth: 8, times: 99 });
  const run = await stage.play({ prompt: 'x' });
  expectError(run, reason, new RegExp(`Reading the job: the service answered ${status}`));
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  expect(run.summary).toContain('| Job | `job_0001` |');
  expect(run.summary).toContain('can no longer be followed');
});

test('an outage while watching is outlived, and told', async () => {
  stage.simulator.service.scriptNext({ activeMs: 400_000 });
  stage.simulator.faults.refuse(routes.getJob, 503, { nth: 4, times: 4 });
  const run = await stage.play({ prompt: 'x' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(run.log).toMatch(/Reading the job: the service answered 503.* Checking again in \d+ s\./);
});

test('an outage up to the deadline ends as timed-out, with what was in the way', async () => {
  stage.simulator.faults.refuse(routes.getJob, 500, { times: 99 });
  const run = await stage.play({ prompt: 'x', 'timeout-minutes': '5' });
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toMatchObject({
    outcome: 'timed-out',
    reason: 'never-seen',
    'job-id': 'job_0001',
    'job-status': 'active',
  });
  const [open = ''] = run.summary.split('<details>');
  expect(open).not.toContain('at work');
  expect(open).toMatch(/The last check of the job failed: `Reading the job: the service answered 500/);
});

test.each<[string, number, string]>([
  ['a follow-up', 500, 'unconfirmed'],
  ['a follow-up', 400, 'bad-request'],
])('%s answered with %d is %s', async (_, status, reason) => {
  stage.simulator.service.createJob('first').end('completed');
  stage.simulator.faults.refuse(routes.sendMessage, status);
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_0001' });
  expectError(run, reason, new RegExp(`Sending the message: the service answered ${status}`));
  expect(countOf('POST', stage.simulator)).toBe(1);
});

test('a job that is not there is told before anything is sent to it', async () => {
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_9' });
  expectError(run, 'not-found', /Reading the job: the service answered 404: Job not found/);
  expect(requestLines(stage.simulator.requests)).toEqual([`GET ${jobs}/job_9`]);
});
