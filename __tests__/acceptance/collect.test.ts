import { expect, test } from '@jest/globals';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import { reactions, Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';

/* Runs the bundle with `wait: false`, and then in collect mode. */

const stage = new Stage();

const hourMs = 3_600_000;

const collect = () => stage.on(stage.github.scheduleEvent(), { mode: 'collect' });

test('a run with `wait: false` sends nine requests, and a collect run reports its job', async () => {
  const startedAt = stage.simulator.clock.now();
  const asked = await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
  expect(asked).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'detached', reason: 'not-waited' },
  });
  expect(textOf(stage.status)).toContain('`/docs status` shows its progress');
  // The run waits only before it reads the thread again to check its claim.
  expect(stage.simulator.clock.now() - startedAt).toBe(1_000);
  expect([asked.github.length, asked.service.length]).toEqual([8, 1]);
  expect(stage.status.history).toHaveLength(2);

  stage.simulator.clock.advance(hourMs);
  const run = await collect();
  const outputs = { outcome: 'collected', reason: 'complete', finished: '1', 'still-active': '0' };
  expect(run).toMatchObject({ exitCode: 0, outputs });
  expect(textOf(stage.status)).toMatch(
    /^✅ \*\*\[Pull request #101\]\(<.*>\)\*\* is ready to review\.\n/,
  );
  expect(reactions(asked.command)).toEqual(['eyes', 'rocket']);
  expect(warnings(run)).toEqual([]);
  const pullRequest = { url: 'https://github.com/octo-org/docs/pull/101', number: '101' };
  const jobs = [{ thread: 7, jobId: 'job_0001', outcome: 'pr-created', pullRequest }];
  const result = { mode: 'collect', finished: 1, stillActive: 0, left: 0, jobs };
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject(result);
  expect(run.summary).toMatch(/^### 1 request became 1 pull request\n/);
  expect(run.summary).toContain('| **Requests**, by 1 person | **1** |');
  expect(run.summary).toContain('**This run** updated 1 comment.');

  const again = await collect();
  expect(again.outputs).toMatchObject({ outcome: 'collected', reason: 'complete', finished: '0' });
  // The comments, and one look at a pull request that the token couldn't see.
  expect(again.github).toHaveLength(2);
  expect(again.service).toEqual([]);
});

test.each([
  ['only read', { issues: 'read', 'pull-requests': 'read' }],
  ['not even read', { issues: 'none', 'pull-requests': 'none' }],
] as const)(
  'a token that can %s changes nothing, and the summary names the missing permissions',
  async (_, access) => {
    await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
    stage.simulator.clock.advance(hourMs);
    stage.github.restrict(access);
    const before = stage.status.history.length;
    const run = await collect();
    expect(run).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'failed', reason: 'github-error' },
    });
    const needs = 'Add `issues: write` (on a pull request, `pull-requests: write`) to this job’s';
    expect(run.summary).toContain(needs);
    expect(run.summary.match(/issues: write/g)).toHaveLength(1);
    expect(stage.status.history).toHaveLength(before);
  },
);

test('`/docs status` finishes jobs that no run watches, and reports the newest job', async () => {
  const first = await stage.say('/docs --no-wait add a quickstart');
  const second = await stage.say('/docs --new --no-wait explain rate limits');
  stage.simulator.clock.advance(hourMs);
  const status = await stage.say('/docs status');
  const outputs = { outcome: 'answered', 'job-id': 'job_0002', 'pr-number': '102' };
  expect(status).toMatchObject({ exitCode: 0, outputs });
  expect(stage.written().map((comment) => textOf(comment).split('\n')[0])).toEqual([
    expect.stringMatching(/^✅ \*\*\[Pull request #101\].*\*\* is ready to review\.$/),
    expect.stringMatching(/^✅ \*\*\[Pull request #102\].*\*\* is ready to review\.$/),
    expect.stringMatching(/^✅ \*\*\[Pull request #102\].*\*\* is ready to review\.$/),
  ]);
  for (const { command } of [first, second]) expect(reactions(command)).toEqual(['eyes', 'rocket']);
  // Each of the two jobs is checked only once.
  expect(status.service.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('a thread shows whether the docs were built, merged, and published', async () => {
  const { github } = stage;
  const number = openAgentsPullRequest(github);
  const line = (index: number) => textOf(stage.status).split('\n')[index];
  const suite = async (sha: string, conclusion: string) => {
    github.checks.add(sha, { conclusion });
    const run = await stage.on(github.checkSuiteEvent(sha), { mode: 'collect' });
    expect([run.exitCode, warnings(run), run.service]).toEqual([0, [], []]);
    return run;
  };
  const { sha } = github.pullRequests.of(number).head;
  github.checks.add(sha, { status: 'in_progress' });
  const asked = await stage.say('/docs add a quickstart');
  expect(asked.outputs).toMatchObject({ outcome: 'pr-created', checks: 'building' });
  await suite(sha, 'failure');
  expect(line(2)).toMatch(/^Have the agent fix it: comment on the pull request$/);
  await suite(sha, 'success');
  expect(line(2)).toContain('`+124 −6` in 2 files · [built](');
  const merged = github.pullRequests.merge(number, 'squash');
  await stage.on(github.pullRequestEvent(number, 'closed'), { mode: 'collect' });
  expect(line(0)).toContain('was merged.**');
  const { summary } = await suite(merged.sha, 'success');
  expect(line(0)).toContain('was merged and [published](');
  expect(summary).toContain('was merged and [published](');
  const other = await stage.on(github.checkSuiteEvent(merged.sha, 'other'), { mode: 'collect' });
  expect(other).toMatchObject({
    outputs: { outcome: 'skipped', reason: 'not-ours' },
    github: [],
    summary: '',
  });
});
