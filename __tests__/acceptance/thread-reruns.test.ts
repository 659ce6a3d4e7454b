import { expect, test } from '@jest/globals';
import { headlines, reactions, Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

test('a job still active is followed to its end in the same comment', async () => {
  stage.simulator.service.script({ activeMs: 3_600_000 });
  const first = await stage.say('/docs add a quickstart', { inputs: { 'timeout-minutes': '10' } });
  expect(first).toMatchObject({ exitCode: 1, outputs: { outcome: 'timed-out', reason: 'deadline' } });
  expect(headlines(stage.status).at(-1)).toBe('⏳ **Still running after 10 min; this run stopped waiting.**');
  const second = await stage.again(first, { 'timeout-minutes': '120' });
  expect(second).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'job-id': 'job_0001' } });
  expect(stage.requests).toEqual([['add a quickstart']]);
  expect(textOf(stage.status)).toContain('is ready');
  expect(textOf(stage.status)).toMatch(/is ready to review \((1 h|59 min|60 min)/);
  expect(reactions(first.command)).toContain('rocket');
});

test('a run that did not wait is picked up by running it again', async () => {
  const first = await stage.say('/docs --no-wait add a quickstart');
  const second = await stage.again(first, { wait: 'true' });
  // The comment still says --no-wait: its words go before the input's.
  expect(second.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
  stage.simulator.clock.advance(600_000);
  const third = await stage.again(second);
  expect(third.outputs).toMatchObject({ outcome: 'pr-created', 'pr-number': '101' });
  expect(stage.requests).toEqual([['add a quickstart']]);
  expect(textOf(stage.status)).toContain('is ready');
});

test('a completed job is told again, and no other is started', async () => {
  const first = await stage.say('/docs add a quickstart');
  const told = textOf(stage.status);
  const second = await stage.again(first);
  expect(second).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'pr-number': '101' } });
  expect(second.outputs['comment-url']).toBe(first.outputs['comment-url']);
  expect(second.service.filter(({ method }) => method === 'POST')).toEqual([]);
  expect(textOf(stage.status).split('\n')[0]).toBe(told.split('\n')[0]);
});

test('a line that a maintainer puts above the status comment does not free the request', async () => {
  const first = await stage.say('/docs add a quickstart');
  stage.github.edit(stage.status.id, `Reviewed.\n${stage.status.body}`);
  const second = await stage.again(first);
  expect(second).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'job-id': 'job_0001' } });
  expect(stage.requests).toEqual([['add a quickstart']]);
  expect(textOf(stage.status)).toContain('is ready');
});

test.each(['failed', 'archived'])('a job that is %s makes room for a new one', async (end) => {
  stage.simulator.service.scriptNext({ end, prLink: null });
  const first = await stage.say('/docs add a quickstart');
  expect(reactions(first.command)).toEqual(['eyes', 'confused']);
  const second = await stage.again(first);
  expect(reactions(first.command)).toEqual(['eyes', 'rocket']);
  expect(stage.requests).toEqual([['add a quickstart'], ['add a quickstart']]);
  expect(second.outputs).toMatchObject({ outcome: 'pr-created', 'job-id': 'job_0002', 'pr-number': '102' });
  const note = `The run before ended with job \`job_0001\` (${end}); this is a new job.`;
  expect(textOf(stage.status).split(note)).toHaveLength(2);
  expect(textOf(stage.status).match(/this is a new job/g)).toHaveLength(1);
});

test('where the request may have been taken, nothing is sent again, and the comment says how to go on', async () => {
  stage.simulator.faults.add({ at: routes.createJob, kind: 'reset', when: 'after-handled' });
  const first = await stage.say('/docs add a quickstart');
  expect(first).toMatchObject({
    exitCode: 1,
    outputs: { outcome: 'failed', reason: 'unconfirmed', 'job-id': '' },
  });
  const second = await stage.again(first);
  expect(second).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'unconfirmed' } });
  expect(second.service).toEqual([]);
  expect(stage.jobs).toHaveLength(1);
  expect(textOf(stage.status)).toContain('A job may exist');
  expect(textOf(stage.status)).toContain('ask again with `/docs --new …`');
  expect(second.summary).toContain('A job may exist');
  expect(reactions(first.command)).toEqual(['eyes', 'confused']);
});

test('a re-run that cannot read the thread asks for nothing', async () => {
  const first = await stage.say('/docs add a quickstart');
  stage.github.restrict({ issues: 'none' });
  const second = await stage.again(first);
  expect(second).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'github-error' } });
  expect(stage.jobs).toHaveLength(1);
});

test('a page of a proxy is no word of GitHub: the thread is not taken for one that cannot be read', async () => {
  stage.simulator.faults.add({
    at: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    kind: 'html',
    status: 403,
    times: 9,
  });
  const run = await stage.say('/docs add a quickstart');
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'github-error' } });
  expect(stage.jobs).toEqual([]);
});

test('where nothing was taken, running again asks', async () => {
  stage.simulator.faults.refuse(routes.createJob, 401);
  const first = await stage.say('/docs add a quickstart');
  expect(first).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'unauthorized' } });
  expect(textOf(stage.status)).toContain('Nothing was created.');
  const second = await stage.again(first);
  expect(second.outputs).toMatchObject({ outcome: 'pr-created', 'job-id': 'job_0001' });
  expect(stage.jobs).toHaveLength(1);
  expect(stage.written()).toHaveLength(1);
});

test('after the key was rotated the thread has no memory, and that is no error', async () => {
  const first = await stage.say('/docs add a quickstart');
  const rotated = {
    id: 'prj_simulated_docs',
    apiKey: 'mint_fake_1111rotated1111',
    organisation: 'org_simulated',
  };
  stage.simulator.service.addProject(rotated);
  const run = await stage.say('/docs and one for Ruby', { inputs: { 'api-key': rotated.apiKey } });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'job-id': 'job_0002' } });
  expect(first.outputs['job-id']).toBe('job_0001');
  expect(warnings(run)).toEqual([]);
});

test.each([
  ['is archived', () => stage.jobs[0]?.end('archived')],
  ['is no longer there', () => stage.simulator.service.forget('job_0001')],
])('a follow-up to a job that %s starts a new one, and the comment says so', async (what, lose) => {
  await stage.say('/docs add a quickstart');
  lose();
  const run = await stage.say('/docs and one for Ruby');
  expect(run.outputs.outcome).toBe('pr-created');
  expect(stage.requests.at(-1)).toEqual(['and one for Ruby']);
  const [, comment] = stage.written();
  expect(comment && textOf(comment)).toContain(`The thread’s job \`job_0001\` ${what}; this is a new job.`);
  expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({ followUp: false });
});

test('status of a job that is gone says that', async () => {
  await stage.say('/docs add a quickstart');
  stage.simulator.service.forget('job_0001');
  const run = await stage.say('/docs status');
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered' } });
  expect(textOf(stage.written().at(-1) ?? { body: '' })).toBe(
    '⚠️ **The thread’s newest job is no longer there:** `job_0001`.',
  );
});

test.each(['help', 'status'])(
  '%s asked again is answered in the comment it was answered in',
  async (word) => {
    const first = await stage.say(`/docs ${word}`);
    const { id } = stage.status;
    expect(await stage.again(first)).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'answered', reason: word },
    });
    expect(stage.status.id).toBe(id);
  },
);

test('a follow-up that was not seen to be taken up is told so again, until its job has moved', async () => {
  await stage.say('/docs add a quickstart');
  stage.simulator.service.script({ staleMs: 1e9 });
  const first = await stage.say('/docs shorter');
  expect(first.outputs).toMatchObject({ outcome: 'pr-created', reason: 'follow-up-unseen' });
  expect(reactions(first.command)).toEqual(['eyes', 'confused']);
  const again = await stage.again(first);
  expect(again.outputs).toMatchObject({ outcome: 'pr-created', reason: 'follow-up-unseen' });
  expect(again.summary).toContain('couldn’t confirm that the agent picked up the follow-up');
  expect(textOf(stage.written().at(-1) ?? { body: '' })).toMatch(/^⚠️ /);
  expect(reactions(first.command)).toEqual(['eyes', 'confused']);
});
