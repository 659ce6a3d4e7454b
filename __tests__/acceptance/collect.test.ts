import { expect, test } from '@jest/globals';
import { reactions, Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';

/* Runs the bundle with `wait: false`, and then in collect mode. */

const stage = new Stage();

const hourMs = 3_600_000;
const jobLink = 'https://github.com/octo-org/docs/pull/101';

function collect(inputs: Record<string, string> = {}, event = stage.github.scheduleEvent()) {
  return stage.on(event, { mode: 'collect', ...inputs });
}

test('a job that a run left running is reported by a collect run', async () => {
  const asked = await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
  expect(asked).toMatchObject({ exitCode: 0, outputs: { outcome: 'detached', reason: 'not-waited' } });
  expect(textOf(stage.status)).toContain('`/docs status` shows its progress');

  stage.simulator.clock.advance(hourMs);
  const run = await collect();
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'collected', reason: 'complete', finished: '1', 'still-active': '0' },
  });
  expect(textOf(stage.status)).toMatch(/^✅ \*\*\[Pull request #101\]\(<.*>\)\*\* is ready to review\.\n/);
  expect(reactions(asked.command)).toEqual(['eyes', 'rocket']);
  expect(warnings(run)).toEqual([]);
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
    mode: 'collect',
    finished: 1,
    stillActive: 0,
    left: 0,
    jobs: [
      { thread: 7, jobId: 'job_0001', outcome: 'pr-created', pullRequest: { url: jobLink, number: '101' } },
    ],
  });
  expect(run.summary).toContain('### Updated: 1. Still running: 0.');

  const again = await collect();
  expect(again.outputs).toMatchObject({ outcome: 'collected', reason: 'complete', finished: '0' });
  expect(again.github).toHaveLength(1);
  expect(again.service).toEqual([]);
});

test('a run with `wait: false` sends nine requests and waits only one second', async () => {
  const startedAt = stage.simulator.clock.now();
  const run = await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
  // The run waits before it reads the thread again to check its claim.
  expect(stage.simulator.clock.now() - startedAt).toBe(1_000);
  expect([run.github.length, run.service.length]).toEqual([8, 1]);
  expect(stage.status.history).toHaveLength(2);
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
    expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'github-error' } });
    expect(run.summary).toContain(
      'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.',
    );
    expect(run.summary.match(/issues: write/g)).toHaveLength(1);
    expect(stage.status.history).toHaveLength(before);
  },
);

test('`/docs status` finishes jobs that no run watches, and reports the newest job', async () => {
  const first = await stage.say('/docs --no-wait add a quickstart');
  const second = await stage.say('/docs --new --no-wait explain rate limits');
  stage.simulator.clock.advance(hourMs);
  const status = await stage.say('/docs status');
  expect(status).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered', 'job-id': 'job_0002' } });
  expect(stage.written().map((comment) => textOf(comment).split('\n')[0])).toEqual([
    expect.stringMatching(/^✅ \*\*\[Pull request #101\].*\*\* is ready to review\.$/),
    expect.stringMatching(/^✅ \*\*\[Pull request #102\].*\*\* is ready to review\.$/),
    expect.stringContaining('✅ **The thread’s newest job is `completed`.**'),
  ]);
  expect([first, second].map(({ command }) => reactions(command))).toEqual([
    ['eyes', 'rocket'],
    ['eyes', 'rocket'],
  ]);
  // Each of the two jobs is checked only once.
  expect(status.service).toHaveLength(2);
});
