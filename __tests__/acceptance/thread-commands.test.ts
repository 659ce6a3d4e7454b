import { describe, expect, test } from '@jest/globals';
import type { JobScript } from '../../simulator/service/job.ts';
import { headlines, reactions, Stage } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

const url = 'https://github.com/octo-org/docs/pull/101';
const starts = ['⏳ **Asking the writing agent…**', '⏳ **The writing agent is working on it.**'];
const ready = expect.stringMatching(
  /^✅ \*\*\[Pull request #101\]\(.*\)\*\* is ready to review\.$/,
);

test('a first command gets 👀 after one request, one comment that ends with the link, and 🚀', async () => {
  const run = await stage.say('/docs add a quickstart for the Python SDK');
  expect(run.exitCode).toBe(0);
  expect(stage.requests).toEqual([['add a quickstart for the Python SDK']]);
  expect(reactions(run.command)).toEqual(['eyes', 'rocket']);
  expect(headlines(stage.status)).toEqual([...starts, ready]);
  expect(
    textOf(stage.status)
      .replace(/1 min \d+ s/, 'T')
      .replace(/runs\/\d+/, 'runs/N'),
  ).toMatchSnapshot();
  const commentUrl = `https://github.com/octo-org/docs/issues/7#issuecomment-${stage.status.id}`;
  expect(run.outputs).toMatchObject({
    ...{
      outcome: 'pr-created',
      reason: 'pull-request',
      'job-id': 'job_0001',
      'job-status': 'completed',
    },
    ...{ 'pr-link': url, 'pr-number': '101', 'comment-url': commentUrl },
  });
  const result = { version: 1, pullRequest: { url, number: '101' }, commentUrl, followUp: false };
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject(result);
  expect(run.github.map(({ route }) => route)).toEqual([
    routes.lookUpPermission,
    routes.react,
    routes.readThread,
    routes.readIssue,
    routes.writeComment,
    // The run reads the thread twice, because an older claim may appear late in the list.
    routes.readThread,
    routes.readThread,
    routes.editComment,
    routes.readPullRequest,
    routes.editComment,
    routes.react,
  ]);
});

test('a second command goes to the same job and gets a separate comment', async () => {
  await stage.say('/docs add a quickstart');
  const run = await stage.say('/docs and one for Ruby');
  expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
  const done = expect.stringMatching(
    /^✅ \*\*The follow-up is done:\*\* \[Pull request #101\]\(.*\)\.$/,
  );
  expect(stage.written().map(headlines)).toEqual([ready, done].map((end) => [...starts, end]));
  // A follow-up also reads the pull request before it sends the message.
  expect(run.github.length).toBeLessThanOrEqual(12);
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
    followUp: true,
    job: { id: 'job_0001' },
  });
});

test.each([
  ['', undefined],
  ['--fast add a quickstart', 'There is no flag `--fast`.'],
])('/write %j gets help with the configured command name, and no job', async (rest, because) => {
  const run = await stage.say(`/write ${rest}`, { inputs: { command: '/write' } });
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'answered', reason: 'help', 'job-id': '' },
  });
  expect(run.outputs['comment-url']).toContain(`#issuecomment-${stage.status.id}`);
  const text = textOf(stage.status);
  if (because === undefined) expect(text).toMatch(/^ℹ️ \*\*`\/write …` asks/);
  else expect(text.split('\n')[0]).toBe(`⚠️ **${because}**`);
  expect(text.match(/^\/write /gm)).toHaveLength(3);
  expect(text).toContain(
    '`/write …` here continues the last request; `/write --new …` starts over',
  );
  expect(text).not.toContain('/docs');
  expect(run.summary).toContain('`/write …` here continues the last request');
  expect(reactions(run.command)).toEqual(['eyes', '+1']);
  expect(run.service).toEqual([]);
});

test('help about a flag of the maximum comment length still fits in a comment', async () => {
  const run = await stage.say(`/docs --${'x'.repeat(65_536 - '/docs --'.length)}`);
  expect(run.exitCode).toBe(0);
  expect(stage.status.body.length).toBeLessThan(5_000);
  expect(textOf(stage.status)).toContain('`/docs status`');
});

test.each<[string, Partial<JobScript>, RegExp]>([
  [
    'is running',
    { activeMs: 900_000 },
    /^⏳ \*\*Still working\*\* \(started 4 min( \d+ s)? ago\)\.\n\nThe pull request will be linked in \[the status comment\]\(<.*>\)\.$/,
  ],
  [
    'is paused',
    { activeMs: 900_000, activeStatus: 'paused' },
    /^⏳ \*\*The job’s status is `paused`\*\* \(started /,
  ],
  // To run `/docs status` again would not start the job again.
  [
    'failed',
    { end: 'failed' },
    /^❌ \*\*The job failed\.\*\* The service .*\n\n`\/docs --new …` starts a new job\.$/,
  ],
])('status of a job that %s', async (_, script, says) => {
  stage.simulator.service.scriptNext(script);
  await stage.say('/docs --no-wait add a quickstart');
  stage.simulator.clock.advance(240_000);
  const run = await stage.say('/docs status');
  expect(run.outputs).toMatchObject({ outcome: 'answered', 'job-id': 'job_0001' });
  expect(textOf(stage.newest)).toMatch(says);
});

describe('status without a known job', () => {
  test('says if a request may have created one', async () => {
    stage.simulator.faults.add({ at: routes.createJob, kind: 'status', status: 502 });
    await stage.say('/docs add a quickstart');
    await stage.say('/docs status');
    expect(textOf(stage.newest)).toMatch(
      /^⚠️ \*\*We can’t tell whether a job was started in this thread:\*\*/,
    );
  });

  test.each([
    ['nobody asked', undefined],
    ['the only request was refused', 'maintainer'],
    ['the only request came from a stranger', 'stranger'],
  ])('says that there is none if %s, and sends nothing to the service', async (_, login) => {
    if (login === 'maintainer') stage.simulator.faults.refuse(routes.createJob, 429);
    if (login !== undefined) await stage.say('/docs add a quickstart', { login });
    const run = await stage.say('/docs status');
    const outputs = { outcome: 'answered', reason: 'status', 'job-id': '' };
    expect(run).toMatchObject({ exitCode: 0, outputs, service: [] });
    const none = 'Nothing has been requested in this thread yet.';
    const ask = 'Ask with `/docs …`, for example `/docs document this`.';
    expect(textOf(stage.newest)).toBe(`☑️ **${none}**\n\n${ask}`);
    expect(run.summary).toContain(none);
  });

  test('says if earlier runs used a different key', async () => {
    await stage.say('/docs add a quickstart');
    const apiKey = 'mint_fake_1111rotated1111';
    stage.simulator.service.addKey(apiKey);
    await stage.say('/docs status', { inputs: { 'api-key': apiKey } });
    expect(textOf(stage.newest)).toMatch(
      /^⚠️ \*\*Earlier runs in this thread used a different API key/,
    );
  });
});
