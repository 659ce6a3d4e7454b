import { beforeEach, describe, expect, test } from '@jest/globals';

import type { MemoryRun } from '../support/in-process/play.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, jobNamed, statusComments, untruths } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { requestIn } from '../support/prompts.ts';
import { isFor, routes } from '../support/routes.ts';
import { askedSince, simpleCommand } from '../support/scenarios/agent.ts';

/* A command creates only one job, even if runs overlap, GitHub's lists lag behind, or a re-run sees only the thread. */

let core: MemoryStage['core'];
let staged: MemoryStage['staged'];
let play: MemoryStage['play'];
let say: MemoryStage['say'];
beforeEach(async () => {
  ({ core, staged, play, say } = await stageInMemory(simpleCommand));
});

/** Delays the action's first new comments in GitHub's lists. */
function lag(lagMs: number, comments = Number.POSITIVE_INFINITY): void {
  const claims = new Set<number>();
  core.github.listLagMs = ({ id, login }) =>
    login === 'maintainer' || claims.add(id).size > comments ? 0 : lagMs;
}

const delivered = 'pr-created (pull-request)';

const fifty = Array.from({ length: 50 }, (_, runId) => ({ runId }));
const again = fifty.map(({ runId }) => ({ runId, attempt: 2 }));

test.each<[string, Partial<MemoryRun>[]]>([
  ['fifty runs', fifty],
  ['fifty re-runs', again],
  ['three matrix legs of a run', [{}, {}, {}]],
])('%s for one comment at the same time create one job and one status comment', async (_, runs) => {
  const ended = await Promise.all(runs.map(play));
  expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(statusComments(core, staged)).toHaveLength(1);
  const losers = runs.slice(1).map(() => 'skipped (another-run)');
  expect(ended.map(endOf).sort()).toEqual([delivered, ...losers]);
  // Each run that lost deletes its own claim, if it wrote one, and nothing else is deleted.
  const claims = core.requests.filter(isFor(routes.writeComment)).length;
  expect(core.requests.filter(isFor(routes.deleteComment))).toHaveLength(claims - 1);
});

test('eight commands at the same time in one thread all go to one job, and each gets its result', async () => {
  const prompts = Array.from({ length: 8 }, (_, index) => `prompt ${index}.`);
  const runs = prompts.map((prompt, runId) => say(`/docs ${prompt}`, { runId }));
  expect((await Promise.all(runs)).map(endOf)).toEqual(prompts.map(() => delivered));
  expect(core.service.jobs.map((job) => job.prompts.map(requestIn).toSorted())).toEqual([prompts]);
  for (const prompt of prompts)
    expect(statusComments(core, { thread: staged.thread, prompt }).map(headlineOf)).toEqual([
      expect.stringMatching(/is ready|is done/),
    ]);
});

test.each([
  ['a run waits until its claim appears', 2_500, delivered, 1],
  [
    'a run creates nothing if its claim never appears',
    Number.POSITIVE_INFINITY,
    'failed (github-error)',
    0,
  ],
])('%s in the list', async (_, lagMs, end, jobs) => {
  lag(lagMs);
  const main = await play();
  expect(endOf(main)).toBe(end);
  expect(core.service.jobs).toHaveLength(jobs);
  expect(untruths(core, staged, main, { comments: 'one', reaction: true })).toEqual([]);
});

test('two workflows re-run at the same time after a failed job: one new job and one comment', async () => {
  core.service.scriptNext({ end: 'failed' });
  await play();
  await play({ runId: 2 });
  const ended = await Promise.all([play({ attempt: 2 }), play({ runId: 2, attempt: 2 })]);
  expect(askedSince(core, staged)).toEqual({ jobs: 2, prompts: 2 });
  expect(ended.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
  const own = statusComments(core, staged);
  expect(own.map(jobNamed)).toEqual(['job_0002']);
  expect(own.map(headlineOf)).toEqual([expect.stringContaining('is ready')]);
});

test('a re-run of a run that only watches a job reports its failure once more, and sends nothing', async () => {
  core.service.scriptNext({ end: 'failed' });
  await play();
  const watching = {
    event: core.github.pullRequestEvent(staged.thread),
    inputs: { 'job-id': 'job_0001' },
  };
  const ended = [
    await play({ ...watching, runId: 2 }),
    await play({ ...watching, runId: 2, attempt: 2 }),
  ];
  expect(ended.map(endOf)).toEqual(['failed (job-failed)', 'failed (job-failed)']);
  expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(core.github.commentsOf(staged.thread).map(headlineOf)).toEqual([
    '/docs add a quickstart',
    ...[1, 2].map(() => expect.stringContaining('**The job failed.**')),
  ]);
});

test('once the winner’s job has failed, a later attempt of the loser can ask, but not another run', async () => {
  core.service.scriptNext({ end: 'failed' });
  const first = await Promise.all([play(), play({ runId: 2 })]);
  const loser = first.findIndex((run) => endOf(run) === 'skipped (another-run)') + 1;
  expect(endOf(await play({ runId: 3 }))).toBe('failed (job-failed)');
  expect(core.service.jobs).toHaveLength(1);
  expect(endOf(await play({ runId: loser, attempt: 2 }))).toBe(delivered);
  expect(core.service.jobs).toHaveLength(2);
  expect(statusComments(core, staged)).toHaveLength(1);
});

test('a second step or a second workflow reports the first one’s job again and writes nothing', async () => {
  const runs = [await play(), await play(), await play({ runId: 2 })];
  expect(runs.map(endOf)).toEqual([delivered, delivered, delivered]);
  expect(core.service.jobs).toHaveLength(1);
  expect(statusComments(core, staged).map(({ history }) => history.length)).toEqual([4]);
});

test.each([
  ['the workflow’s own token', {}],
  ['a person’s token', { login: 'maintainer' }],
])(
  'with %s, a re-run with a rotated key can’t verify the earlier status comment',
  async (_, login) => {
    const [token, usual] = [...core.github.tokens].at(-1) ?? [];
    if (token !== undefined && usual !== undefined)
      core.github.tokens.set(token, { ...usual, ...login });
    await play();
    const apiKey = 'mint_fake_rotated_0000';
    core.service.addKey(apiKey);
    for (const attempt of [2, 3])
      expect(endOf(await play({ attempt, inputs: { 'api-key': apiKey } }))).toBe(
        'failed (key-changed)',
      );
    expect(core.github.commentsOf(staged.thread)).toHaveLength(2);
    expect(core.service.jobs).toHaveLength(1);
  },
);

test.each([
  ['half a second late', 500, { runId: 2 }],
  ['after the other leg of its run has a job', 2_500, {}],
])('a claim with a lower ID that appears %s still counts', async (_, lagMs, other) => {
  lag(lagMs, 1);
  const ended = await Promise.all([play(), play(other)]);
  expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(ended.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
  expect(statusComments(core, staged)).toHaveLength(1);
});

test('a claim that GitHub stored but answered with a 502 is recognized, even if the list lags behind', async () => {
  lag(1_500);
  core.faults.add({ at: routes.writeComment, kind: 'status', status: 502, when: 'after-handled' });
  expect(endOf(await play())).toBe(delivered);
  expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  expect(statusComments(core, staged).map(headlineOf)).toEqual([
    expect.stringContaining('is ready'),
  ]);
});

test('an outage of the service during a re-run leaves the job in the thread', async () => {
  await play();
  core.faults.refuse(({ to }) => to === 'service', 500, { times: Number.POSITIVE_INFINITY });
  const during = await play({ attempt: 2 });
  expect(during.outputs).toMatchObject({
    outcome: 'failed',
    reason: 'service-error',
    'job-id': 'job_0001',
  });
  expect(untruths(core, staged, during, { comments: 'one', reaction: false })).toEqual([]);
  core.faults.clear();
  expect(endOf(await play({ attempt: 3 }))).toBe(delivered);
  expect(core.service.jobs).toHaveLength(1);
});

describe('while someone touches the claims', () => {
  const touches = {
    hides: (id: number, body: string) => core.github.edit(id, body),
    'adds a line to': (id: number, body: string) => core.github.edit(id, `Why?\n\n${body}`),
  };
  const which = { 'the first claim': [0], 'the second claim': [1], 'both claims': [0, 1] };
  const cases = Object.entries(touches).flatMap(([what, touch]) =>
    Object.entries(which).map(([whose, indexes]) => ({ what, whose, touch, indexes })),
  );
  test.each(cases)(
    'two workflows create one job if someone $what $whose',
    async ({ touch, indexes }) => {
      core.once({ at: routes.writeComment, nth: 2, phase: 'handled' }, () => {
        core.clock.advance(1_000);
        const claims = statusComments(core, staged);
        for (const index of indexes) {
          const claim = claims[index];
          if (claim !== undefined) touch(claim.id, claim.body);
        }
      });
      const ended = await Promise.all([play(), play({ runId: 2 })]);
      expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
      expect(ended.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
      expect(statusComments(core, staged).map(headlineOf)).toEqual([
        expect.stringContaining('is ready'),
      ]);
    },
  );
});

test('a run that sees another one send the request after its own claim sends nothing', async () => {
  // The first run's claim is so old that the second one may claim the request.
  const hourMs = 3_600_000;
  core.once({ at: routes.readThread, nth: 3, phase: 'handled' }, async () => {
    core.clock.advance(hourMs);
    core.once({ at: routes.writeComment, phase: 'handled' }, () => {
      core.clock.advance(1_000);
    });
    await play({ runId: 2, killAt: { at: routes.editComment, phase: 'handled' } });
  });
  expect(endOf(await play())).toBe('skipped (deleted)');
  expect(core.service.jobs).toEqual([]);
  expect(endOf(await play({ runId: 2, attempt: 2 }))).toBe('failed (unconfirmed)');
});

describe('a run that is canceled while it looks for rivals', () => {
  const canceled = { at: routes.readThread, nth: 4, phase: 'handled' } as const;

  test('leaves the winner’s comment alone, and no other', async () => {
    const ended = await Promise.all([play(), play({ runId: 2, cancelAt: canceled })]);
    expect(ended.map(endOf)).toEqual([delivered, 'skipped (another-run)']);
    expect(statusComments(core, staged).map(headlineOf)).toEqual([
      expect.stringContaining('is ready'),
    ]);
  });

  test('says so if it would have won', async () => {
    expect(endOf(await play({ cancelAt: { ...canceled, nth: 2 } }))).toBe('failed (cancelled)');
    expect(statusComments(core, staged).map(headlineOf)).toEqual([
      expect.stringContaining('Stopped before anything was sent'),
    ]);
  });
});

describe('after a canceled run, 🚀 replaces 😕', () => {
  const moments = { 'before its claim': 1, 'after its claim': 2 };
  const next = { 're-run': { attempt: 2 }, 'second workflow': { runId: 2 } };
  const cases = Object.entries(moments).flatMap(([when, nth]) =>
    Object.entries(next).map(([who, run]) => ({ when, who, nth, run })),
  );
  test.each(cases)('that was canceled $when, if a $who ends well', async ({ nth, run }) => {
    await play({ cancelAt: { at: routes.readThread, nth, phase: 'handled' } });
    const reactions = () =>
      core.github.findComment(staged.sourceCommentId ?? 0).reactions.map(({ content }) => content);
    expect(reactions()).toEqual(['eyes', 'confused']);
    expect(endOf(await play(run))).toBe(delivered);
    expect(reactions()).toEqual(['eyes', 'rocket']);
  });
});
