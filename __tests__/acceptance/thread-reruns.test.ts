import { expect, test } from '@jest/globals';
import { headlines, reactions, Stage } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';

const stage = new Stage();

test.each([
  ['a re-run', false],
  ['a re-run of a deleted command', true],
])(
  '%s watches a job that is still active, and reports it in the same comment',
  async (_, isDeleted) => {
    stage.simulator.service.script({ activeMs: 3_600_000 });
    const first = await stage.say('/docs add a quickstart', {
      inputs: { 'timeout-minutes': '10' },
    });
    expect(first).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'timed-out', reason: 'deadline' },
    });
    expect(headlines(stage.status).at(-1)).toBe(
      '⏳ **The job is still running after 10 min; this run stopped waiting.**',
    );
    if (isDeleted) stage.github.delete(first.command.id);
    const second = await stage.again(first, { 'timeout-minutes': '120' });
    const outputs = { outcome: 'pr-created', 'job-id': 'job_0001' };
    expect(second).toMatchObject({ exitCode: 0, outputs, annotations: [{ level: 'notice' }] });
    expect(stage.requests).toEqual([['add a quickstart']]);
    expect(textOf(stage.status)).toMatch(/is ready to review\.\n\nTook (1 h|59 min|60 min)/);
    if (!isDeleted) expect(reactions(first.command)).toEqual(['eyes', 'rocket']);
  },
);

test('status says if the job no longer exists', async () => {
  await stage.say('/docs add a quickstart');
  stage.simulator.service.forget('job_0001');
  const early = await stage.say('/docs status');
  expect(textOf(stage.newest)).toMatch(
    /^⏳ \*\*The service doesn’t have job `job_0001` yet\.\*\* Try again/,
  );
  expect(early.service).toHaveLength(2);
  stage.simulator.clock.advance(120_000);
  const run = await stage.say('/docs status');
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered' } });
  expect(textOf(stage.newest)).toBe('⚠️ **The thread’s newest job no longer exists:** `job_0001`.');
});

test.each(['help', 'status'])('a re-run of %s answers in the same comment', async (word) => {
  const first = await stage.say(`/docs ${word}`);
  const { id } = stage.status;
  const outputs = { outcome: 'answered', reason: word };
  expect(await stage.again(first)).toMatchObject({ exitCode: 0, outputs });
  expect(stage.status.id).toBe(id);
});

test('a re-run reports again that the agent did not pick up a follow-up', async () => {
  await stage.say('/docs add a quickstart');
  stage.simulator.service.script({ staleMs: 1e9 });
  const first = await stage.say('/docs shorter');
  expect(first.log).toContain('The agent hasn’t picked up the follow-up yet; still completed');
  for (const run of [first, await stage.again(first)]) {
    expect(run.outputs).toMatchObject({ outcome: 'pr-created', reason: 'follow-up-unseen' });
    expect(run.summary).toContain('couldn’t confirm that the agent picked up the follow-up');
    expect(textOf(stage.newest)).toMatch(/^⚠️ /);
    expect(reactions(first.command)).toEqual(['eyes', 'confused']);
  }
});
