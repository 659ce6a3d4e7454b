import { expect, test } from '@jest/globals';
import type { JobScript } from '../../simulator/service/job.ts';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { endOf } from '../support/played.ts';

const stage = new Stage();

const jobs = '/v2/agent/prj_simulated_docs/job';
const pullRequest = 'https://github.com/octo-org/docs/pull/101';

interface Ending {
  readonly script: Partial<JobScript>;
  readonly inputs?: Readonly<Record<string, string>>;
  /** `outcome (reason)`. */
  readonly end: string;
  readonly status?: string;
  readonly link?: { readonly url: string; readonly number: string };
  /** The level of the run's last message. If the level is `error`, the step fails. */
  readonly level: 'notice' | 'warning' | 'error';
  readonly says: RegExp;
}

const completed = { end: 'no-changes (no-pull-request)', says: /finished without a pull request/ };
const archived = { end: 'archived (job-archived)', status: 'archived', says: /was archived/ };
const noReason = /The job failed\. The service gives no reason/;
const failed = { end: 'failed (job-failed)', status: 'failed', says: noReason };

const endings: [name: string, ending: Ending][] = [
  [
    'completed with a pull request',
    {
      script: {},
      end: 'pr-created (pull-request)',
      link: { url: pullRequest, number: '101' },
      level: 'notice',
      says: /Pull request: https:\/\/github\.com\/octo-org\/docs\/pull\/101$/,
    },
  ],
  [
    'completed with a link and another line after it',
    {
      script: { prLink: `${pullRequest}\n::error::owned` },
      end: 'pr-created (unusable-pr-link)',
      level: 'notice',
      says: /usable link to it/,
    },
  ],
  ['completed without a change', { script: { prLink: null }, ...completed, level: 'notice' }],
  [
    'was archived',
    { script: { end: 'archived', omit: ['archivedAt'] }, ...archived, level: 'warning' },
  ],
  ['failed', { script: { end: 'failed' }, ...failed, level: 'error' }],
  [
    'failed, if no outcome fails the step',
    { script: { end: 'failed' }, inputs: { 'fail-on': 'none' }, ...failed, level: 'warning' },
  ],
  [
    'did not end before the timeout',
    {
      script: { end: 'never' },
      inputs: { 'timeout-minutes': '3' },
      end: 'timed-out (deadline)',
      status: 'active',
      level: 'error',
      says: /The job is still running after 3 min.*\n.*`job-id: job_0001`/,
    },
  ],
];

test.each(endings)(
  'a job that %s',
  async (_, { script, inputs, end, status = 'completed', ...ending }) => {
    stage.simulator.service.scriptNext(script);
    const run = await stage.play({ prompt: 'Add a quickstart.', ...inputs });

    const { link, level, says } = ending;
    const { outcome, reason } = run.outputs;
    expect([endOf(run), run.exitCode]).toEqual([end, level === 'error' ? 1 : 0]);
    expect(run.outputs).toEqual({
      outcome,
      reason,
      'job-id': 'job_0001',
      'job-status': status,
      'pr-link': link?.url ?? '',
      'pr-number': link?.number ?? '',
      'comment-url': '',
      checks: '',
      result: expect.any(String),
    });
    const source = { repository: 'https://github.com/octo-org/docs' };
    expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
      mode: 'agent',
      job: { id: 'job_0001', status, model: 'sim-writer-1', source },
      pullRequest: link ?? null,
      followUp: false,
    });

    expect(lastAnnotation(run)).toMatchObject({ level, message: expect.stringMatching(says) });
    expect(run.summary).toContain(`| Outcome | \`${outcome}\` (\`${reason}\`) |`);
    expect(run.summary).toMatch(/\| Job \| `job_0001` \|\n\| Model \| `sim-writer-1` \|/);
    expect(run.summary).toContain('| Source | `https://github.com/octo-org/docs@main` |');
    expect(run.summary).toMatch(/\| Time taken \| \d+ min/);
    expect(run.summary).toContain('```text\nAdd a quickstart.\n```');
    // There is no thread, so the summary must not suggest a command.
    expect(run.summary).not.toContain('`/docs');

    const [first, ...looks] = requestLines(stage.simulator.requests);
    expect(first).toBe(`POST ${jobs}`);
    expect(new Set(looks)).toEqual(new Set([`GET ${jobs}/job_0001`]));
    expect(stage.simulator.requests[0]?.body).toEqual({ prompt: 'Add a quickstart.' });
  },
);

test('the log reports every change once, and once a minute that the job is still active', async () => {
  stage.simulator.service.scriptNext({ activeMs: 300_000 });
  const { log } = await stage.play({ prompt: 'x' });
  expect(log).toMatch(
    /^▼ What was sent \(1 KiB\)\nx\nCreated job job_0001 \(active, sim-writer-1\)\.\n(Still active after \d min( \d+ s)?\.\n){4}After 5 min( \d+ s)?: active → completed, pull request https.*\nNotice: Pull request #101 is ready to review\.\nTook 5 min[^\n]*\nTo change[^\n]*\nPull request: \S+\n$/,
  );
});
