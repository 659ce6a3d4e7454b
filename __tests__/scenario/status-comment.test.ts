import { beforeEach, describe, expect, test } from '@jest/globals';

import { BOT_LOGIN } from '../../simulator/github/store.ts';
import type { FaultKind } from '../../simulator/http/faults.ts';
import type { MemoryRun } from '../support/in-process/play.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, statusComments, untruths, writtenIn } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { askedSince, followUp, simpleCommand } from '../support/scenarios/agent.ts';

/* Which comments a run recognizes as its own, when it writes to them, and which comments it leaves alone. */

let stage: MemoryStage;
beforeEach(async () => {
  stage = await stageInMemory(simpleCommand);
});

const delivered = 'pr-created (pull-request)';

const written = () => writtenIn(stage.core, stage.staged.thread);
/** The first line of each status comment for the request. */
const headlines = () => statusComments(stage.core, stage.staged).map(headlineOf);
const sent = (route: (typeof routes)[keyof typeof routes]) =>
  stage.core.requests.filter(isFor(route)).length;

describe('a run ignores a copy of its claim', () => {
  test('in an older comment by the same login', async () => {
    const { github } = stage.core;
    const older = github.comment(BOT_LOGIN, stage.staged.thread, 'What another workflow says');
    // The copy differs from the claim in two ways: its comment is older than the command, and was edited.
    stage.core.once({ at: routes.writeComment, phase: 'handled' }, () => {
      stage.core.clock.advance(1_000);
      github.edit(older.id, written().at(-1)?.body ?? '');
    });
    expect(endOf(await stage.say('/docs add a quickstart'))).toBe(delivered);
    expect(older.history).toHaveLength(2);
    expect(written().map(({ id }) => id)).toHaveLength(2);
  });

  test('in someone else’s comment that appears late, after the claim was deleted', async () => {
    const { github } = stage.core;
    await stage.play();
    const [own] = statusComments(stage.core, stage.staged);
    github.delete(own?.id ?? 0);
    github.listLagMs = ({ login }) => (login === 'stranger' ? 500 : 0);
    github.comment('stranger', stage.staged.thread, own?.history[0]?.body ?? '');
    expect(endOf(await stage.play({ attempt: 2 }))).toBe(delivered);
    expect(askedSince(stage.core, stage.staged)).toEqual({ jobs: 2, prompts: 2 });
  });
});

test('a reply by email is sent without the message that it quotes, and the fold says so', async () => {
  const mail =
    'On Mon, Jan 5, 2026 at 9:00 AM octocat <notifications@github.com> wrote:\n\n> Hi!\n';
  expect(endOf(await stage.say(`/docs --new add it\n\n${mail}`))).toBe(delivered);
  expect(stage.core.service.jobs.at(-1)?.prompts[0]).toMatch(/^add it\n/);
  const [text = '', fold] = written().at(-1)?.body.split('<details>') ?? [];
  expect(text).not.toContain('email');
  expect(fold).toContain('The message that the email quoted wasn’t sent.');
});

test.each(['arrived', 'handled'] as const)(
  'a claim that is deleted right before the request would be sent (%s) is the end of the run',
  async (phase) => {
    const deleteAll = () => {
      for (const { id } of written()) stage.core.github.delete(id);
    };
    stage.core.once({ at: routes.readThread, nth: 3, phase }, deleteAll);
    const main = await stage.play();
    expect([endOf(main), main.exitCode]).toEqual(['skipped (deleted)', 0]);
    expect(main.summary).toContain('The status comment was deleted before anything was sent.');
    expect(main.outputs['comment-url']).toBe('');
    expect(await stage.post(main)).toMatchObject({ printed: '' });
    expect(written()).toEqual([]);
    expect(stage.core.service.jobs).toEqual([]);
  },
);

test('a status comment that is deleted while the job runs stays deleted, and post writes no other', async () => {
  stage.core.once({ at: routes.editComment, nth: 2, phase: 'arrived' }, () => {
    for (const { id } of written()) stage.core.github.delete(id);
  });
  const main = await stage.play();
  expect(endOf(main)).toBe(delivered);
  expect(main.outputs['comment-url']).toBe('');
  expect(main.summary).toMatch(
    /A new `\/docs …` starts a new job\.\n[\s\S]*The status comment was deleted, so/,
  );
  expect(await stage.post(main)).toMatchObject({ printed: '' });
  expect(written()).toEqual([]);
  expect(sent(routes.writeComment)).toBe(1);
  expect(sent(routes.editComment)).toBe(2);
});

test('a single 404 does not count: the comment is still edited', async () => {
  stage.core.faults.add({ at: routes.editComment, kind: 'status', status: 404 });
  expect(endOf(await stage.play())).toBe(delivered);
  expect(headlines()).toEqual([expect.stringContaining('is ready')]);
  expect(sent(routes.writeComment)).toBe(1);
});

test('a claim that someone else has already deleted causes no message', async () => {
  stage.core.service.scriptNext({ end: 'failed' });
  await stage.play();
  stage.core.once({ at: routes.deleteComment, phase: 'arrived' }, () => {
    stage.core.github.delete(written()[0]?.id ?? 0);
  });
  const again = await stage.play({ attempt: 2 });
  expect(endOf(again)).toBe(delivered);
  expect(again.printed).not.toMatch(/[Dd]eleting|\bback\b/);
  expect(written()).toHaveLength(1);
});

test('a claim that GitHub does not delete at first is deleted at the end', async () => {
  stage.core.service.scriptNext({ end: 'failed' });
  await stage.play();
  stage.core.faults.refuse(routes.deleteComment, 429, { retryAfter: 3_600 });
  expect(endOf(await stage.play({ attempt: 2 }))).toBe(delivered);
  expect(headlines()).toEqual([expect.stringContaining('is ready')]);
});

test('if a run is killed before it deletes the older claim, post deletes it', async () => {
  stage.core.service.scriptNext({ end: 'failed' });
  await stage.play();
  const again = await stage.play({
    attempt: 2,
    killAt: { at: routes.deleteComment, phase: 'arrived' },
  });
  expect(written()).toHaveLength(2);
  await stage.post(again);
  expect(headlines()).toEqual([expect.stringContaining('Stopped before anything was sent')]);
});

test('a run that is killed while it sends the request says so', async () => {
  await stage.post(await stage.play({ killAt: { at: routes.createJob, phase: 'handled' } }));
  expect(written()).toHaveLength(1);
  expect(written()[0]?.body).toMatch(
    /can’t tell whether the service accepted [\s\S]*\n\nThe run was killed\.\n\n/,
  );
});

test.each(['arrived', 'handled'] as const)(
  'a run that is canceled during its permission check (%s) writes nothing',
  async (phase) => {
    const main = await stage.play({ cancelAt: { at: routes.lookUpPermission, phase } });
    expect(endOf(main)).toBe('failed (cancelled)');
    await stage.post(main);
    expect(written()).toEqual([]);
    expect(sent(routes.react)).toBe(0);
  },
);

test('while a run can’t see whether its claim was stored, it writes no other comment', async () => {
  const { core, staged } = stage;
  core.faults.add({ at: routes.writeComment, kind: 'reset', when: 'after-handled' });
  core.faults.add({ at: routes.readThread, nth: 2, times: 99, kind: 'status', status: 500 });
  const main = await stage.play();
  expect(endOf(main)).toBe('failed (github-error)');
  expect(sent(routes.writeComment)).toBe(1);
  core.faults.clear();
  await stage.post(main);
  expect(untruths(core, staged, main, { comments: 'one', reaction: true })).toEqual([]);
  expect(headlines()).toEqual(['❌ **GitHub is having problems.** Nothing was sent.']);
  expect(endOf(await stage.play({ attempt: 2 }))).toBe(delivered);
});

test.each<[string, number, object]>([
  ['keeps failing', 502, {}],
  ['no longer accepts the token', 401, {}],
  ['refuses', 403, {}],
])(
  'if GitHub %s right after a claim, the claim says that nothing was sent, and a re-run sends it',
  async (_, status, more) => {
    const { core, staged, play, post } = stage;
    core.faults.refuse(routes.readThread, status, { ...more, nth: 2, times: 99 });
    const main = await play();
    expect(endOf(main)).toBe('failed (github-error)');
    expect(headlines()).toEqual([expect.stringMatching(/^❌ .* Nothing was sent\.$/)]);
    expect(await post(main)).toMatchObject({ printed: '' });
    core.faults.clear();
    const again = await play({ attempt: 2 });
    expect(endOf(again)).toBe(delivered);
    expect(untruths(core, staged, again, { comments: 'one', reaction: true })).toEqual([]);
    expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  },
);

test('if GitHub doesn’t store the end of such a claim either, post tries again', async () => {
  const { core, play, post } = stage;
  core.faults.refuse(routes.readThread, 502, { nth: 2, times: 99 });
  core.faults.refuse(routes.editComment, 502, { times: 4 });
  const main = await play();
  expect(headlines()).toEqual([expect.stringContaining('Asking')]);
  await post(main);
  expect(headlines()).toEqual([expect.stringContaining('Nothing was sent.')]);
});

test.each<[string, number, object]>([
  ['keeps failing', 502, {}],
  ['stores it, but keeps failing', 502, { when: 'after-handled' }],
])(
  'if GitHub %s right before the request would be sent, the run is red, nothing is sent, and post says so',
  async (_, status, more) => {
    const { core, staged, play, post } = stage;
    const says = 'Simulated refusal';
    core.faults.add({ at: routes.editComment, kind: 'status', status, says, times: 99, ...more });
    const main = await play();
    expect([endOf(main), main.exitCode]).toEqual(['failed (github-error)', 1]);
    expect(core.service.jobs).toEqual([]);
    core.faults.clear();
    await post(main);
    expect(headlines()).toEqual([expect.stringMatching(/^❌ .* Nothing was sent\.$/)]);
    expect(endOf(await play({ attempt: 2 }))).toBe(delivered);
    expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
  },
);

test('if GitHub refuses right before the request would be sent, nothing is sent, and a re-run sends it', async () => {
  const { core, staged, play } = stage;
  core.faults.refuse(routes.editComment, 403, { times: 99 });
  const main = await play();
  expect([endOf(main), main.exitCode]).toEqual(['failed (github-error)', 1]);
  expect(core.service.jobs).toEqual([]);
  core.faults.clear();
  expect(endOf(await play({ attempt: 2 }))).toBe(delivered);
  expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
});

test('post shows the result if GitHub is down at the end of main', async () => {
  stage.core.faults.refuse(routes.editComment, 503, { nth: 2, times: 8 });
  const main = await stage.play();
  expect(endOf(main)).toBe(delivered);
  expect(headlines()).toEqual([expect.stringContaining('Asking')]);
  await stage.post(main);
  expect(headlines()).toEqual([expect.stringContaining('is ready')]);
  expect(sent(routes.writeComment)).toBe(1);
});

test.each([
  ['has ended', false, 'is ready'],
  ['is still watching', true, 'is working on it'],
])(
  'if the run that won %s, the post of the run that lost leaves its comment alone',
  async (_, isWatching, says) => {
    const { core, staged, play, post } = stage;
    // Both runs read the thread before either writes a claim. The winner has its job before the loser writes its claim.
    core.once({ at: routes.writeComment, phase: 'arrived' }, async () => {
      await play(isWatching ? { killAt: { at: routes.getJob, phase: 'arrived' } } : {});
    });
    await post(
      await play({ runId: 2, killAt: { at: routes.writeComment, nth: 2, phase: 'handled' } }),
    );
    expect(askedSince(core, staged)).toEqual({ jobs: 1, prompts: 1 });
    expect(headlines()).toEqual([expect.stringContaining(says)]);
  },
);

test.each<[string, Partial<MemoryRun>, string]>([
  [
    'post, and by the re-run',
    { killAt: { at: routes.editComment, nth: 2, phase: 'handled' } },
    'cancelled',
  ],
  ['the re-run of a run that did not wait', { inputs: { wait: 'false' } }, 'not-waited'],
])('a status from before a follow-up is ignored by %s', async (_, run, reason) => {
  const { core, staged, play, post } = await stageInMemory(followUp);
  core.service.script({ staleMs: 20_000, activeMs: 40_000 });
  const main = await play(run);
  const { outputs } = main.exitCode === null ? await post(main) : main;
  expect(outputs).toMatchObject({ outcome: 'detached', reason });
  expect(statusComments(core, staged).map(headlineOf)).toEqual([expect.stringMatching(/^⏳/)]);
  const again = await play({ attempt: 2 });
  expect(endOf(again)).toBe(delivered);
  expect(untruths(core, staged, again, { comments: 'one', reaction: true })).toEqual([]);
});

test('a run that is killed while it updates the thread has already set its outputs', async () => {
  const { core, staged, play, post } = stage;
  const main = await play({ killAt: { at: routes.editComment, nth: 3, phase: 'arrived' } });
  expect(main.outputs).toMatchObject({
    outcome: 'pr-created',
    'job-id': 'job_0001',
    'pr-number': '101',
  });
  await post(main);
  expect(
    untruths(core, staged, { ...main, summary: '' }, { comments: 'one', reaction: true }),
  ).toEqual([]);
});

test.each<[string, FaultKind]>([
  ['GitHub is down', { kind: 'status', status: 502 }],
  ['a proxy blocks it', { kind: 'html', status: 403 }],
])(
  'if %s and the thread can’t be read, the command gets 😕, and nothing is sent',
  async (_, fault) => {
    const { core, staged, play } = stage;
    core.faults.add({ ...fault, at: routes.readThread, times: 99 });
    expect(endOf(await play())).toBe('failed (github-error)');
    const command = core.github.findComment(staged.sourceCommentId ?? 0);
    expect(command.reactions.map(({ content }) => content)).toEqual(['eyes', 'confused']);
    expect(core.service.jobs).toEqual([]);
  },
);

test('after the key was replaced, a new job says why it doesn’t continue the thread’s job', async () => {
  await stage.play();
  stage.core.service.addKey('mint_fake_rotated_0000');
  await stage.say('/docs more', { inputs: { 'api-key': 'mint_fake_rotated_0000' } });
  const why =
    'Earlier requests in this thread were made with another API key, so this is a new job.';
  expect(written().map(({ body }) => body.split('<details>')[0]?.includes(why))).toEqual([
    false,
    true,
  ]);
  expect(stage.core.service.jobs).toHaveLength(2);
});
