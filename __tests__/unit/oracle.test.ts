import { beforeEach, describe, expect, test } from '@jest/globals';
import { playMain } from '../support/in-process/play.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/stage.ts';
import { statusComments, untruths } from '../support/oracle/agent.ts';
import type { Played } from '../support/oracle/played.ts';
import { followUp, simpleCommand } from '../support/scenarios/agent.ts';

/*
 * The oracle of the crash, fault and thread suites is itself fed lies: a run that was true is changed in one place, and each
 * change must be called. Else those suites would be green whatever the product says.
 */

const runId = 7_400_000_001;
let core: MemoryStage['core'];
let staged: MemoryStage['staged'];
let played: Played;

beforeEach(async () => {
  const stage = await stageInMemory(simpleCommand);
  ({ core, staged } = stage);
  played = await playMain(stage.run(runId));
});

const judge = (lie: Partial<Played> = {}) =>
  untruths(core, staged, { ...played, ...lie }, { comments: 'one', reaction: true });

/** Changes the status comment behind the product's back. */
function rewrite(change: (body: string) => string): void {
  const [own] = statusComments(core, staged);
  if (own === undefined) throw new Error('There is no status comment to rewrite.');
  core.github.edit(own.id, change(own.body));
}

const outputs = (patch: Record<string, string>) => ({
  outputs: {
    ...played.outputs,
    result: JSON.stringify({ outcome: patch.outcome, reason: patch.reason }),
    ...patch,
  },
});

test('a true run is called true', () => {
  expect(played.outputs.outcome).toBe('pr-created');
  expect(judge()).toEqual([]);
});

describe('called a lie:', () => {
  test('the link of another pull request in the comment', () => {
    rewrite((body) => body.replaceAll('/pull/101', '/pull/999'));
    expect(judge()).toContainEqual(expect.stringContaining('the comment says'));
  });

  test('a comment that stays at asking', () => {
    rewrite((body) => body.replace(/^✅.*$/m, '⏳ **Asking the writing agent …**'));
    expect(judge()).toContainEqual(expect.stringContaining('the comment stays at'));
  });

  test('a comment that says nothing was created', () => {
    rewrite((body) => body.replace(/^✅.*$/m, '❌ **Nothing was asked of the agent.**'));
    expect(judge()).toContainEqual(expect.stringContaining('the comment says'));
  });

  test('two status comments, and none', () => {
    const [own] = statusComments(core, staged);
    const twin = core.github.comment('github-actions[bot]', staged.thread, own?.body ?? '');
    expect(judge()).toContain('2 status comments');
    core.github.delete(twin.id);
    core.github.delete(own?.id ?? 0);
    expect(judge()).toContain('no status comment');
  });

  test('a second job', () => {
    core.service.createJob('add a quickstart');
    expect(judge()).toContain('asked 2 times, 2 jobs');
  });

  test('outputs of a job that is none', () => {
    expect(judge(outputs({ outcome: 'pr-created', reason: 'pull-request', 'job-id': 'job_9999' }))).toContain(
      'outputs say pr-created (pull-request), of job job_9999',
    );
  });

  test('outputs that know nothing of the job', () => {
    expect(judge(outputs({ outcome: 'failed', reason: 'cancelled', 'job-id': '' }))).toContain(
      'outputs say failed (cancelled), but the service was asked',
    );
  });

  test('a job that goes on, where there is none to name', () => {
    expect(judge(outputs({ outcome: 'detached', reason: 'cancelled', 'job-id': '' }))).toContain(
      'outputs say detached (cancelled), without a job',
    );
  });

  test('a result that says something else than the outputs', () => {
    const result = JSON.stringify({ outcome: 'failed', reason: 'job-failed' });
    expect(judge({ outputs: { ...played.outputs, result } })).toContainEqual(
      expect.stringContaining('result says'),
    );
  });

  test('a summary of a job that failed', () => {
    expect(judge({ summary: '### ❌ The job failed.' })).toContain('the summary says ### ❌ The job failed.');
  });

  test('an end from before the message', async () => {
    const stage = await stageInMemory(followUp);
    const followed = await playMain(stage.run(runId));
    const judgeFollowUp = () =>
      untruths(stage.core, stage.staged, followed, { comments: 'one', reaction: true });
    expect(judgeFollowUp()).toEqual([]);
    for (const { current } of stage.core.service.jobs) {
      current.script = { ...current.script, staleMs: Number.POSITIVE_INFINITY };
    }
    expect(judgeFollowUp()).toEqual([
      expect.stringContaining('the comment says'),
      expect.stringContaining('the summary says'),
      expect.stringContaining('outputs say pr-created'),
    ]);
  });

  test('a verdict without its reaction', () => {
    const { reactions } = core.github.findComment(staged.sourceCommentId ?? 0);
    reactions.splice(0, reactions.length);
    expect(judge()).toContainEqual(expect.stringContaining('no rocket'));
  });

  test('the key in the log, and a stack in the summary', () => {
    expect(judge({ printed: `the key is ${core.service.apiKey}` })).toContain('the key is in the log');
    expect(judge({ summary: `${played.summary}\n    at main (file:///dist/index.js:1:2)` })).toContain(
      'a stack in the summary',
    );
  });
});
