import { describe, expect, test } from '@jest/globals';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import type { MemoryRun } from '../support/in-process/play.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, statusComments, writtenIn } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { askedSince, simpleCommand } from '../support/scenarios/agent.ts';
import { collect } from '../support/scenarios/left-open.ts';

/*
 * Machines that sleep in the middle of a run, or whose clocks are wrong: whatever others do in the
 * meantime, a request is sent once, and nothing that the thread says is false.
 */

const minuteMs = 60_000;
const delivered = 'pr-created (pull-request)';
const again = '/docs add a quickstart, please';

const headlines = ({ core, staged }: MemoryStage) =>
  writtenIn(core, staged.thread).map((comment) => headlineOf(comment).replace(/\(<.*?>\)/g, ''));

/** Pauses a run for 90 minutes at a request. Collecting runs, and the person asks again. */
async function playPaused(moment: RequestMoment | 'connecting', isClockPaused: boolean) {
  const stage = await stageInMemory(simpleCommand);
  const { core, play, say } = stage;
  let behindMs = 0;
  let isAsleep = false;
  const sleep = async () => {
    isAsleep = true;
    core.clock.advance(90 * minuteMs);
    if (isClockPaused) behindMs = 90 * minuteMs;
    await collect(core);
    await say(again, { runId: 3 });
  };
  let run: Partial<MemoryRun> = { aheadMs: () => -behindMs };
  if (moment === 'connecting')
    run = {
      ...run,
      onLeave: async ({ method, path }) => {
        if (!isAsleep && method === 'POST' && path.endsWith('/job')) await sleep();
      },
    };
  else core.once(moment, sleep);
  const played = await play(run);
  expect(isAsleep).toBe(true);
  expect(core.violations).toEqual([]);
  return { stage, played };
}

const gaps: readonly [string, RequestMoment | 'connecting'][] = [
  ['before its claim is stored', { at: routes.writeComment, phase: 'arrived' }],
  ['after its claim', { at: routes.readThread, nth: 3, phase: 'handled' }],
  ['while its edit is on its way', { at: routes.editComment, phase: 'arrived' }],
  ['before it hears of its edit', { at: routes.editComment, phase: 'handled' }],
  ['between its edit and its request', 'connecting'],
];

describe.each([
  ['jumps', false],
  ['stands still', true],
])('if the machine’s clock %s', (_, isClockPaused) => {
  // Nothing tells a machine whose clock stands still that an answer is old.
  const noticed = gaps.filter(([what]) => !isClockPaused || !/hears|between/.test(what));
  test.each(noticed)(
    'a run that is paused %s sends nothing once others have acted',
    async (what, moment) => {
      const { stage, played } = await playPaused(moment, isClockPaused);
      const isClaimed = !what.startsWith('before its claim');
      if (!isClaimed) {
        // No one has seen this request, so it is as new as the other one.
        expect(endOf(played)).toBe(delivered);
        return;
      }
      expect([endOf(played), played.exitCode]).toEqual(['failed (interrupted)', 1]);
      expect(askedSince(stage.core, stage.staged)).toEqual({ jobs: 1, prompts: 1 });
      expect(headlines(stage)).toEqual([
        '⚠️ **The run was lost before anything was sent.**',
        '✅ **[Pull request #101]** is ready to review.',
      ]);
      const rerun = await stage.play({ attempt: 2 });
      expect(endOf(rerun)).toBe(delivered);
    },
  );
});

test('a run that is paused for two minutes reads its thread again, and sends its request', async () => {
  const stage = await stageInMemory(simpleCommand);
  const { core, play } = stage;
  core.once({ at: routes.editComment, phase: 'arrived' }, () => core.clock.advance(2 * minuteMs));
  expect(endOf(await play())).toBe(delivered);
  expect(core.requests.filter(isFor(routes.readThread))).toHaveLength(4);
  expect(statusComments(core, stage.staged)).toHaveLength(1);
});

test('a run that waits because the service asks it to reads its thread again, too', async () => {
  const { core, play, staged } = await stageInMemory(simpleCommand);
  core.faults.refuse(routes.createJob, 429, { retryAfter: 60 });
  core.once({ at: routes.createJob, phase: 'arrived' }, () => {
    for (const { id } of statusComments(core, staged)) core.github.delete(id);
  });
  expect(endOf(await play())).toBe('skipped (deleted)');
  expect(core.service.jobs).toEqual([]);
  expect(statusComments(core, staged)).toEqual([]);
});

test('an attempt whose runner was lost for a while leaves the request to the next attempt', async () => {
  const stage = await stageInMemory(simpleCommand);
  const { core, play } = stage;
  // GitHub has given the first attempt up, and someone re-ran it, before it wakes up.
  core.once({ at: routes.editComment, phase: 'arrived' }, async () => {
    core.clock.advance(15 * minuteMs);
    expect(endOf(await play({ attempt: 2 }))).toBe(delivered);
  });
  expect(endOf(await play())).toBe('skipped (deleted)');
  expect(askedSince(core, stage.staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(headlines(stage)).toEqual(['✅ **[Pull request #101]** is ready to review.']);
});

test('the same if the next attempt couldn’t delete the first one’s claim', async () => {
  const stage = await stageInMemory(simpleCommand);
  const { core, play } = stage;
  core.once({ at: routes.editComment, phase: 'arrived' }, async () => {
    core.clock.advance(15 * minuteMs);
    core.faults.refuse(routes.deleteComment, 403, { times: 2 });
    expect(endOf(await play({ attempt: 2 }))).toBe(delivered);
    core.faults.clear();
  });
  expect(endOf(await play())).toBe('skipped (another-run)');
  expect(askedSince(core, stage.staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(headlines(stage)).toEqual(['✅ **[Pull request #101]** is ready to review.']);
});

describe('with clocks that are ten minutes off', () => {
  const tenMs = 10 * minuteMs;
  test.each([
    ['the first one ahead', tenMs, 0],
    ['the first one behind', -tenMs, 0],
    ['the second one ahead', 0, tenMs],
    ['the second one behind', 0, -tenMs],
    ['one ahead, one behind', tenMs, -tenMs],
  ])('two workflows for one comment create one job, and none is red: %s', async (_, one, other) => {
    const { core, play, staged } = await stageInMemory(simpleCommand);
    const runs = [one, other].map((aheadMs, index) =>
      play({ runId: index + 1, aheadMs: () => aheadMs }),
    );
    const ended = await Promise.all(runs);
    expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
    expect(ended.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(statusComments(core, staged)).toHaveLength(1);
  });

  test.each([tenMs, -tenMs])(
    'a watched job is left alone, and how long it took is right (%i ms)',
    async (aheadMs) => {
      const { core, play, staged } = await stageInMemory(simpleCommand);
      core.service.script({ activeMs: 29 * minuteMs });
      let other = '';
      core.once({ at: routes.getJob, nth: 60, phase: 'handled' }, async () => {
        other = endOf(await play({ runId: 2, aheadMs: () => -aheadMs }));
        await collect(core, { aheadMs: () => -aheadMs });
      });
      const played = await play({ aheadMs: () => aheadMs });
      expect([endOf(played), other]).toEqual([delivered, 'skipped (another-run)']);
      const [comment] = statusComments(core, staged);
      expect(comment?.history).toHaveLength(4);
      expect(comment?.body).toMatch(/^Took 29 min/m);
      expect(JSON.parse(played.outputs.result ?? '').durationMs).toBeLessThan(31 * minuteMs);
    },
  );

  test.each([tenMs, -tenMs])('a follow-up isn’t believed too early (%i ms)', async (aheadMs) => {
    const { core, say, play, staged } = await stageInMemory(simpleCommand);
    await play();
    core.service.script({ staleMs: 3 * minuteMs });
    const inputs = { wait: 'false' };
    await say('/docs shorter', { inputs, aheadMs: () => aheadMs });
    core.clock.advance(minuteMs);
    await collect(core, { aheadMs: () => -aheadMs });
    const newest = writtenIn(core, staged.thread).at(-1);
    expect(headlineOf(newest)).toMatch(/^⏳/);
  });
});
