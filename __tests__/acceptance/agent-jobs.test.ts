import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { endOf } from '../support/played.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

const jobs = '/v2/agent/prj_simulated_docs/job';
const pullRequest = 'https://github.com/octo-org/docs/pull/101';

test('with `wait: false`, the job keeps running, and a later run can attach to it', async () => {
  const run = await stage.play({ prompt: 'x', wait: 'false' });
  expect([endOf(run), run.exitCode]).toEqual(['detached (not-waited)', 0]);
  expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
  expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
  const message = expect.stringMatching(
    /The result won’t be posted\.\nTo follow the job, run the workflow with `job-id: job_0001`\.$/,
  );
  expect(lastAnnotation(run)).toMatchObject({ level: 'warning', message });
  const later = await stage.play({ 'job-id': 'job_0001' });
  const outputs = { outcome: 'pr-created', 'job-id': 'job_0001', 'pr-link': pullRequest };
  expect(later).toMatchObject({ exitCode: 0, outputs });
  expect(stage.jobs).toHaveLength(1);
});

test('without a thread, too, a review is requested from the person who started the run', async () => {
  const { github } = stage;
  github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
  github.git.branch('quickstart');
  github.pullRequests.open({ head: 'quickstart', number: 101, author: 'docs-agent[bot]' });
  const run = await stage.on(github.workflowDispatchEvent(), {
    prompt: 'x',
    'request-review': 'requester',
  });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', reason: 'pull-request' });
  expect(github.pullRequests.of(101).reviewers).toEqual(['maintainer']);
});

test('attaching to a job that has ended takes one request', async () => {
  stage.simulator.service.createJob('somebody’s').end('completed');
  const run = await stage.play({ 'job-id': 'job_0001' });
  expect(run.outputs).toMatchObject({
    outcome: 'pr-created',
    reason: 'pull-request',
    'pr-number': '101',
  });
  expect(requestLines(stage.simulator.requests)).toEqual([`GET ${jobs}/job_0001`]);
});

test.each([0, 40_000])(
  'a follow-up that failed says so, although its job was completed before (old status for %d ms)',
  async (staleMs) => {
    const prLink = 'https://github.com/octo-org/docs/pull/7';
    stage.simulator.service.createJob('first').end('completed', prLink);
    stage.simulator.service.scriptNextMessage({
      staleMs,
      activeMs: 120_000,
      end: 'failed',
      prLink,
    });
    const run = await stage.play({ 'job-id': 'job_0001', prompt: 'Shorter.' });
    expect(run.exitCode).toBe(1);
    expect(run.outputs).toMatchObject({
      reason: 'job-failed',
      'job-id': 'job_0001',
      'pr-link': prLink,
    });
    expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({ followUp: true });
    const message = expect.stringMatching(
      /^The job failed\. The service gives no reason[\s\S]*\nPull request: https:.*\/7$/,
    );
    expect(lastAnnotation(run)).toMatchObject({ level: 'error', message });
    expect(run.summary).toContain(`| Pull request | [#7](<${prLink}>) |`);
    expect(stage.jobs.map(({ prompts }) => prompts)).toEqual([['first', 'Shorter.']]);
    const [first, second] = requestLines(stage.simulator.requests);
    expect([first, second]).toEqual([`GET ${jobs}/job_0001`, `POST ${jobs}/job_0001/message`]);
  },
);

test('a summary that can’t be written causes a warning, and the run still succeeds', async () => {
  const run = await stage.play(
    { prompt: 'x' },
    { env: { GITHUB_STEP_SUMMARY: '/nowhere/summary.md' } },
  );
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'pr-created', 'pr-link': pullRequest },
  });
  const ready =
    /^Pull request #101 is ready to review\.\nTook .*\nTo change .*\nPull request: https/;
  expect(run.annotations).toMatchObject([
    { level: 'warning', message: expect.stringContaining('Couldn’t write the job summary') },
    { level: 'notice', message: expect.stringMatching(ready) },
  ]);
});

test('a run without the runner’s files works, too', async () => {
  const env = {
    GITHUB_STEP_SUMMARY: '',
    GITHUB_STATE: '',
    GITHUB_EVENT_PATH: '',
    GITHUB_REPOSITORY: '',
  };
  const run = await stage.play({ prompt: 'x' }, { env });
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'pr-created', 'pr-link': pullRequest },
  });
});

test('a run that is killed at its first check has set `job-id`, and post needs no prompt file', async () => {
  writeFileSync(stage.path('prompt.md'), 'Add a quickstart.');
  const run = await stage.play(
    { 'prompt-file': 'prompt.md' },
    { event: stage.github.issuesEvent(7), killAt: { at: routes.getJob, phase: 'arrived' } },
  );
  expect(run).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(run.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
  rmSync(stage.path('prompt.md'));
  await stage.post(run);
  expect(stage.status.body).toContain('This run was stopped; the job keeps running.');
});
