import { expect, test } from '@jest/globals';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import { headlines, type Said, Stage } from '../support/bundle/stage.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

const { createJob: create, writeComment: claim } = routes;

// A request is held here while another process starts. On a busy machine, that takes longer than a sped-up limit.
process.env.SIMULATOR_TIMEOUT_SPEED = '1';

/** Starts something at a moment that doesn't wait for it, and returns its result. */
function startAt<T>(moment: RequestMoment, start: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    stage.simulator.once(moment, () => void start().then(resolve, reject));
  });
}

/** Holds the first such request until a later one was handled. */
function hold(at: RequestMoment['at'], until: RequestMoment['at']): void {
  stage.simulator.once(
    { at, phase: 'arrived' },
    () =>
      new Promise<void>((resolve) => {
        stage.simulator.once({ at: until, phase: 'handled' }, () => resolve());
      }),
  );
}

test('two commands seconds apart: the second goes to the job that the first is about to have', async () => {
  const second = startAt({ at: claim, phase: 'handled' }, () => stage.say('/docs and one for Ruby'));
  hold(create, claim);
  const first = await stage.say('/docs add a quickstart');
  const follow = await second;
  expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
  expect([first, follow].map(({ outputs }) => outputs.outcome)).toEqual(['pr-created', 'pr-created']);
  expect(stage.written().map((comment) => headlines(comment).at(-1))).toEqual([
    expect.stringContaining('is ready'),
    expect.stringContaining('The follow-up is done'),
  ]);
});

test('a claim that is deleted while a second command waits for it does not end the second', async () => {
  const second = startAt({ at: claim, phase: 'handled' }, () => stage.say('/docs and one for Ruby'));
  hold(create, claim);
  let deleted: number | undefined;
  stage.simulator.clock.onSleep(() => {
    const [claim] = stage.written();
    if (claim === undefined || deleted !== undefined || stage.written().length < 2) return;
    deleted = claim.id;
    stage.github.delete(claim.id);
  });
  stage.simulator.faults.refuse(create, 429, { retryAfter: 50 });
  await stage.say('/docs add a quickstart');
  expect((await second).outputs.outcome).toBe('pr-created');
  expect(deleted).toBeDefined();
  expect(stage.written().map(({ id }) => id)).not.toContain(deleted);
});

test('a run held up for minutes by a rate limit still sees who claimed before it', async () => {
  stage.simulator.service.script({ activeMs: 3_600_000 });
  stage.simulator.faults.refuse(claim, 403, { retryAfter: 150 });
  const command = stage.github.comment('maintainer', 7, '/docs --no-wait add a quickstart');
  const run = () => stage.on(stage.event(command));
  let other: Promise<unknown> | undefined;
  stage.simulator.clock.onSleep(async (ms) => {
    if (ms < 100_000 || other !== undefined) return;
    other = run();
    await other;
  });
  const late = await run();
  expect(other).toBeDefined();
  // It finds the other command's job, which no run is waiting for anymore.
  expect(late.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
  expect(stage.jobs).toHaveLength(1);
  expect(stage.written()).toHaveLength(1);
});

test('the newest job is continued, though an older one was told of later', async () => {
  stage.simulator.service.scriptNext({ activeMs: 600_000 });
  stage.simulator.service.scriptNext({ activeMs: 10_000 });
  let asked: Promise<Said> | undefined;
  stage.simulator.clock.onSleep(async () => {
    if (stage.jobs.length !== 1 || asked !== undefined) return;
    asked = stage.say('/docs --new explain rate limits');
    await asked;
  });
  const slow = await stage.say('/docs add a quickstart');
  expect(slow.outputs['job-id']).toBe('job_0001');
  await stage.say('/docs with an example in curl');
  expect(stage.requests).toEqual([['add a quickstart'], ['explain rate limits', 'with an example in curl']]);
});

test('in a thread of 500 comments the newest are read first, and reading stops when the job is found', async () => {
  const talk = (count: number) => {
    for (let n = 0; n < count; n += 1) stage.github.comment('maintainer', 7, `talk ${n}`);
  };
  talk(440);
  await stage.say('/docs add a quickstart');
  talk(60);
  const run = await stage.say('/docs and one for Ruby');
  expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
  const pages = run.github.filter(
    ({ route, query }) => route === routes.readThread && query.since === undefined,
  );
  expect(pages.map(({ query }) => query.page)).toEqual(['1', '6', '5']);
  expect(run.github).toHaveLength(14);
});
