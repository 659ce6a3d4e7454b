import { beforeEach, describe, expect, test } from '@jest/globals';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import type { Comment } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, onlyStatusComment, statusComments, textOf } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { followUp, type Scenario, simpleCommand } from '../support/scenarios/agent.ts';
import type { Collected, LeftOpen } from '../support/scenarios/left-open.ts';
import { collect, collectLater, leaveOpen, leaveSeveral } from '../support/scenarios/left-open.ts';

/* What a collect run writes, and what it leaves alone. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let core: InMemorySimulator;
beforeEach(() => {
  core = createInMemorySimulator();
});

const complete = 'collected (complete)';

/** Runs a scenario with `wait: false`. */
async function leftRunning(
  scenario: Scenario,
  script: Partial<JobScript> = {},
): Promise<MemoryStage> {
  const stage = await stageInMemory(scenario);
  stage.core.service.script(script);
  expect(endOf(await stage.play({ inputs: { wait: 'false' } }))).toBe('detached (not-waited)');
  return stage;
}

/** The visible text of the command's only status comment. */
const statusText = ({ core, staged }: MemoryStage) => textOf(onlyStatusComment(core, staged));
const headline = ({ status }: LeftOpen) => headlineOf(status);
const reactionsTo = ({ reactions }: Comment) => reactions.map(({ content }) => content);
const commandOf = ({ core, staged }: MemoryStage) =>
  core.github.findComment(staged.sourceCommentId ?? 0);

test('more comments than a run reads make it incomplete, and the summary names the input to lower', async () => {
  core.github.addThread({ number: 7 });
  for (let n = 0; n < 3_001; n += 1) core.github.comment('maintainer', 7, `${n}`);
  const { summary, ...played } = await collect(core);
  expect(endOf(played)).toBe('collected (incomplete)');
  expect(summary).toContain(
    'Only the 3,000 newest comments were read. Lower `collect-since` so that fewer have to be read.',
  );
});

test('requests among the newest of too many comments aren’t counted, because others may be missing', async () => {
  core.github.addThread({ number: 7 });
  for (let n = 0; n < 3_001; n += 1) core.github.comment('maintainer', 7, `${n}`);
  await leaveOpen(core, { thread: 1 });
  core.clock.advance(hourMs);
  const { summary, outputs } = await collect(core);
  expect(JSON.parse(outputs.result ?? '')).toMatchObject({ reason: 'incomplete', finished: 1 });
  expect(JSON.parse(outputs.result ?? '').ledger).toBe(undefined);
  expect(summary).toMatch(/^### Updated 1 comment\n/);
});

test.each([
  ['while it edits its second comment', { at: routes.editComment, nth: 2, phase: 'handled' }],
  ['before its first edit', { at: routes.readComment, phase: 'arrived' }],
  ['while it checks the first job', { at: routes.getJob, phase: 'handled' }],
  ['while it reads the comments', { at: routes.readAllComments, phase: 'handled' }],
] as const)('after a run that is canceled %s, the next one does the rest', async (_, cancelAt) => {
  const left = await leaveSeveral(core, 3);
  const inputs = { 'fail-on': 'incomplete' };
  const { summary, ...played } = await collectLater(core, { inputs, cancelAt });
  // The runner reports the cancellation, and there is nothing to fix, so no link says how.
  expect([endOf(played), played.exitCode]).toEqual(['failed (cancelled)', 0]);
  expect(`${summary}${played.printed}`).not.toContain('More about this');
  expect((await collect(core, { inputs })).outputs.reason).toBe('complete');
  for (const one of left) expect(headline(one)).toContain('is ready');
});

describe('a collect run reports', () => {
  test('a job that was left running, with the same text as a run that waits', async () => {
    const stage = await leftRunning(simpleCommand);
    const unseen = /\n\nThe token can’t see the pull request, .*/;
    const folded = (text: string) => text.slice(text.indexOf('<details>')).replace(unseen, '');
    const before = statusText(stage);
    const played = await collectLater(stage.core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    const text = statusText(stage);
    expect(folded(text)).toBe(folded(before));

    const waiting = await stageInMemory(simpleCommand);
    await waiting.play();
    const unfolded = (text: string) => text.slice(0, text.indexOf('<details>'));
    // No run saw when the job ended, so the collected text has no duration.
    expect(unfolded(text)).toBe(unfolded(statusText(waiting)).replace(/Took \d+ s\n/, ''));
    expect(reactionsTo(commandOf(stage))).toEqual(['eyes', 'rocket']);
    expect(played.summary).toMatch(
      /^\| \[#7\]\(<https:\/\/github\.com\/octo-org\/docs\/pull\/7#issuecomment-\d+>\) \| ✅ \[Pull request #101\]\(</m,
    );
  });

  test.each<[string, Partial<JobScript>, string, string]>([
    ['failed', { end: 'failed' }, '❌ **The job failed.**', 'confused'],
    ['archived', { end: 'archived', prLink: null }, '⚠️ **The job was archived.**', 'confused'],
    ['no link', { prLink: null }, '☑️ **The agent finished without a pull request:**', '+1'],
  ])('a job without a pull request: %s', async (_, script, says, reaction) => {
    const left = await leaveOpen(core, { thread: 1, script });
    expect(endOf(await collectLater(core))).toBe(complete);
    expect(headline(left)).toContain(says);
    expect(reactionsTo(left.command)).toEqual(['eyes', reaction]);
  });

  test('a job whose link appears late', async () => {
    const left = await leaveOpen(core, {
      thread: 1,
      script: { activeMs: hourMs, prLinkDelayMs: 8_000 },
    });
    await collectLater(core);
    expect(headline(left)).toContain('is ready');
    expect(core.clock.monotonic() - hourMs).toBeLessThan(20_000);
  });

  test('a job that no longer exists', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.service.forget(left.job.id);
    // The job was created seconds ago, so the service may not be able to find it yet.
    const early = await collect(core);
    expect(early.outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    expect(early.summary).toMatch(/^### 1 request, no pull request yet\n/);
    expect(early.summary).toContain(
      '\n> The service couldn’t find a job. The job may be too new. ',
    );
    expect((await collectLater(core)).outputs).toMatchObject({
      finished: '1',
      'still-active': '0',
    });
    expect(headline(left)).toBe(
      '⚠️ **The service no longer has this job.** We don’t know how it ended.',
    );
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
  });

  test('a job that never ends, until `collect-since` has passed', async () => {
    const left = await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    core.clock.advance(2 * dayMs);
    const before = left.status.body;
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    expect(left.status.body).toBe(before);
    const late = await collect(core, { inputs: { 'collect-since': '2 days' } });
    expect(late.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    expect(headline(left)).toMatch(/^⚠️ \*\*The job was still running when we last checked/);
    expect(reactionsTo(left.command)).toEqual(['eyes', 'confused']);
    const { sent } = await collect(core);
    expect(sent.filter(({ to }) => to === 'service')).toEqual([]);
  });

  test('a job that it gives up on, and `/docs status` promises no update of its comment', async () => {
    const stage = await leftRunning(simpleCommand, { end: 'never' });
    core = stage.core;
    core.clock.advance(2 * dayMs);
    await collect(core, { inputs: { 'collect-since': '2 days' } });
    await stage.say('/docs status');
    const answer = textOf(
      core.github.comments.findLast(({ login }) => login === BOT_LOGIN) ?? { body: '' },
    );
    expect(answer).toMatch(/Still working/);
    expect(answer).not.toContain('will be linked');
  });

  test('`/docs status` says that a request is being sent, and that none was if the run is lost', async () => {
    const stage = await stageInMemory(simpleCommand);
    core = stage.core;
    await stage.play({ killAt: { at: routes.createJob, phase: 'arrived' } });
    const answer = async () => {
      await stage.say('/docs status');
      return headlineOf(core.github.comments.findLast(({ login }) => login === BOT_LOGIN));
    };
    expect(await answer()).toMatch(/^⏳ \*\*A request is being sent\.\*\*/);
    core.clock.advance(hourMs);
    expect(await answer()).toMatch(/^⚠️ \*\*We can’t tell whether a job was started/);
  });

  test('the job of a run that timed out: 🚀 replaces 😕', async () => {
    const stage = await stageInMemory(simpleCommand);
    stage.core.service.script({ activeMs: hourMs });
    expect(endOf(await stage.play())).toBe('timed-out (deadline)');
    await collectLater(stage.core);
    expect(reactionsTo(commandOf(stage))).toEqual(['eyes', 'rocket']);
  });

  test('a lost run’s request as unconfirmed, but not within an hour', async () => {
    const stage = await stageInMemory(simpleCommand);
    await stage.play({ killAt: { at: routes.createJob, phase: 'handled' } });
    for (const thread of [1, 2]) await leaveOpen(stage.core, { thread, script: { end: 'never' } });
    stage.core.clock.advance(hourMs - minuteMs);
    const early = await collect(stage.core, { inputs: { 'max-requests': '1' } });
    expect(early.outputs).toMatchObject({
      reason: 'incomplete',
      finished: '0',
      'still-active': '2',
    });
    expect(early.summary).toMatch(/^\| \[#7\].* \| ⏳ Asking the writing agent… \|$/m);
    expect(statusComments(stage.core, stage.staged).map(({ history }) => history.length)).toEqual([
      2,
    ]);
    stage.core.clock.advance(minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
    expect(statusText(stage)).toMatch(
      /^⚠️ \*\*We can’t tell whether the service accepted the request\.\*\* A job may exist\./,
    );
    expect(endOf(await stage.play({ attempt: 2 }))).toBe('failed (unconfirmed)');
  });

  test('a follow-up that the agent did not pick up, but not within two minutes', async () => {
    const stage = await leftRunning(followUp, { staleMs: Number.POSITIVE_INFINITY });
    stage.core.clock.advance(minuteMs);
    // The first command's comment is updated: it now says that the token can't see the pull request.
    expect((await collect(stage.core)).outputs).toMatchObject({
      finished: '1',
      'still-active': '1',
    });
    stage.core.clock.advance(minuteMs);
    const played = await collect(stage.core);
    expect(JSON.parse(played.outputs.result ?? '')).toMatchObject({
      jobs: [{ outcome: 'pr-created', reason: 'follow-up-unseen' }],
    });
    expect(statusText(stage)).toMatch(
      /^⚠️ \*\*We couldn’t confirm that the agent picked up the follow-up\.\*\* It may be missing from \[Pull request #101\]/,
    );
  });
});

describe('a collect run leaves alone', () => {
  test('a job that a run may still be watching', async () => {
    const stage = await stageInMemory(simpleCommand);
    await stage.play({ killAt: { at: routes.getJob, phase: 'arrived' } });
    // The killed run had 30 minutes to watch the job. A collect run waits 10 minutes longer.
    stage.core.clock.advance(39 * minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({
      finished: '0',
      'still-active': '0',
    });
    stage.core.clock.advance(2 * minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
  });

  test.each<[string, (github: InMemorySimulator['github'], id: number) => void]>([
    ['edited', (github, id) => github.edit(id, 'Mine now')],
    ['deleted', (github, id) => github.delete(id)],
  ])('a status comment that was %s after the run read it', async (_, change) => {
    const left = await leaveOpen(core, { thread: 1 });
    core.once({ at: routes.getJob, phase: 'handled' }, () => change(core.github, left.status.id));
    const played = await collectLater(core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    const edits = left.status.history.slice(3).map(({ body }) => body);
    expect(edits).toEqual(left.status.deleted ? [] : ['Mine now']);
    expect(reactionsTo(left.command)).toEqual(['eyes']);
  });

  test('copies of a status comment, and status comments signed with a different key', async () => {
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
    const played = await collectLater(core);
    expect(played.outputs).toMatchObject({
      reason: 'complete',
      finished: '1',
      'still-active': '0',
    });
    expect(headlineOf(status)).toContain('is ready');
    const note =
      'Status comments for this project left unchanged, because they were signed with a different API key: 1.';
    expect(played.printed).toContain(note);
    expect(played.summary).toContain(`> ${note}\n`);
    expect([...copies, other.status].map(({ history }) => history.length)).toEqual([1, 1, 1, 1, 3]);
  });

  test('every status comment if the service rejects the key for the second job', async () => {
    const left = await leaveSeveral(core, 2);
    core.once({ at: routes.getJob, phase: 'handled' }, () =>
      core.faults.refuse(routes.getJob, 403),
    );
    const played = await collectLater(core);
    expect([endOf(played), played.exitCode]).toEqual(['failed (forbidden)', 1]);
    expect(left.map(({ status }) => status.history.length)).toEqual([3, 3]);
  });

  test('only the reaction in a locked thread', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    core.github.thread(1).locked = true;
    left.command.reactions.length = 0;
    const played = await collectLater(core);
    expect([endOf(played), played.exitCode]).toEqual([complete, 0]);
    expect(headline(left)).toContain('is ready');
    expect(reactionsTo(left.command)).toEqual([]);
  });
});

test('an hour later, a collect run deletes the claim that a lost run should have deleted', async () => {
  const stage = await stageInMemory(simpleCommand);
  stage.core.service.scriptNext({ end: 'failed' });
  await stage.play();
  await stage.play({ attempt: 2, killAt: { at: routes.deleteComment, phase: 'arrived' } });
  const own = () => statusComments(stage.core, stage.staged);
  await collect(stage.core);
  expect(own()).toHaveLength(2);
  await collectLater(stage.core);
  const lost = '⚠️ **The run was lost before anything was sent.**';
  expect(own().map(headlineOf)).toEqual([lost]);
});

test.each(['untouched', 'touched'])(
  'an hour later, a collect run deletes the claim of a run that lost to another one and was killed (%s)',
  async (how) => {
    const { core, staged, play } = await stageInMemory(simpleCommand);
    const killAt = { at: routes.deleteComment, phase: 'arrived' } as const;
    await Promise.all([play(), play({ runId: 2, killAt })]);
    core.clock.advance(1_000);
    const claim = statusComments(core, staged).at(-1);
    if (how === 'touched') core.github.edit(claim?.id ?? 0, `Why?\n\n${claim?.body}`);
    await collect(core);
    expect(statusComments(core, staged)).toHaveLength(2);
    await collectLater(core);
    expect(statusComments(core, staged).map(headlineOf)).toEqual([
      expect.stringContaining('is ready'),
    ]);
    const { sent } = await collectLater(core);
    expect(sent.filter(({ to, method }) => to === 'github' && method !== 'GET')).toEqual([]);
  },
);

test('an hour later, a collect run deletes a claim that GitHub stored late, but no copy with other text', async () => {
  const { core, staged, play } = await stageInMemory(simpleCommand);
  await play();
  const { number, history } = onlyStatusComment(core, staged);
  const claim = history[0]?.body ?? '';
  const late = core.github.comment(BOT_LOGIN, number, claim);
  const copy = core.github.comment(BOT_LOGIN, number, `${claim}\nSeen by another workflow.`);
  const areGone = () => [late, copy].map(({ deleted }) => deleted);
  await collect(core);
  expect(areGone()).toEqual([false, false]);
  await collectLater(core);
  expect(areGone()).toEqual([true, false]);
});

describe('with several projects', () => {
  const other = 'prj_api';
  const inputs = { 'project-id': `${DEFAULT_PROJECT.id} = Guides\n${other} = API` };
  const moveTo = (organization: string) => core.service.addProject({ id: other, organization });
  beforeEach(() => moveTo(DEFAULT_PROJECT.organization));

  const projectsChecked = ({ sent }: Collected) =>
    sent.filter(isFor(routes.getJob)).map(({ path }) => path.split('/')[3]);
  const jobsIn = ({ outputs }: Played) =>
    (JSON.parse(outputs.result ?? '{}').jobs as { project: string; jobId: string }[]).map(
      ({ project, jobId }) => `${project} ${jobId}`,
    );
  const isReady = (left: LeftOpen) => headline(left).includes('is ready');

  test('several projects share one list of comments, and each job is checked in its own project', async () => {
    const left = [
      await leaveOpen(core, { thread: 1 }),
      await leaveOpen(core, { thread: 2, inputs: { 'project-id': other } }),
    ];
    const played = await collectLater(core, { inputs });
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '2', 'still-active': '0' });
    expect(played.sent.filter(isFor(routes.readAllComments))).toHaveLength(1);
    expect(projectsChecked(played)).toEqual([DEFAULT_PROJECT.id, other]);
    expect(jobsIn(played)).toEqual([`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`]);
    expect(played.summary).toContain('| `API` | [#2](');
    for (const job of left) expect(isReady(job)).toBe(true);
    const again = await collect(core, { inputs });
    expect(again.outputs).toMatchObject({ finished: '0', reason: 'complete' });
  });

  test('if one project rejects the key, the log names it, and the other is still updated', async () => {
    const refused = await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
    const updated = await leaveOpen(core, { thread: 2 });
    moveTo('org_other');
    const played = await collectLater(core, { inputs });
    expect(endOf(played)).toBe('collected (incomplete)');
    expect(played.printed).toMatch(
      /API: The API key isn’t allowed to do this\.\n.*\nReading the job: the service returned 403: /,
    );
    expect(played.summary).toContain('> `API`: The API key isn’t allowed to do this. ');
    expect([refused, updated].map(isReady)).toEqual([false, true]);
  });

  test('it is an error if every project rejects the key', async () => {
    await leaveOpen(core, { thread: 1, inputs: { 'project-id': other } });
    moveTo('org_other');
    expect(endOf(await collectLater(core, { inputs }))).toBe('failed (forbidden)');
  });

  test('with fewer requests than jobs, the oldest jobs of all projects are checked', async () => {
    for (const thread of [1, 2, 3, 4, 5, 6]) {
      core.clock.advance(60_000);
      await leaveOpen(core, {
        thread,
        ...(thread % 2 === 0 ? { inputs: { 'project-id': other } } : {}),
      });
    }
    const played = await collectLater(core, { inputs: { ...inputs, 'max-requests': '4' } });
    expect(endOf(played)).toBe('collected (incomplete)');
    expect(projectsChecked(played)).toHaveLength(4);
    const oldest = [`${DEFAULT_PROJECT.id} job_0001`, `${other} job_0002`];
    expect(jobsIn(played)).toEqual(expect.arrayContaining(oldest));
  });

  test('after a pull request is opened, a run waits one minute in total, not one per project', async () => {
    const active = { activeMs: 36_000_000 };
    await leaveOpen(core, { thread: 1, script: active });
    await leaveOpen(core, { thread: 2, script: active, inputs: { 'project-id': other } });
    core.github.addThread({ number: 50, isPullRequest: true });
    const event = core.github.pullRequestEvent(50);
    const startMs = core.clock.now();
    const played = await collect(core, { inputs: { ...inputs, 'max-requests': '100' }, event });
    expect(played.outputs).toMatchObject({ finished: '0', 'still-active': '2' });
    const waitedMs = core.clock.now() - startMs;
    expect(waitedMs).toBeGreaterThan(50_000);
    expect(waitedMs).toBeLessThan(70_000);
  });
});
