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
  expect(run.outputs).toMatchObject({
    outcome: 'failed',
    reason,
    'pr-link': '',
    'comment-url': '',
  });
  const { level, message } = lastAnnotation(run);
  expect(level).toBe('error');
  expect(message).toMatch(says);
  const { error, ...result } = JSON.parse(run.outputs.result ?? '');
  expect(result).toMatchObject({ reason });
  // The result has the cause, the remedy, and the details, and the log has them, too.
  const [cause = '', ...rest] = error.split('\n');
  const details = rest.pop() ?? '';
  const remedy = rest.join('\n');
  expect(details).toMatch(/^(Creating the job|Sending the follow-up|Reading the job): /);
  const shown = message.split('\n');
  expect(shown).toEqual(expect.arrayContaining([details, ...(remedy === '' ? [] : [remedy])]));
  expect(message.split(cause)).toHaveLength(2);
  expect(message).not.toMatch(/\.\.|\n\n/);
  expect(run.summary).toContain(`\`failed\` (\`${reason}\`)`);
  // The service's response is shown as code, and our own sentences as the heading and paragraphs.
  const nodes = nodesOf(parseGfm(run.summary));
  const texts = (type: string) =>
    nodes.filter((node) => node.type === type).map((node) => wordsIn(node));
  const [answer] = texts('code').filter((text) => details.endsWith(`: ${text}`));
  const prose = [...texts('heading'), ...texts('paragraph')];
  expect(prose.join('\n').split(plain(cause))).toHaveLength(2);
  expect(prose).toContain(
    plain(answer === undefined ? `${details}.` : details.slice(0, -answer.length - 1)),
  );
  if (remedy !== '') expect(prose).toContain(plain(remedy));
}

const message = (run: RunResult) => lastAnnotation(run).message;

/** Removes the backticks, which Markdown doesn't show. */
const plain = (words: string) => words.replaceAll('`', '');

/** Responses that mean that no job was created, so running again is safe. `unit/service-client` and `unit/messages` have them all. */
const refusals: [status: number, reason: string, says: RegExp][] = [
  [
    403,
    'forbidden',
    /^The API key isn’t allowed .*\n.*`write` scope.*the project’s organization.*IP address.*plan.*\n.*returned 403: No$/,
  ],
  [
    429,
    'rate-limited',
    /^The service’s hourly limit has been reached\..*\nTry again after 09:20 UTC \(in 20 min\)\.\n.*returned 429: No$/,
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
    expect(message(run)).toMatch(/^[^\n]*\. Nothing was sent\.\n/);
    expect(run.summary).toMatch(/^### .*\. Nothing was sent\.\n/);
    expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
  },
);

/** Faults after which a job may or may not exist. */
const ambiguous: [name: string, fault: FaultSpec, jobs: number, says: RegExp][] = [
  ['truncated JSON', { at, kind: 'truncated-json', when: 'after-handled' }, 1, /201 .*not JSON/],
  ['no response', { at, kind: 'hang' }, 0, /no complete response within 30 s/],
  [
    'a response that is too long',
    { at, kind: 'oversized-json' },
    0,
    /was incomplete\.\n.*MAX_SIZE/s,
  ],
  // A server that redirects may also have accepted the request.
  [
    'a redirect',
    { at, kind: 'redirect', status: 307 },
    0,
    /redirects to `http:\/\/127\.0\.0\.1:\d+`\.\nThe API key is sent only to `base-url`\..*\n.*returned 307/,
  ],
];

test.each(ambiguous)('after %s, nothing is sent again', async (_, fault, created, says) => {
  stage.simulator.faults.add(fault);
  const run = await stage.play({ prompt: 'x' }, { env: { SIMULATOR_TIMEOUT_SPEED: '20' } });
  expectError(run, 'unconfirmed', says);
  expect(run.summary).toContain('A job may exist.');
  const hint = '(<https://dashboard.mintlify.com>). If it isn’t there, run the workflow again.';
  expect(run.summary).toContain(hint);
  expect(stage.simulator.service.jobs).toHaveLength(created);
  expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
});

test('a service that refuses connections is tried four times', async () => {
  const gone = await listen(() => Promise.resolve({ kind: 'reset' }));
  await gone.close();
  const run = await stage.play({ prompt: 'x', 'base-url': gone.url });
  expectError(
    run,
    'unreachable',
    /^The service can’t be reached\. .*\n.*`base-url`.*\n.*ECONNREFUSED/,
  );
  expect(run.log.match(/Trying again in/g)).toHaveLength(3);
  expect(run.summary).toContain('Nothing was sent.');
});

test('a 401 while watching ends the run, and the summary names the job', async () => {
  stage.simulator.service.scriptNext({ activeMs: 300_000 });
  stage.simulator.faults.refuse(routes.getJob, 401, { nth: 8, times: 99 });
  const run = await stage.play({ prompt: 'x' });
  expectError(run, 'unauthorized', /\nReading the job: the service returned 401: /);
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  expect(run.summary).toContain('| Job | `job_0001` |');
  expect(run.summary).toMatch(/^### ⚠️ The API key .* This run stopped watching the job\./);
});

test('a run with an outage until the deadline times out, and the summary names the error', async () => {
  stage.simulator.faults.refuse(routes.getJob, 500, { times: 99 });
  const run = await stage.play({ prompt: 'x', 'timeout-minutes': '5' });
  expect([endOf(run), run.exitCode]).toEqual(['timed-out (never-seen)', 1]);
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  const [open = '', folded] = run.summary.split('<details>');
  expect(open).toMatch(
    /^### ⚠️ The service is having problems\. This run never saw the job’s status/,
  );
  expect(open).toMatch(/\n\nTo follow the job, run the workflow with `job-id: job_0001`\./);
  expect(open).not.toContain('500');
  expect(folded).toContain('returned 500:');
});

test.each([
  [500, 'unconfirmed'],
  [400, 'bad-request'],
])('a follow-up with a %d response is %s', async (status, reason) => {
  stage.simulator.service.createJob('first').end('completed');
  stage.simulator.faults.refuse(routes.sendMessage, status);
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_0001' });
  expectError(run, reason, new RegExp(`Sending the follow-up: the service returned ${status}`));
  expect(stage.simulator.requests.filter(isFor(routes.sendMessage))).toHaveLength(1);
});

test('nothing is sent to a job that does not exist', async () => {
  const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_9' });
  expectError(
    run,
    'not-found',
    /^This project has no such job\. .*\nCheck .*`job-id`.*\nReading the job: the service returned 404: Job not found$/,
  );
  // A single 404 may be a glitch.
  expect(requestLines(stage.simulator.requests)).toEqual([
    `GET ${jobs}/job_9`,
    `GET ${jobs}/job_9`,
  ]);
});
