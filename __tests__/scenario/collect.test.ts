import { beforeEach, describe, expect, test } from '@jest/globals';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, statusComments, textOf } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { followUp, type Scenario, simpleCommand } from '../support/scenarios/agent.ts';
import { collect, type LeftOpen, leaveOpen, leaveSeveral } from '../support/scenarios/left-open.ts';

/* What a run of `mode: collect` writes, and what it leaves alone. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let core: InMemorySimulator;
beforeEach(() => {
  core = createInMemorySimulator();
});

const complete = 'collected (complete)';

/** A scenario whose run did not wait. */
async function askedAndLeft(scenario: Scenario, script: Partial<JobScript> = {}): Promise<MemoryStage> {
  const stage = await stageInMemory(scenario);
  stage.core.service.script(script);
  expect(endOf(await stage.play({ inputs: { wait: 'false' } }))).toBe('detached (not-waited)');
  return stage;
}

/** The status comment of a stage's command. */
function ownOf({ core, staged }: MemoryStage): string {
  const [own, ...more] = statusComments(core, staged);
  if (own === undefined || more.length > 0) throw new Error('There is not one status comment');
  return textOf(own);
}

const headline = ({ status }: LeftOpen) => headlineOf(status);
const reactionsOf = ({ command }: LeftOpen) => command.reactions.map(({ content }) => content);
const servedSince = ({ requests }: InMemorySimulator, before: number) =>
  requests.slice(before).filter(({ to }) => to === 'service').length;

describe('what it tells', () => {
  test('of a job that was asked for and left: what a run that waits tells', async () => {
    const stage = await askedAndLeft(simpleCommand);
    const unseen = /\n\nThe token can’t see the pull request, .*/;
    const folded = (text: string) => text.slice(text.indexOf('<details>')).replace(unseen, '');
    const before = ownOf(stage);
    stage.core.clock.advance(hourMs);
    const played = await collect(stage.core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    const text = ownOf(stage);
    expect(folded(text)).toBe(folded(before));

    const waiting = await stageInMemory(simpleCommand);
    await waiting.play();
    const inTheOpen = (told: string) => told.slice(0, told.indexOf('<details>'));
    // No run saw when it ended.
    expect(inTheOpen(text)).toBe(inTheOpen(ownOf(waiting)).replace(/ \(\d+ s\)\./, '.'));
    const source = stage.core.github.findComment(stage.staged.sourceCommentId ?? 0);
    expect(source.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
    expect(played.summary).toContain('| [#7](<https://github.com/octo-org/docs/pull/7#issuecomment-');
    expect(played.summary).toContain('| `job_0001` | 2026-01-05 09:00 UTC | ✅ [Pull request #101](<');
  });

  test.each([
    [
      'failed',
      { end: 'failed' },
      '❌ **The job failed.** The service didn’t give a reason; its dashboard might.',
      'confused',
    ],
    ['archived', { end: 'archived', prLink: null }, '⚠️ **The job was archived.**', 'confused'],
    [
      'no link',
      { prLink: null },
      '☑️ **The agent finished without a pull request:** no changes were needed, or your project commits directly.',
      '+1',
    ],
  ])('of a job that ended otherwise: %s', async (_, script, says, reaction) => {
    const left = await leaveOpen(core, { thread: 1, script });
    core.clock.advance(hourMs);
    expect(endOf(await collect(core))).toBe(complete);
    expect(headline(left)).toBe(says);
    expect(reactionsOf(left)).toEqual(['eyes', reaction]);
  });

  test('in a comment that somebody has put a line above', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.github.edit(left.status.id, `Look here:\n${left.status.body}`);
    core.clock.advance(hourMs);
    expect((await collect(core)).outputs.finished).toBe('1');
    expect(headline(left)).toContain('is ready');
  });

  test('of a link that comes late', async () => {
    const left = await leaveOpen(core, { thread: 1, script: { activeMs: hourMs, prLinkDelayMs: 8_000 } });
    core.clock.advance(hourMs);
    await collect(core);
    expect(headline(left)).toContain('is ready');
    expect(core.clock.monotonic() - hourMs).toBeLessThan(20_000);
  });

  test('of a job that the service no longer knows', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.service.forget(left.job.id);
    // The service may not know about it yet.
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    core.clock.advance(hourMs);
    expect((await collect(core)).outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    expect(headline(left)).toBe('⚠️ **The job can no longer be followed.** We don’t know how it ended.');
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
  });

  test('of a job that one look does not find: the next may', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    core.faults.add({ at: routes.getJob, kind: 'status', status: 404 });
    expect((await collect(core)).outputs).toMatchObject({ finished: '1' });
    expect(headline(left)).toContain('is ready');
  });

  test('of a job that goes on and on: that its end is no longer looked for', async () => {
    const left = await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    core.clock.advance(2 * dayMs);
    const before = left.status.body;
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    expect(left.status.body).toBe(before);
    expect((await collect(core, { inputs: { 'collect-since': '2 days' } })).outputs).toMatchObject({
      finished: '1',
      'still-active': '0',
    });
    expect(headline(left)).toMatch(/^⚠️ \*\*The job was still running when we last checked/);
    expect(reactionsOf(left)).toEqual(['eyes', 'confused']);
    const sent = core.requests.length;
    await collect(core);
    expect(servedSince(core, sent)).toBe(0);
  });

  test('of a run that timed out: 🚀 takes the place of 😕', async () => {
    const stage = await stageInMemory(simpleCommand);
    stage.core.service.script({ activeMs: hourMs });
    expect(endOf(await stage.play())).toBe('timed-out (deadline)');
    stage.core.clock.advance(hourMs);
    await collect(stage.core);
    const { reactions } = stage.core.github.findComment(stage.staged.sourceCommentId ?? 0);
    expect(reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  });

  test('of a job that a re-run has asked for and left, after one that failed: 🚀 takes the place of 😕', async () => {
    const stage = await askedAndLeft(simpleCommand, { end: 'failed', prLink: null });
    stage.core.clock.advance(hourMs);
    await collect(stage.core);
    stage.core.service.script({ end: 'completed', prLink: 'https://github.com/octo-org/docs/pull/102' });
    const again = await stage.play({ attempt: 2, inputs: { wait: 'false' } });
    expect(endOf(again)).toBe('detached (not-waited)');
    stage.core.clock.advance(hourMs);
    await collect(stage.core);
    const { reactions } = stage.core.github.findComment(stage.staged.sourceCommentId ?? 0);
    expect(reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  });

  test('of a claim whose runner was lost: that nobody can know, and only after an hour', async () => {
    const stage = await stageInMemory(simpleCommand);
    await stage.play({ killAt: { at: routes.createJob, phase: 'handled' } });
    for (const thread of [1, 2]) await leaveOpen(stage.core, { thread, script: { end: 'never' } });
    stage.core.clock.advance(hourMs - minuteMs);
    const early = await collect(stage.core, { inputs: { 'max-requests': '1' } });
    expect(early.outputs).toMatchObject({ reason: 'incomplete', finished: '0', 'still-active': '2' });
    expect(early.summary).toMatch(/^\| \[#7\].* \| {2}\| .* UTC \| ⏳ Asking the writing agent … \|$/m);
    expect(statusComments(stage.core, stage.staged).map(({ history }) => history.length)).toEqual([1]);
    stage.core.clock.advance(minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
    const text = ownOf(stage);
    expect(text).toMatch(
      /^⚠️ \*\*We can’t tell whether the service accepted the request\.\*\* A job may exist\./,
    );
    // A later attempt does the same with it as with its own.
    expect(endOf(await stage.play({ attempt: 2 }))).toBe('failed (unconfirmed)');
  });

  test('of a message that was not seen to be taken up: that, and not before two minutes', async () => {
    const stage = await askedAndLeft(followUp, { staleMs: Number.POSITIVE_INFINITY });
    stage.core.clock.advance(minuteMs);
    // The first command has ended; now its comment says that its pull request can't be seen.
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1', 'still-active': '1' });
    stage.core.clock.advance(minuteMs);
    const played = await collect(stage.core);
    expect(JSON.parse(played.outputs.result ?? '')).toMatchObject({
      jobs: [{ outcome: 'pr-created', reason: 'follow-up-unseen' }],
    });
    const text = ownOf(stage);
    expect(text).toMatch(
      /^⚠️ \*\*We couldn’t confirm that the agent picked up the follow-up\.\*\* The job shows \[Pull request #101\]/,
    );
  });
});

describe('what it leaves alone', () => {
  test('a job whose run may still tell its end', async () => {
    const stage = await stageInMemory(simpleCommand);
    await stage.play({ killAt: { at: routes.getJob, phase: 'arrived' } });
    // It watches for half an hour, plus ten minutes.
    stage.core.clock.advance(39 * minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    stage.core.clock.advance(2 * minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
  });

  test('a comment that says something else than what was read', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () => core.github.edit(left.status.id, 'Mine now'));
    const played = await collect(core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    expect(left.status.body).toBe('Mine now');
    expect(reactionsOf(left)).toEqual(['eyes']);
  });

  test('a comment that was deleted meanwhile', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () => core.github.delete(left.status.id));
    expect(endOf(await collect(core))).toBe(complete);
    expect(left.status.history).toHaveLength(2);
  });

  test('copies of a status comment, and what was signed with a different key', async () => {
    const { github, service } = core;
    const { status } = await leaveOpen(core, { thread: 1 });
    const [claim = '', open = ''] = status.history.map(({ body }) => body);
    github.addThread({ number: 2 });
    const copies = [
      github.comment('stranger', 1, open),
      github.comment(BOT_LOGIN, 1, `${open}\nA copy`),
      github.comment(BOT_LOGIN, 2, open),
      github.comment('stranger', 2, claim),
    ];
    service.addKey('mint_fake_other');
    const other = await leaveOpen(core, { thread: 3, inputs: { 'api-key': 'mint_fake_other' } });
    core.clock.advance(hourMs);
    const played = await collect(core);
    expect(played.outputs).toMatchObject({ reason: 'complete', finished: '1', 'still-active': '0' });
    expect(headlineOf(status)).toContain('is ready');
    const note =
      'Status comments for this project that were signed with a different API key and left unchanged: 1.';
    expect(played.printed).toContain(note);
    expect(played.summary).toContain(`> ${note}\n`);
    expect([...copies, other.status].map(({ history }) => history.length)).toEqual([1, 1, 1, 1, 2]);
  });

  test('everything, where the service does not take the key at the second job', async () => {
    const left = await leaveSeveral(core, 2);
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () => core.faults.refuse(routes.getJob, 403));
    const played = await collect(core);
    expect(endOf(played)).toBe('failed (forbidden)');
    expect(played.exitCode).toBe(1);
    expect(left.map(({ status }) => status.history.length)).toEqual([2, 2]);
  });

  test('nothing in a thread that is locked but the reaction', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.github.thread(1).locked = true;
    left.command.reactions.length = 0;
    core.clock.advance(hourMs);
    const played = await collect(core);
    expect([endOf(played), played.exitCode]).toEqual([complete, 0]);
    expect(headline(left)).toContain('is ready');
    expect(reactionsOf(left)).toEqual([]);
  });
});

test('a claim that a lost run should have taken back is taken back, an hour after it', async () => {
  const stage = await stageInMemory(simpleCommand);
  stage.core.service.scriptNext({ end: 'failed' });
  await stage.play();
  await stage.play({ attempt: 2, killAt: { at: routes.deleteComment, phase: 'arrived' } });
  const own = () => statusComments(stage.core, stage.staged);
  await collect(stage.core);
  expect(own()).toHaveLength(2);
  stage.core.clock.advance(hourMs);
  await collect(stage.core);
  expect(own().map(headlineOf)).toEqual([expect.stringContaining('We can’t tell whether')]);
});
