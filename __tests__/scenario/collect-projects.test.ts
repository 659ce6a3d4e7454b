import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Comment } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { headlineOf } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { type Collected, collect, leaveOpen } from '../support/scenarios/left-open.ts';

/* What a run of `mode: collect` does for several projects. */

const hourMs = 3_600_000;
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

const askedOf = ({ sent }: Collected) =>
  sent.filter(isFor(routes.getJob)).map(({ path }) => path.split('/')[3]);
const jobsIn = ({ outputs }: Played) =>
  (JSON.parse(outputs.result ?? '{}').jobs as { project: string; jobId: string }[]).map(
    ({ project, jobId }) => `${project} ${jobId}`,
  );
const isTold = (status: Comment) => headlineOf(status).includes('is ready');

describe('several projects', () => {
  test('share one listing of the comments; each job is looked at in its own, and told', async () => {
    const left = [
      await leaveOpen(core, { thread: 1 }),
      await leaveOpen(core, { thread: 2, inputs: { 'project-id': other } }),
    ];
    core.clock.advance(hourMs);
    const played = await collect(core, { inputs });
    expect(endOf(played)).toBe('collected (complete)');
    expect(played.outputs).toMatchObject({ finished: '2', 'still-active': '0' });
    expect(played.sent.filter(isFor(routes.readAllComments))).toHaveLength(1);
    expect(askedOf(played)).toEqual([DEFAULT_PROJECT.id, other]);
    expect(jobsIn(played)).toEqual([`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`]);
    expect(played.summary).toContain('| `API` | [#2](');
    for (const { status } of left) expect(isTold(status)).toBe(true);
    const again = await collect(core, { inputs });
    expect(again.outputs).toMatchObject({ finished: '0', reason: 'complete' });
  });

  test('of which one is not asked for are left alone', async () => {
    const { status } = await leaveOpen(core, { thread: 2, inputs: { 'project-id': other } });
    core.clock.advance(hourMs);
    const before = status.body;
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', reason: 'complete' });
    expect(status.body).toBe(before);
  });

  test('of which one refuses the key leave the other, and say which', async () => {
    const refused = await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
    const told = await leaveOpen(core, { thread: 2 });
    moveTo('org_other');
    core.clock.advance(hourMs);
    const played = await collect(core, { inputs });
    expect(endOf(played)).toBe('collected (incomplete)');
    expect(played.printed).toContain('API: Reading the job: the service answered 403');
    expect(played.summary).toContain('> Left for the next run: 1.');
    expect([refused, told].map(({ status }) => isTold(status))).toEqual([false, true]);
  });

  test('that all refuse the key are an error', async () => {
    await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
    moveTo('org_other');
    core.clock.advance(hourMs);
    expect(endOf(await collect(core, { inputs }))).toBe('failed (forbidden)');
  });

  test('with fewer requests than jobs look at the oldest, whosever they are', async () => {
    for (const thread of [1, 2, 3, 4, 5, 6]) {
      core.clock.advance(60_000);
      await leaveOpen(core, { thread, ...(thread % 2 === 0 ? { inputs: { 'project-id': other } } : {}) });
    }
    core.clock.advance(hourMs);
    const played = await collect(core, { inputs: { ...inputs, 'max-requests': '4' } });
    expect(endOf(played)).toBe('collected (incomplete)');
    expect(askedOf(played)).toHaveLength(4);
    expect(jobsIn(played)).toEqual(
      expect.arrayContaining([`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`]),
    );
  });

  test('after an opened pull request wait a minute in all for its job', async () => {
    const active = { activeMs: 10 * hourMs };
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
});
