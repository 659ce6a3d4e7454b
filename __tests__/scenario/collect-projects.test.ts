import { beforeEach, expect, test } from '@jest/globals';
import type { Comment } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { headlineOf } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { type Collected, collect, collectLater, leaveOpen } from '../support/scenarios/left-open.ts';

/* Collect runs with several projects. */

const other = 'prj_api';
const inputs = { 'project-id': `${DEFAULT_PROJECT.id} = Guides\n${other} = API` };

let core: InMemorySimulator;
beforeEach(() => {
  core = createInMemorySimulator();
  moveTo(DEFAULT_PROJECT.organization);
});

function moveTo(organization: string): void {
  core.service.addProject({ id: other, organization });
}

const projectsChecked = ({ sent }: Collected) =>
  sent.filter(isFor(routes.getJob)).map(({ path }) => path.split('/')[3]);
const jobsIn = ({ outputs }: Played) =>
  (JSON.parse(outputs.result ?? '{}').jobs as { project: string; jobId: string }[]).map(
    ({ project, jobId }) => `${project} ${jobId}`,
  );
const isReady = (status: Comment) => headlineOf(status).includes('is ready');

test('several projects share one list of comments, and each job is checked in its own project', async () => {
  const left = [
    await leaveOpen(core, { thread: 1 }),
    await leaveOpen(core, { thread: 2, inputs: { 'project-id': other } }),
  ];
  const played = await collectLater(core, { inputs });
  expect(endOf(played)).toBe('collected (complete)');
  expect(played.outputs).toMatchObject({ finished: '2', 'still-active': '0' });
  expect(played.sent.filter(isFor(routes.readAllComments))).toHaveLength(1);
  expect(projectsChecked(played)).toEqual([DEFAULT_PROJECT.id, other]);
  expect(jobsIn(played)).toEqual([`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`]);
  expect(played.summary).toContain('| `API` | [#2](');
  for (const { status } of left) expect(isReady(status)).toBe(true);
  const again = await collect(core, { inputs });
  expect(again.outputs).toMatchObject({ finished: '0', reason: 'complete' });
});

test('a project that the inputs do not name is left alone', async () => {
  const { status } = await leaveOpen(core, { thread: 2, inputs: { 'project-id': other } });
  const before = status.body;
  expect((await collectLater(core)).outputs).toMatchObject({ finished: '0', reason: 'complete' });
  expect(status.body).toBe(before);
});

test('if one project rejects the key, the log names it, and the other is still updated', async () => {
  const refused = await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
  const updated = await leaveOpen(core, { thread: 2 });
  moveTo('org_other');
  const played = await collectLater(core, { inputs });
  expect(endOf(played)).toBe('collected (incomplete)');
  expect(played.printed).toContain('API: Reading the job: the service answered 403');
  expect(played.summary).toContain('> Left for the next run: 1.');
  expect([refused, updated].map(({ status }) => isReady(status))).toEqual([false, true]);
});

test('it is an error if every project rejects the key', async () => {
  await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
  moveTo('org_other');
  expect(endOf(await collectLater(core, { inputs }))).toBe('failed (forbidden)');
});

test('with fewer requests than jobs, the oldest jobs of all projects are checked', async () => {
  for (const thread of [1, 2, 3, 4, 5, 6]) {
    core.clock.advance(60_000);
    await leaveOpen(core, { thread, ...(thread % 2 === 0 ? { inputs: { 'project-id': other } } : {}) });
  }
  const played = await collectLater(core, { inputs: { ...inputs, 'max-requests': '4' } });
  expect(endOf(played)).toBe('collected (incomplete)');
  expect(projectsChecked(played)).toHaveLength(4);
  expect(jobsIn(played)).toEqual(
    expect.arrayContaining([`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`]),
  );
});

test('after a pull request is opened, a run waits one minute in total, not one per project', async () => {
  const active = { activeMs: 36_000_000 };
  await leaveOpen(core, { thread: 1, script: active });
  await leaveOpen(core, { thread: 2, script: active, inputs: { 'project-id': other } });
  const number = core.github.addThread({ number: 50, isPullRequest: true }).number;
  const event = core.github.pullRequestEvent(number);
  const startMs = core.clock.now();
  const played = await collect(core, { inputs: { ...inputs, 'max-requests': '100' }, event });
  expect(played.outputs).toMatchObject({ finished: '0', 'still-active': '2' });
  const waitedMs = core.clock.now() - startMs;
  expect(waitedMs).toBeGreaterThan(50_000);
  expect(waitedMs).toBeLessThan(70_000);
});
