import { expect, test } from '@jest/globals';
import type { JobScript } from '../../simulator/service/job.ts';
import { lastAnnotation, requestLines, useStage } from '../support/bundle/stage.ts';

const stage = useStage();

const jobs = '/v2/agent/prj_simulated_docs/job';
const pullRequest = 'https://github.com/octo-org/docs/pull/101';

interface Ending {
  readonly exitCode: number;
  readonly outcome: string;
  readonly reason: string;
  readonly status: string;
  readonly link?: string;
  readonly number?: string;
  readonly level: 'notice' | 'warning' | 'error';
  readonly says: RegExp;
  readonly inputs?: Readonly<Record<string, string>>;
}

const endings: [name: string, job: Partial<JobScript>, ending: Ending][] = [
  [
    'completed with a pull request',
    {},
    {
      exitCode: 0,
      outcome: 'pr-created',
      reason: 'pull-request',
      status: 'completed',
      link: pullRequest,
      number: '101',
      level: 'notice',
      says: /Pull request: https:\/\/github\.com\/octo-org\/docs\/pull\/101$/,
    },
  ],
  [
    'completed with a link and a date of other types than documented',
    { extra: { prLink: 7, createdAt: 1_795_274_506 } },
    {
      exitCode: 0,
      outcome: 'pr-created',
      reason: 'unusable-pr-link',
      status: 'completed',
      level: 'notice',
      says: /no usable link to it/,
    },
  ],
  [
    'completed without a change',
    { prLink: null },
    {
      exitCode: 0,
      outcome: 'no-changes',
      reason: 'no-pull-request',
      status: 'completed',
      level: 'notice',
      says: /finished without a pull request/,
    },
  ],
  [
    'completed without a change, with no-changes to fail on',
    { prLink: null },
    {
      inputs: { 'fail-on': 'no-changes' },
      exitCode: 1,
      outcome: 'no-changes',
      reason: 'no-pull-request',
      status: 'completed',
      level: 'error',
      says: /finished without a pull request/,
    },
  ],
  [
    'archived, as somebody did in the dashboard',
    { end: 'archived', archivedAt: 'omit' },
    {
      exitCode: 0,
      outcome: 'archived',
      reason: 'job-archived',
      status: 'archived',
      level: 'warning',
      says: /was archived/,
    },
  ],
  [
    'archived, with archived to fail on',
    { end: 'archived' },
    {
      inputs: { 'fail-on': 'failed\narchived' },
      exitCode: 1,
      outcome: 'archived',
      reason: 'job-archived',
      status: 'archived',
      level: 'error',
      says: /was archived/,
    },
  ],
  [
    'failed',
    { end: 'failed' },
    {
      exitCode: 1,
      outcome: 'failed',
      reason: 'job-failed',
      status: 'failed',
      level: 'error',
      says: /The job failed after \d.*\. The service gives no reason/,
    },
  ],
  [
    'failed, with nothing to fail on',
    { end: 'failed' },
    {
      inputs: { 'fail-on': 'none' },
      exitCode: 0,
      outcome: 'failed',
      reason: 'job-failed',
      status: 'failed',
      level: 'warning',
      says: /The job failed/,
    },
  ],
  [
    'never ended in the time it was given',
    { end: 'never' },
    {
      inputs: { 'timeout-minutes': '3' },
      exitCode: 1,
      outcome: 'timed-out',
      reason: 'deadline',
      status: 'active',
      level: 'error',
      says: /Still running after 3 min.*\n.*`job-id`/,
    },
  ],
  [
    'completed with a link of an unknown shape',
    { prLink: 'https://git.example.com/changes/77' },
    {
      exitCode: 0,
      outcome: 'pr-created',
      reason: 'pull-request',
      status: 'completed',
      link: 'https://git.example.com/changes/77',
      level: 'notice',
      says: /Pull request: https:\/\/git\.example\.com\/changes\/77$/,
    },
  ],
];

test.each(endings)('a job that %s', async (_, script, ending) => {
  const { simulator, play } = stage;
  simulator.service.scriptNext(script);
  const run = await play({ prompt: 'Add a quickstart.', ...ending.inputs });

  const { exitCode, outcome, reason, status, link = '', number = '' } = ending;
  expect(run.exitCode).toBe(exitCode);
  expect(run.outputs).toEqual({
    outcome,
    reason,
    'job-id': 'job_0001',
    'job-status': status,
    'pr-link': link,
    'pr-number': number,
    'comment-url': '',
    result: expect.any(String),
  });
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
    mode: 'agent',
    job: {
      id: 'job_0001',
      status,
      model: 'sim-writer-1',
      source: { repository: 'https://github.com/octo-org/docs' },
    },
    pullRequest: link === '' ? null : { url: link, number },
    followUp: false,
  });

  const { level, message } = lastAnnotation(run);
  expect(level).toBe(ending.level);
  expect(message).toMatch(ending.says);
  expect(run.summary).toContain(`| Outcome | \`${outcome}\` (\`${reason}\`) |`);
  expect(run.summary).toMatch(/\| Job \| `job_0001` \|\n\| Model \| `sim-writer-1` \|/);
  expect(run.summary).toContain('| Source | `https://github.com/octo-org/docs@main` |');
  expect(run.summary).toMatch(/\| Time taken \| \d+ min/);
  expect(run.summary).toContain('```text\nAdd a quickstart.\n```');
  // There is no thread to answer in, and none to speak of.
  expect(run.summary).not.toContain('`/docs');

  const [first, ...looks] = requestLines(simulator.requests);
  expect(first).toBe(`POST ${jobs}`);
  expect(new Set(looks)).toEqual(new Set([`GET ${jobs}/job_0001`]));
  expect(simulator.requests[0]?.body).toEqual({ prompt: 'Add a quickstart.' });
});

test('the log tells every change once, and that it is alive once a minute', async () => {
  stage.simulator.service.scriptNext({ activeMs: 300_000 });
  const { log } = await stage.play({ prompt: 'x' });
  expect(log).toMatch(
    /^Created job job_0001 \(active, sim-writer-1\)\.\n(Still active after \d min( \d+ s)?\.\n){4}After 5 min( \d+ s)?: active → completed, pull request https.*\nNotice: Pull request #101 is ready after 5 min[^\n]*\nAsk for[^\n]*\nPull request: \S+\n$/,
  );
});

test('an unknown status is warned of once and watched on to the end', async () => {
  stage.simulator.service.scriptNext({ activeStatus: 'thinking' });
  const run = await stage.play({ prompt: 'x' });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'job-status': 'completed' });
  const warnings = run.annotations.filter(({ level }) => level === 'warning');
  expect(warnings).toMatchObject([{ message: expect.stringContaining('`thinking`') }]);
});

test('two more looks are taken for a link, and a third one is not', async () => {
  const { simulator, play } = stage;
  const looksAtCompleted = () =>
    simulator.requests.filter(({ method, at }) => method === 'GET' && at - simulator.clock.startMs >= 60_000)
      .length;
  simulator.service.scriptNext({ prLink: null });
  expect((await play({ prompt: 'x' })).outputs).toMatchObject({ outcome: 'no-changes' });
  expect(looksAtCompleted()).toBe(3);
});

// The first look that finds the job completed comes 5.5 s after its end at the latest; two more follow, 5 s apart.
test('a link that comes 9.5 s late is still found', async () => {
  stage.simulator.service.scriptNext({ prLinkDelayMs: 9_500 });
  const run = await stage.play({ prompt: 'x' });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'pr-link': pullRequest });
});
