import { expect, test } from '@jest/globals';
import { reactions, Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';

/* Requested in one process, collected in another: `wait: false` and `mode: collect` on the bundle. */

const stage = new Stage();

const hourMs = 3_600_000;
const jobLink = 'https://github.com/octo-org/docs/pull/101';

function collect(inputs: Record<string, string> = {}, event = stage.github.scheduleEvent()) {
  return stage.on(event, { mode: 'collect', ...inputs });
}

test('asked in one process, collected in another', async () => {
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
  expect(run.summary).toContain('### Brought up to date: 1. Still at work: 0.');

  const again = await collect();
  expect(again.outputs).toMatchObject({ outcome: 'collected', reason: 'complete', finished: '0' });
  expect(again.github).toHaveLength(1);
  expect(again.service).toEqual([]);
});

test('asking and leaving takes a second beside the network’s time, and nine requests', async () => {
  const startedAt = stage.simulator.clock.now();
  const run = await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
  // The second look at the claim.
  expect(stage.simulator.clock.now() - startedAt).toBe(1_000);
  expect([run.github.length, run.service.length]).toEqual([8, 1]);
  expect(stage.status.history).toHaveLength(2);
});

test.each([
  ['read', { issues: 'read', 'pull-requests': 'read' }],
  ['not even read', { issues: 'none', 'pull-requests': 'none' }],
] as const)('a token that may %s changes nothing, and says what it lacks', async (_, access) => {
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
});

test('status finishes what nobody watched in its thread, and tells the newest job', async () => {
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
  // The newest job was already checked.
  expect(status.service).toHaveLength(2);
});
