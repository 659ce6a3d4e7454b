import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { RunnerLog } from '../../../simulator/runner/log.ts';
import { type RunOptions, rerun, runAction, runPost } from '../../../simulator/runner/runner.ts';

const actionDir = fileURLToPath(new URL('../../fixtures/action', import.meta.url));
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const play = (prompt: string, options: Partial<RunOptions> = {}) =>
  runAction({ simulator, actionDir, inputs: { prompt, 'api-key': 'mint_fake_secret' }, ...options });

test('gives a step what the runner gives it, and reads what it leaves', async () => {
  simulator.github.addThread({ number: 7 });
  const comment = simulator.github.comment('maintainer', 7, '/docs hello');
  process.env.LEAK = 'parent secret';
  const result = await play('tell', { event: simulator.github.issueCommentEvent(comment) });
  expect(result).toMatchObject({
    exitCode: 0,
    signal: null,
    summary: '# Summary\n',
    state: { 'job-id': 'job_1' },
  });
  expect(result.outputs).toMatchObject({ text: 'one\ntwo', plain: 'yes' });
  const env = JSON.parse(result.outputs.env ?? '') as Record<string, unknown>;
  expect(env).toMatchObject({
    'INPUT_BASE-URL': 'https://api.example.com',
    'INPUT_GITHUB-TOKEN': 'ghs_fake_0000simulated0000',
    INPUT_WITH_SPACE: '',
    GITHUB_API_URL: simulator.githubUrl,
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_RUN_ATTEMPT: '1',
    event: { action: 'created', comment: { id: comment.id, body: '/docs hello' }, issue: { number: 7 } },
  });
  expect(env).not.toHaveProperty('LEAK');
});

test('masks, parses commands on both streams and shows the log as a person sees it', async () => {
  const result = await play('tell', { inputs: { prompt: 'tell', 'api-key': 'mint_fake_secret', typo: 'x' } });
  expect(result.stdout).toContain('the key is mint_fake_secret');
  expect(result.log).toContain('the key is ***');
  expect(result.log).not.toContain('mint_fake_secret');
  expect(result.annotations).toEqual(
    expect.arrayContaining([
      { level: 'notice', message: 'all\nwell', title: 'Done' },
      { level: 'error', message: 'a:b', title: undefined },
      { level: 'warning', message: expect.stringContaining("Unexpected input(s) 'typo'"), title: undefined },
    ]),
  );
});

test('hands the state to post, and runs again as the next attempt', async () => {
  const first = await play('tell');
  const post = await runPost(first);
  expect(post?.outputs).toEqual({ saved: 'job_1' });
  const second = await rerun(first);
  expect(second.identity).toEqual({ ...first.identity, attempt: 2 });
  expect((await runPost(second))?.log).toContain('post of attempt 2');
});

test('a sleep in the child moves the simulated clock and is over at once', async () => {
  const before = simulator.clock.now();
  const result = await play('sleep');
  expect(result.outputs).toEqual({ slept: '1800000', monotonic: '1800000', year: '1970', date: 'true' });
  expect(simulator.clock.now() - before).toBe(1_800_000);
  expect(result.durationMs).toBeLessThan(10_000);
});

test('a sleep is aborted by a signal while it lasts', async () => {
  const end = simulator.clock.onSleep(() => new Promise(() => undefined));
  const result = await play('abort');
  end();
  expect(result.outputs).toEqual({ name: 'AbortError', code: 'ABORT_ERR' });
});

test.each([
  ['arrived', 0],
  ['handled', 1],
] as const)('a child can be killed exactly when a request has %s', async (phase, jobs) => {
  const { service, url } = simulator;
  const before = service.jobs.length;
  const inputs = {
    prompt: 'create',
    'api-key': service.apiKey,
    'with space': service.projectId,
    'base-url': url,
  };
  const killAt = { at: 'POST /v2/agent/{project}/job', phase } as const;
  const killed = await play('create', { inputs, killAt });
  expect(killed).toMatchObject({ signal: 'SIGKILL', exitCode: null, outputs: {} });
  expect(service.jobs.length - before).toBe(jobs);
  expect((await rerun(killed)).outputs).toEqual({ status: '201' });
});

test('cancels as GitHub does: politely first, then for good', async () => {
  const cancelWhenReady = (): Partial<RunOptions> => {
    const cancel = new AbortController();
    const onLogLine = (line: string): void => (line === 'ready' ? cancel.abort() : undefined);
    return { signal: cancel.signal, onLogLine, cancelTimes: { sigtermAfterMs: 200, sigkillAfterMs: 100 } };
  };
  const polite = await play('polite', cancelWhenReady());
  expect(polite).toMatchObject({ exitCode: 130, signal: null, cancelled: true });
  const stubborn = await play('stubborn', cancelWhenReady());
  expect(stubborn).toMatchObject({
    exitCode: null,
    signal: 'SIGKILL',
    cancelled: true,
    killedByBound: false,
  });
  expect(stubborn.log).toBe('ready\nno\nnever\n');
});

test('obeys commands as runners do, in lines that others wrote as well', () => {
  const log = new RunnerLog();
  log.line('  ::SET-OUTPUT name=a%3Ab,x=y::1%0A2%25');
  log.line('quoted: ##[set-output name=c;]mid-line');
  log.line('::stop-commands::pause');
  log.line('::set-output name=d::never');
  log.line('::pause::');
  log.line('::add-mask::first line%0Asecond');
  log.line('::unknown::shown');
  log.line('::group::Details');
  log.line('::debug::hidden');
  log.line('::set-env name=PATH::/evil');
  log.line('::error title=Bad::the second time');
  log.line('a first line');
  expect(log.outputs).toEqual({ 'a:b': '1\n2%', c: 'mid-line' });
  expect(log.text).toBe(
    [
      '::set-output name=d::never',
      '::unknown::shown',
      '▼ Details',
      "Error: The 'set-env' command is disabled.",
      'Error: the *** time',
      'a ***',
      '',
    ].join('\n'),
  );
  expect(log.annotations.at(-1)).toEqual({ level: 'error', title: 'Bad', message: 'the *** time' });
});

test('kills a child that will not end', async () => {
  expect(await play('stubborn', { killAfterMs: 300 })).toMatchObject({
    signal: 'SIGKILL',
    killedByBound: true,
  });
});

test('says what the runner says of bad files and of a summary that is too long', async () => {
  const result = await play('bad');
  expect(result).toMatchObject({ exitCode: 1, outputs: {}, summary: '' });
  expect(result.log).toContain("Unable to process file command 'output' successfully. Invalid format");
  expect(result.log).toContain('$GITHUB_STEP_SUMMARY upload aborted');
});
