import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { openPullRequest } from '../support/in-process/changes.ts';
import { headlineOf } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import type { LeftOpen } from '../support/scenarios/left-open.ts';
import { collect, collectLater, leaveOpen, leaveSeveral } from '../support/scenarios/left-open.ts';

/* How many requests a collect run sends, how it handles errors, and how two runs work at the same time. */

const minuteMs = 60_000;

let core: InMemorySimulator;
beforeEach(() => {
  core = createInMemorySimulator();
});

const complete = 'collected (complete)';
const incomplete = 'collected (incomplete)';

const headline = ({ status }: LeftOpen) => headlineOf(status);

describe('requests and writes', () => {
  test('for 100 open threads: one request per job, writes a second apart, and at most `max-requests`', async () => {
    const left = await leaveSeveral(core, 100);
    const first = await collectLater(core);
    expect(endOf(first)).toBe(incomplete);
    expect(first.outputs).toMatchObject({ finished: '60', 'still-active': '0' });
    expect(JSON.parse(first.outputs.result ?? '')).toMatchObject({ left: 40 });
    const why = 'All the requests that `max-requests` allows (currently 60) have been used.';
    expect(first.summary).toContain(`> ${why} The next run tries again.\n`);
    // The oldest jobs are checked first.
    for (const job of left.slice(0, 20)) expect(headline(job)).toContain('is ready');
    expect(first.sent.filter(isFor(routes.getJob))).toHaveLength(60);

    core.clock.advance(minuteMs);
    const rest = await collect(core, { inputs: { 'max-requests': '1000' } });
    expect([endOf(rest), rest.outputs.finished]).toEqual([complete, '40']);
    const sent = [...first.sent, ...rest.sent];
    const jobs = sent.filter(isFor(routes.getJob)).map(({ path }) => path);
    expect([jobs.length, new Set(jobs).size]).toEqual([100, 100]);
    const writes = sent.filter(({ to, method }) => to === 'github' && method !== 'GET');
    expect(writes).toHaveLength(200);
    const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(core.violations).toEqual([]);
  });

  test('jobs without a pull request are reported even if their three checks use up the requests', async () => {
    core.service.script({ prLink: null });
    const left = await leaveSeveral(core, 20);
    const played = await collectLater(core);
    expect([endOf(played), played.outputs.finished]).toEqual([complete, '20']);
    expect(left.every((job) => headline(job).includes('without a pull request'))).toBe(true);
  });

  test('a run writes at most 400 times', async () => {
    core.service.limit.usesPerHour = 1_000;
    await leaveSeveral(core, 210);
    const inputs = { 'max-requests': '1000', 'fail-on': 'incomplete' };
    const played = await collectLater(core, { inputs });
    expect([endOf(played), played.exitCode]).toEqual([incomplete, 1]);
    expect(played.printed).toMatch(/^error: /m);
    expect(played.summary).toContain(
      '> A run can write to GitHub at most 400 times. The next run tries again.\n',
    );
    const writes = played.sent.filter(({ to, method }) => to === 'github' && method !== 'GET');
    expect(writes.length).toBeLessThanOrEqual(400);
    const rest = await collect(core, { inputs });
    expect([endOf(rest), rest.exitCode]).toEqual([complete, 0]);
  });

  test('requests for review and reminders count as writes, and are a second apart, too', async () => {
    core.service.limit.usesPerHour = 1_000;
    core.github.addUser('docs-agent[bot]', { type: 'Bot' });
    core.github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
    const inputs = { 'request-review': 'requester' };
    const count = 90;
    for (let nth = 0; nth < count; nth += 1) {
      await leaveOpen(core, { thread: 1001 + nth, inputs });
      const head = `docs-${nth}`;
      core.github.git.branch(head);
      core.github.git.commit({ branch: head, files: { [`docs/${nth}.md`]: '# A page\n' } });
      core.github.pullRequests.open({ head, number: 101 + nth, author: 'docs-agent[bot]' });
    }
    core.clock.advance(2 * 86_400_000);
    const collecting = { inputs: { 'max-requests': '1000', 'remind-after': '1 day' } };
    const isWrite = ({ to, method }: RecordedRequest) => to === 'github' && method !== 'GET';

    // Each request needs a reaction, a request for review, an edit, a reminder, and an edit that records the reminder.
    const first = await collect(core, collecting);
    const writes = first.sent.filter(isWrite);
    expect(writes.length).toBeGreaterThan(390);
    expect(writes.length).toBeLessThanOrEqual(400);
    const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(endOf(first)).toBe(incomplete);
    expect(first.summary).toContain(
      '> A run can write to GitHub at most 400 times. The next run tries again.\n',
    );

    core.clock.advance(2 * 3_600_000);
    const rest = await collect(core, collecting);
    expect(endOf(rest)).toBe(complete);
    const written = [...writes, ...rest.sent.filter(isWrite)].map(({ route }) => route);
    const counts = [routes.requestReview, routes.writeComment].map(
      (wanted) => written.filter((route) => route === wanted).length,
    );
    expect(counts).toEqual([count, count]);
    expect((await collect(core, collecting)).sent.filter(isWrite)).toEqual([]);
  });

  test('after a write that was tried again, too, the next one is a second later', async () => {
    await leaveSeveral(core, 3);
    core.faults.refuse(routes.editComment, 502, { times: 1 });
    const { sent } = await collectLater(core, {});
    const writes = sent.filter(({ to, method }) => to === 'github' && method !== 'GET');
    // Of a write that is tried again, the last try counts.
    const last = writes.filter(({ path }, nth) => path !== writes[nth + 1]?.path);
    expect(last.length).toBe(writes.length - 1);
    const gaps = last.slice(1).map(({ at }, index) => at - (last[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  });

  test('two comments about the same job cost one request', async () => {
    await leaveOpen(core, { thread: 1 });
    await leaveOpen(core, { thread: 1 });
    expect(core.service.jobs).toHaveLength(1);
    const played = await collectLater(core);
    expect(played.outputs.finished).toBe('2');
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(1);
  });

  test('retries count toward `max-requests`, and the remaining jobs wait for the next run', async () => {
    await leaveSeveral(core, 3);
    core.faults.add({ at: routes.getJob, kind: 'status', status: 500, times: 2 });
    const played = await collectLater(core, { inputs: { 'max-requests': '3' } });
    expect(endOf(played)).toBe(incomplete);
    expect(played.outputs.finished).toBe('1');
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(3);
  });
});

describe('errors', () => {
  test('in locked threads: one try to write in each until the request is old, and the run is complete', async () => {
    const left = [await leaveOpen(core, { thread: 1 }), ...(await leaveSeveral(core, 3))];
    const isLocked = ({ method, path }: RecordedRequest) =>
      method === 'PATCH' && left.slice(0, 3).some(({ status }) => path.endsWith(`/${status.id}`));
    const says = 'Unable to edit comment because issue is locked.';
    core.faults.refuse(isLocked, 403, { says, times: 99 });
    for (const thread of [1, 2]) core.github.thread(thread).locked = true;
    for (const [finished, tries, laterMs] of [
      ['1', 2, 0],
      ['0', 2, 0],
      ['0', 0, 15 * 86_400_000],
    ] as const) {
      core.clock.advance(laterMs);
      const played = await collectLater(core, { inputs: { 'fail-on': 'incomplete' } });
      expect([endOf(played), played.exitCode, played.outputs.finished]).toEqual([
        complete,
        0,
        finished,
      ]);
      expect(played.summary).toContain(
        '> Status comments left unchanged, because their threads are locked or GitHub doesn’t let this token edit them: 3.',
      );
      expect(played.sent.filter(isLocked)).toHaveLength(tries);
    }
    expect(left.map((job) => headline(job).includes('is ready'))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    core.faults.clear();
    for (const thread of [1, 2]) core.github.thread(thread).locked = false;
    await collect(core);
    expect(left.every((job) => /is ready|is done/.test(headline(job)))).toBe(true);
  });

  test.each([
    [403, 'Must have admin rights to Repository.'],
    [410, 'This issue was deleted'],
    [422, 'Validation Failed'],
  ])(
    'a comment that GitHub never lets anyone edit (%i): complete, green, and the others are updated',
    async (status, says) => {
      const left = await leaveSeveral(core, 2);
      const isFirst = ({ method, path }: RecordedRequest) =>
        method === 'PATCH' && path.endsWith(`/${left[0]?.status.id}`);
      core.faults.refuse(isFirst, status, { says, times: 99 });
      for (const finished of ['1', '0', '0']) {
        const played = await collectLater(core, { inputs: { 'fail-on': 'incomplete' } });
        expect([endOf(played), played.exitCode, played.outputs.finished]).toEqual([
          complete,
          0,
          finished,
        ]);
        expect(played.summary).toContain('GitHub doesn’t let this token edit them: 1.');
      }
    },
  );

  test('a comment that someone deletes right before the edit: complete, and the others are updated', async () => {
    await leaveSeveral(core, 2);
    core.faults.refuse(routes.editComment, 404, { times: 1 });
    const played = await collectLater(core, { inputs: { 'fail-on': 'incomplete' } });
    expect([endOf(played), played.exitCode, played.outputs.finished]).toEqual([complete, 0, '1']);
  });

  test.each([
    [1, incomplete, 0, '1'],
    [2, 'failed (github-error)', 1, undefined],
  ])('a token that can’t write in %i of 2 threads', async (times, end, exitCode, finished) => {
    await leaveSeveral(core, 2);
    core.faults.refuse(routes.editComment, 403, {
      times,
      says: 'Resource not accessible by integration',
    });
    const played = await collectLater(core);
    expect([endOf(played), played.exitCode, played.outputs.finished]).toEqual([
      end,
      exitCode,
      finished,
    ]);
    expect(played.summary).toMatch(/The token can’t write in this thread\.?\s+Add `issues: write`/);
  });

  test('the service’s hourly limit: the summary and the log say what happened and when to try again', async () => {
    await leaveSeveral(core, 3);
    core.faults.refuse(routes.getJob, 429, { nth: 2, retryAfter: 1_200 });
    const played = await collectLater(core);
    expect(played.outputs).toMatchObject({ reason: 'incomplete', finished: '1' });
    const comeBack = /Try again after \d\d:\d\d UTC \(in 20 min\)\.$/m;
    expect(played.printed).toMatch(comeBack);
    const [, why = ''] = played.summary.match(/^> (.*) The next run tries again\.$/m) ?? [];
    expect(why).toMatch(/^The service’s hourly limit has been reached\. Try/);
    expect(why).toMatch(comeBack);
    expect(played.printed).toMatch(/\nReading the job: the service returned 429: /);
  });

  test('no response: after two jobs, nothing more is sent to the service', async () => {
    await leaveSeveral(core, 10);
    core.faults.add({
      at: routes.getJob,
      kind: 'reset',
      when: 'before',
      times: Number.POSITIVE_INFINITY,
    });
    const played = await collectLater(core);
    expect(played.outputs).toMatchObject({ reason: 'incomplete', finished: '0' });
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(4);
  });

  test('GitHub’s rate limit for an hour: nothing more is written, and the next run finishes', async () => {
    const left = await leaveSeveral(core, 3);
    core.faults.refuse(routes.editComment, 429, { nth: 2, retryAfter: 3_600 });
    const played = await collectLater(core);
    expect(played.outputs).toMatchObject({ reason: 'incomplete', finished: '1' });
    expect(played.sent.filter(isFor(routes.editComment))).toHaveLength(2);
    expect(played.summary).toContain(
      '> GitHub’s rate limit has been reached. Re-run the workflow in 1 h. ',
    );
    expect(played.printed).toMatch(/\nEditing the comment: GitHub returned 429: /);
    expect((await collect(core)).outputs).toMatchObject({ reason: 'complete', finished: '2' });
    for (const job of left) expect(headline(job)).toContain('is ready');
  });
});

test('two collect runs at the same time write the same text', async () => {
  const left = await leaveSeveral(core, 5);
  const ended = await Promise.all([collectLater(core), collect(core)]);
  expect(ended.map(endOf)).toEqual([complete, complete]);
  for (const { status, command } of left) {
    const [, , open = '', ...ends] = status.history.map(({ body }) => body);
    expect(headlineOf({ body: open })).toMatch(/^⏳/);
    expect(new Set(ends).size).toBe(1);
    expect(command.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  }
  expect(core.github.comments).toHaveLength(10);
  expect(core.violations).toEqual([]);
});

describe('when a pull request is opened', () => {
  test('the run waits until the job that opened it ends', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.clock.advance(30_000);
    const played = await collect(core, { event: core.github.pullRequestEvent(opened()) });
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    expect(headline(left)).toContain('is ready');
  });

  test('the run waits for at most a minute if no job opened it, and is complete', async () => {
    await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    const startedAt = core.clock.now();
    const played = await collect(core, { event: core.github.pullRequestEvent(opened()) });
    expect([endOf(played), played.outputs['still-active']]).toEqual([complete, '1']);
    expect(core.clock.now() - startedAt).toBeLessThanOrEqual(60_000);
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(13);
  });

  test('the run waits for no other job, even if the link has a former name of the repository', async () => {
    await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    await leaveOpen(core, { thread: 2 });
    core.clock.advance(60_000);
    core.github.rename('guides');
    const played = await collect(core, { event: core.github.pullRequestEvent(opened()) });
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '1' });
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(2);
  });

  test('a later push to it makes no run wait', async () => {
    await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    const event = core.github.pullRequestEvent(opened(), 'synchronize');
    const played = await collect(core, { event });
    expect(played.sent.filter(isFor(routes.getJob))).toHaveLength(1);
  });
});

/** Opens the pull request that the last job links to, and returns its number. */
function opened(): number {
  core.github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
  return openPullRequest(core.github);
}
