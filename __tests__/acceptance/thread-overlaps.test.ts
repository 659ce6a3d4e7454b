import { expect, test } from '@jest/globals';
import { type Said, Stage } from '../support/bundle/stage.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage({}, 'bundle');

const { createJob: create, writeComment: claim } = routes;

/** Posts a second command once the first has written its claim. The first creates its job only after the second has a claim, too. */
function overtake(): Promise<Said> {
  const { simulator } = stage;
  const claimed = Promise.withResolvers<void>();
  simulator.once({ at: create, phase: 'arrived' }, () => claimed.promise);
  return new Promise((resolve, reject) => {
    simulator.once({ at: claim, phase: 'handled' }, () => {
      simulator.once({ at: claim, phase: 'handled' }, () => claimed.resolve());
      stage.say('/docs and one for Ruby').then(resolve, reject);
    });
  });
}

test('a second command waits for the job of the first', async () => {
  const second = overtake();
  // The second command's clock skips its waits, so the first one may need more time than they last.
  const edited = Promise.withResolvers<void>();
  stage.simulator.once({ at: routes.editComment, phase: 'handled' }, () => edited.resolve());
  stage.simulator.once({ at: routes.readComment, phase: 'arrived' }, () => edited.promise);
  await stage.say('/docs add a quickstart');
  expect((await second).outputs.outcome).toBe('pr-created');
  expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
});

test('a second command continues if the claim that it waits for is deleted', async () => {
  const second = overtake();
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

test('a run that a rate limit delays for minutes notices an earlier claim', async () => {
  stage.simulator.service.script({ activeMs: 3_600_000 });
  stage.simulator.faults.refuse(claim, 403, { retryAfter: 150 });
  const command = stage.github.comment('maintainer', 7, '/docs --no-wait add a quickstart');
  const run = () => stage.on(stage.github.issueCommentEvent(command));
  let other: Promise<unknown> | undefined;
  stage.simulator.clock.onSleep(async (ms) => {
    if (ms < 100_000 || other !== undefined) return;
    other = run();
    await other;
  });
  const late = await run();
  expect(other).toBeDefined();
  // The late run finds the other run's job, and shows it because no run is watching it.
  expect(late.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
  expect(stage.jobs).toHaveLength(1);
  expect(stage.written()).toHaveLength(1);
});

test('in a long thread, the newest comments are read first, until the job is found', async () => {
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
