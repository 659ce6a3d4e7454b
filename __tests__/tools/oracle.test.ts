import { beforeEach, describe, expect, test } from '@jest/globals';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { statusComments, untruths } from '../support/oracle/agent.ts';
import type { Played } from '../support/played.ts';
import { followUp, simpleCommand } from '../support/scenarios/agent.ts';

/*
 * The crash, fault, and thread suites rely on this oracle to detect false claims. Each test falsifies one detail of a correct
 * run, and the oracle must report it.
 */

let core: MemoryStage['core'];
let staged: MemoryStage['staged'];
let played: Played;

beforeEach(async () => {
  const stage = await stageInMemory(simpleCommand);
  ({ core, staged } = stage);
  played = await stage.play();
});

const judge = (falsified: Partial<Played> = {}) =>
  untruths(core, staged, { ...played, ...falsified }, { comments: 'one', reaction: true });

/** Falsifies the text of the status comment. */
function rewrite(change: (body: string) => string): void {
  const [own] = statusComments(core, staged);
  if (own === undefined) throw new Error('There is no status comment to rewrite.');
  core.github.edit(own.id, change(own.body));
}

/** Outputs that falsely say how the job ended, and which job it was. */
function outputs(outcome: string, reason: string, job: string): Partial<Played> {
  const result = JSON.stringify({ outcome, reason });
  return { outputs: { ...played.outputs, outcome, reason, result, 'job-id': job } };
}

test('a correct run has no false claims', () => {
  expect(played.outputs.outcome).toBe('pr-created');
  expect(judge()).toEqual([]);
});

describe('the oracle reports', () => {
  const asking = '⏳ **Asking the writing agent…**';
  const nothing = '❌ **Nothing was asked of the agent.**';
  const comments: [string, (body: string) => string, string][] = [
    [
      'the link of another pull request',
      (body) => body.replaceAll('/pull/101', '/pull/999'),
      'comment says',
    ],
    [
      'a comment that something is being sent',
      (body) => body.replace(/^✅.*$/m, asking),
      'comment stays at',
    ],
    ['a comment that nothing was sent', (body) => body.replace(/^✅.*$/m, nothing), 'comment says'],
    [
      'another job in the comment',
      (body) => body.replaceAll('job_0001', 'job_0009'),
      'names job_0009',
    ],
  ];
  test.each(comments)('%s', (_, change, problem) => {
    rewrite(change);
    expect(judge()).toContainEqual(expect.stringContaining(problem));
  });

  const runs: [string, () => Partial<Played>, string][] = [
    [
      'a job that doesn’t exist',
      () => outputs('pr-created', 'pull-request', 'job_9999'),
      'of job job_9999',
    ],
    [
      'outputs without the job',
      () => outputs('failed', 'cancelled', ''),
      'but the service was asked',
    ],
    ['a running job without an ID', () => outputs('detached', 'cancelled', ''), 'without a job'],
    [
      'another result',
      () => ({ outputs: { ...played.outputs, reason: 'deadline' } }),
      'result says',
    ],
    [
      'a summary of a failed job',
      () => ({ summary: '### ❌ The job failed.' }),
      'the summary says',
    ],
    [
      'the key in the log',
      () => ({ printed: `It is ${core.service.apiKey}` }),
      'the key is in the log',
    ],
    [
      'a stack',
      () => ({ summary: `${played.summary}\n    at main (file:///a.js:1:2)` }),
      'a stack in the',
    ],
  ];
  test.each(runs)('%s', (_, falsify, problem) => {
    expect(judge(falsify())).toContainEqual(expect.stringContaining(problem));
  });

  test('two status comments, a missing one, a second job, and a missing reaction', () => {
    const [own] = statusComments(core, staged);
    const twin = core.github.comment('github-actions[bot]', staged.thread, own?.body ?? '');
    expect(judge()).toContain('2 status comments');
    for (const comment of [twin, own]) core.github.delete(comment?.id ?? 0);
    expect(judge()).toContain('no status comment');
    core.service.createJob('add a quickstart');
    expect(judge()).toContain('asked 2 times, 2 jobs');
    core.github.findComment(staged.sourceCommentId ?? 0).reactions.length = 0;
    expect(judge()).toContainEqual(expect.stringContaining('no rocket'));
  });

  test('a result from before the message', async () => {
    const stage = await stageInMemory(followUp);
    const followed = await stage.play();
    ({ core, staged } = stage);
    expect(judge(followed)).toEqual([]);
    for (const { current } of core.service.jobs)
      current.script = { ...current.script, staleMs: Number.POSITIVE_INFINITY };
    const problems = ['the comment says', 'the summary says', 'outputs say pr-created'];
    expect(judge(followed)).toEqual(problems.map((problem) => expect.stringContaining(problem)));
  });
});
