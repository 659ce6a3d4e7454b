import { beforeEach, describe, expect, test } from '@jest/globals';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { statusComments, untruths } from '../support/oracle/agent.ts';
import type { Played } from '../support/played.ts';
import { followUp, simpleCommand } from '../support/scenarios/agent.ts';

/*
 * Tests the oracle of the crash, fault and thread suites with lies: a truthful run is changed in one place, and the oracle must
 * notice each change. Otherwise, those suites would pass whatever the product says.
 */

let core: MemoryStage['core'];
let staged: MemoryStage['staged'];
let played: Played;

beforeEach(async () => {
  const stage = await stageInMemory(simpleCommand);
  ({ core, staged } = stage);
  played = await stage.play();
});

const judge = (lie: Partial<Played> = {}) =>
  untruths(core, staged, { ...played, ...lie }, { comments: 'one', reaction: true });

/** Changes the status comment behind the product's back. */
function rewrite(change: (body: string) => string): void {
  const [own] = statusComments(core, staged);
  if (own === undefined) throw new Error('There is no status comment to rewrite.');
  core.github.edit(own.id, change(own.body));
}

/** Outputs that claim this about the job. */
function outputs(end: string, job: string): Partial<Played> {
  const [, outcome = '', reason = ''] = /^(\S+) \((\S+)\)$/.exec(end) ?? [];
  const result = JSON.stringify({ outcome, reason });
  return { outputs: { ...played.outputs, outcome, reason, result, 'job-id': job } };
}

test('a true run is called true', () => {
  expect(played.outputs.outcome).toBe('pr-created');
  expect(judge()).toEqual([]);
});

describe('called a lie:', () => {
  const asking = '⏳ **Asking the writing agent …**';
  const nothing = '❌ **Nothing was asked of the agent.**';
  const comments: [string, (body: string) => string, string][] = [
    ['the link of another pull request', (body) => body.replaceAll('/pull/101', '/pull/999'), 'comment says'],
    ['a comment that stays at asking', (body) => body.replace(/^✅.*$/m, asking), 'comment stays at'],
    ['a comment that nothing was asked', (body) => body.replace(/^✅.*$/m, nothing), 'comment says'],
    ['the job of another', (body) => body.replaceAll('job_0001', 'job_0009'), 'comment names job_0009'],
  ];
  test.each(comments)('%s', (_, change, problem) => {
    rewrite(change);
    expect(judge()).toContainEqual(expect.stringContaining(problem));
  });

  const goes = 'detached (cancelled)';
  const runs: [string, () => Partial<Played>, string][] = [
    ['a job that is none', () => outputs('pr-created (pull-request)', 'job_9999'), 'of job job_9999'],
    ['outputs without the job', () => outputs('failed (cancelled)', ''), 'but the service was asked'],
    ['a job that goes on, without one', () => outputs(goes, ''), 'without a job'],
    ['another result', () => ({ outputs: { ...played.outputs, reason: 'deadline' } }), 'result says'],
    ['a summary of a failed job', () => ({ summary: '### ❌ The job failed.' }), 'the summary says'],
    ['the key', () => ({ printed: `It is ${core.service.apiKey}` }), 'the key is in the log'],
    [
      'a stack',
      () => ({ summary: `${played.summary}\n    at main (file:///a.js:1:2)` }),
      'a stack in the summary',
    ],
  ];
  test.each(runs)('%s', (_, lie, problem) => {
    expect(judge(lie())).toContainEqual(expect.stringContaining(problem));
  });

  test('two status comments, none, a second job, and no reaction', () => {
    const [own] = statusComments(core, staged);
    const twin = core.github.comment('github-actions[bot]', staged.thread, own?.body ?? '');
    expect(judge()).toContain('2 status comments');
    for (const one of [twin, own]) core.github.delete(one?.id ?? 0);
    expect(judge()).toContain('no status comment');
    core.service.createJob('add a quickstart');
    expect(judge()).toContain('asked 2 times, 2 jobs');
    core.github.findComment(staged.sourceCommentId ?? 0).reactions.length = 0;
    expect(judge()).toContainEqual(expect.stringContaining('no rocket'));
  });

  test('an end from before the message', async () => {
    const stage = await stageInMemory(followUp);
    const followed = await stage.play();
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
});
