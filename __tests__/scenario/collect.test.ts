import { describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { Life } from '../support/in-process/life.ts';
import { type InProcess, playMain } from '../support/in-process/play.ts';
import { type MemoryStage, playKilled, stageInMemory } from '../support/in-process/stage.ts';
import { statusComments } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/oracle/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { followUp, markersOf, type Scenario, simpleCommand } from '../support/scenarios/agent.ts';
import { type LeftOpen, leaveOpen, readable, stageCollect } from '../support/scenarios/left-open.ts';

/* What a run of `mode: collect` finishes, what it leaves alone, and what it costs. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const complete = 'collected (complete)';
const incomplete = 'collected (incomplete)';

type Collecting = Partial<InProcess> & {
  readonly with?: Readonly<Record<string, string>>;
  readonly event?: WebhookEvent;
};

function collecting(
  core: InMemorySimulator,
  { with: inputs, event, ...options }: Collecting = {},
): InProcess {
  const identity = { runId: 6_900_000_009, attempt: 1 };
  return {
    core,
    dispatcher: core.dispatcher,
    staged: stageCollect(core, inputs, event),
    identity,
    ...options,
  };
}

function collect(core: InMemorySimulator, options?: Collecting): Promise<Played> {
  return playMain(collecting(core, options));
}

/** A scenario whose run did not wait. */
async function askedAndLeft(scenario: Scenario, script: Partial<JobScript> = {}): Promise<MemoryStage> {
  const stage = stageInMemory(scenario);
  stage.core.service.script(script);
  const inputs = { ...stage.staged.inputs, wait: 'false' };
  const main = await playMain({ ...stage.run(1), staged: { ...stage.staged, inputs } });
  expect(endOf(main)).toBe('detached (not-waited)');
  return stage;
}

/** The status comment of a stage's command. */
function ownOf({ core, staged }: MemoryStage) {
  const [own, ...more] = statusComments(core, staged, staged.key(1));
  if (own === undefined || more.length > 0) throw new Error('There is not one status comment');
  return { ...own, text: readable(own.comment) };
}

const headlineOf = ({ status }: Pick<LeftOpen, 'status'>) => readable(status).split('\n')[0];
const reactionsOf = ({ command }: LeftOpen) => command.reactions.map(({ content }) => content);
const servedSince = ({ requests }: InMemorySimulator, before: number) =>
  requests.slice(before).filter(({ to }) => to === 'service').length;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('what it tells', () => {
  test('of a job that was asked for and left: what a run that waits tells', async () => {
    const stage = await askedAndLeft(simpleCommand);
    const folded = (text: string) => text.slice(text.indexOf('<details>'));
    const before = ownOf(stage);
    expect(before.text).not.toContain('Time taken');
    stage.core.clock.advance(hourMs);
    const played = await collect(stage.core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    const { text, marker } = ownOf(stage);
    expect(folded(text)).toBe(folded(before.text));

    const waiting = stageInMemory(simpleCommand);
    await playMain(waiting.run(1));
    const inTheOpen = (told: string) => told.slice(0, told.indexOf('<details>'));
    expect(inTheOpen(text)).toBe(inTheOpen(ownOf(waiting).text));
    expect(marker).toMatchObject({ phase: 'ended', outcome: 'pr-created', job: 'job_0001' });
    expect(marker.pullRequest).toBe('https://github.com/octo-org/docs/pull/101');
    const source = stage.core.github.findComment(stage.staged.sourceCommentId ?? 0);
    expect(source.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
    expect(played.summary).toContain('| [#7](<https://github.com/octo-org/docs/pull/7#issuecomment-');
    expect(played.summary).toContain('| `job_0001` | 2026-01-05 09:00 UTC | [Pull request #101](<');
  });

  test.each([
    ['failed', { end: 'failed' }, '**The job failed.**', 'confused'],
    ['archived', { end: 'archived', prLink: null }, '**The job was archived.**', 'confused'],
    ['no link', { prLink: null }, '**The agent finished without a pull request.**', '+1'],
  ])('of a job that ended otherwise: %s', async (_, script, headline, reaction) => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1, script });
    core.clock.advance(hourMs);
    expect(endOf(await collect(core))).toBe(complete);
    expect(headlineOf(left)).toBe(headline);
    expect(reactionsOf(left)).toEqual([reaction]);
  });

  test('of a link that comes late', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1, script: { activeMs: hourMs, prLinkDelayMs: 8_000 } });
    core.clock.advance(hourMs);
    await collect(core);
    expect(headlineOf(left)).toContain('is ready.');
    expect(core.clock.monotonic() - hourMs).toBeLessThan(20_000);
  });

  test('of a job that the service no longer knows', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1 });
    core.service.forget(left.job.id);
    // It may not know it yet.
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    core.clock.advance(hourMs);
    expect((await collect(core)).outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    expect(headlineOf(left)).toBe('**The job can no longer be followed; how it ended is not known.**');
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
  });

  test('of a job that goes on and on: that its end is no longer looked for', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1, script: { end: 'never' } });
    core.clock.advance(2 * dayMs);
    const before = left.status.body;
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    expect(left.status.body).toBe(before);
    expect((await collect(core, { with: { 'collect-since': '2 days' } })).outputs).toMatchObject({
      finished: '1',
      'still-active': '0',
    });
    expect(headlineOf(left)).toMatch(/^\*\*The job was still at work when it was last looked at/);
    expect(reactionsOf(left)).toEqual(['confused']);
    const sent = core.requests.length;
    await collect(core);
    expect(servedSince(core, sent)).toBe(0);
  });

  test('of a run that timed out: 🚀 takes the place of 😕', async () => {
    const stage = stageInMemory(simpleCommand);
    stage.core.service.script({ activeMs: hourMs });
    expect(endOf(await playMain(stage.run(1)))).toBe('timed-out (deadline)');
    stage.core.clock.advance(hourMs);
    await collect(stage.core);
    const { reactions } = stage.core.github.findComment(stage.staged.sourceCommentId ?? 0);
    expect(reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  });

  test('of a claim whose runner was lost: that nobody can know, and only after an hour', async () => {
    const stage = stageInMemory(simpleCommand);
    await playKilled(stage.run(1), { at: routes.createJob, phase: 'handled' });
    stage.core.clock.advance(hourMs - minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '0' });
    expect(ownOf(stage).text).toContain('Asking the writing agent');
    stage.core.clock.advance(minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
    const { text, marker } = ownOf(stage);
    expect(text).toMatch(
      /^\*\*It cannot be known whether the service has taken the request: a job may exist\.\*\*/,
    );
    expect(marker).toMatchObject({ phase: 'unconfirmed', outcome: 'failed', comment: expect.any(Number) });
    // What a later attempt makes of it is what it makes of its own.
    expect(endOf(await playMain(stage.run(1, 2)))).toBe('failed (unconfirmed)');
  });

  test('of a message that was not seen to be taken up: that, and not before two minutes', async () => {
    const stage = await askedAndLeft(followUp, { staleMs: Number.POSITIVE_INFINITY });
    stage.core.clock.advance(minuteMs);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '0', 'still-active': '1' });
    stage.core.clock.advance(minuteMs);
    const played = await collect(stage.core);
    expect(JSON.parse(played.outputs.result ?? '')).toMatchObject({
      jobs: [{ outcome: 'pr-created', reason: 'follow-up-unseen' }],
    });
    const { text, marker } = ownOf(stage);
    expect(text).toContain('is ready.');
    expect(text).toContain(
      'The job was not seen to take up the message: what it shows may be from before it.',
    );
    expect(marker).not.toHaveProperty('before');
  });
});

describe('what it leaves alone', () => {
  test('a job whose run may still tell its end', async () => {
    const stage = stageInMemory(simpleCommand);
    await playKilled(stage.run(1), { at: routes.getJob, phase: 'arrived' });
    const { until = 0 } = ownOf(stage).marker;
    const [toUntil, afterwards] = [until * 1000 - stage.core.clock.now(), 10 * minuteMs];
    stage.core.clock.advance(toUntil + afterwards - 1_000);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    stage.core.clock.advance(1_000);
    expect((await collect(stage.core)).outputs).toMatchObject({ finished: '1' });
  });

  test('a comment that says something else than what was read', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () => core.github.edit(left.status.id, 'Mine now'));
    const played = await collect(core);
    expect(endOf(played)).toBe(complete);
    expect(played.outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    expect(left.status.body).toBe('Mine now');
    expect(reactionsOf(left)).toEqual([]);
  });

  test('a comment that was deleted meanwhile', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () => core.github.delete(left.status.id));
    expect(endOf(await collect(core))).toBe(complete);
    expect(core.requests.filter(isFor(routes.editComment))).toEqual([]);
  });

  test('markers that stand elsewhere than they say, or are signed with another key', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1, marker: { phase: 'ended' } });
    const open = { key: 'comment:1', phase: 'working', run: '1', attempt: 1, job: left.job.id } as const;
    const line = (markers = markersOf(core, { thread: 1 })) =>
      markers.write({ ...open, comment: left.status.id });
    core.github.addThread({ number: 2 });
    const forgeries = [
      core.github.comment('stranger', 1, line()),
      core.github.comment('github-actions[bot]', 1, `${line()}\nA copy`),
      core.github.comment('github-actions[bot]', 2, line()),
      core.github.comment('stranger', 1, markersOf(core, { thread: 1 }).write(open)),
      core.github.comment(
        'github-actions[bot]',
        1,
        markersOf(core, { thread: 1, apiKey: 'mint_fake_other' }).write(open),
      ),
    ];
    core.clock.advance(hourMs);
    const sent = core.requests.length;
    expect((await collect(core)).outputs).toMatchObject({ finished: '0', 'still-active': '0' });
    expect(core.requests).toHaveLength(sent + 1);
    for (const { history } of forgeries) expect(history).toHaveLength(1);
  });

  test('everything, where the service does not take the key at the second job', async () => {
    const core = createInMemorySimulator();
    const left = numbers(2).map((thread) => leaveOpen(core, { thread }));
    core.clock.advance(hourMs);
    core.once({ at: routes.getJob, phase: 'handled' }, () =>
      core.service.fail({ status: 403, error: 'Forbidden' }),
    );
    const played = await collect(core);
    expect(endOf(played)).toBe('failed (forbidden)');
    expect(played.exitCode).toBe(1);
    expect(left.map(({ status }) => status.history.length)).toEqual([2, 2]);
  });

  test('nothing in a thread that is locked but the reaction', async () => {
    const core = createInMemorySimulator();
    core.github.addThread({ number: 1, locked: true });
    const left = leaveOpen(core, { thread: 1 });
    core.clock.advance(hourMs);
    const played = await collect(core);
    expect([endOf(played), played.exitCode]).toEqual([complete, 0]);
    expect(headlineOf(left)).toContain('is ready.');
    expect(reactionsOf(left)).toEqual([]);
  });
});

test('a claim that a lost run should have taken back is taken back, an hour after it', async () => {
  const stage = stageInMemory(simpleCommand);
  stage.core.service.scriptNext({ end: 'failed' });
  await playMain(stage.run(1));
  await playKilled(stage.run(1, 2), { at: routes.deleteComment, phase: 'arrived' });
  const own = () => statusComments(stage.core, stage.staged, stage.staged.key(1));
  await collect(stage.core);
  expect(own()).toHaveLength(2);
  stage.core.clock.advance(hourMs);
  await collect(stage.core);
  expect(own().map(({ marker }) => [marker.generation, marker.phase])).toEqual([[2, 'unconfirmed']]);
});

describe('what it costs', () => {
  test('one request to GitHub for a hundred comments, and none to the service, where nothing is open', async () => {
    const core = createInMemorySimulator();
    leaveOpen(core, { thread: 1, marker: { phase: 'ended' } });
    for (const index of numbers(150)) core.github.comment('maintainer', 1, `Comment ${index}`);
    const played = await collect(core, { event: core.github.pullRequestEvent(openPullRequest(core)) });
    expect(endOf(played)).toBe(complete);
    expect(core.requests.map(({ route }) => route)).toEqual([routes.readAllComments, routes.readAllComments]);
    expect(played.summary).toBe('### Nothing to collect\n');
  });

  test('for 200 open threads: a request a job, writes a second apart, and no more than `max-requests`', async () => {
    const core = createInMemorySimulator();
    core.service.limit.usesPerHour = 1_000;
    const left = numbers(200).map((thread) => leaveOpen(core, { thread }));
    core.clock.advance(hourMs);
    const first = await collect(core);
    expect(endOf(first)).toBe(incomplete);
    expect(first.outputs).toMatchObject({ finished: '40', 'still-active': '0' });
    expect(JSON.parse(first.outputs.result ?? '')).toMatchObject({ left: 160 });
    expect(first.summary).toContain('Left for the next run: 160');
    expect(left.map((one) => headlineOf(one)?.includes('is ready.'))).toEqual(
      numbers(200).map((number) => number <= 40),
    );
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(40);

    core.clock.advance(minuteMs);
    const rest = await collect(core, { with: { 'max-requests': '1000' } });
    expect([endOf(rest), rest.outputs.finished]).toEqual([complete, '160']);
    const jobs = core.requests.filter(isFor(routes.getJob)).map(({ path }) => path);
    expect(new Set(jobs).size).toBe(200);
    expect(jobs).toHaveLength(200);
    const writes = core.requests.filter(({ to, method }) => to === 'github' && method !== 'GET');
    expect(writes).toHaveLength(400);
    const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(core.violations).toEqual([]);
  });

  test('at most 400 writes a run; the others are left', async () => {
    const core = createInMemorySimulator();
    core.service.limit.usesPerHour = 1_000;
    for (const thread of numbers(210)) leaveOpen(core, { thread });
    core.clock.advance(hourMs);
    const played = await collect(core, { with: { 'max-requests': '1000', 'fail-on': 'incomplete' } });
    expect([endOf(played), played.exitCode]).toEqual([incomplete, 1]);
    const writes = core.requests.filter(({ to, method }) => to === 'github' && method !== 'GET');
    expect(writes.length).toBeLessThanOrEqual(400);
    expect((await collect(core)).outputs.reason).toBe('complete');
  });

  test('a comment that shares its job with others costs no request of its own', async () => {
    const core = createInMemorySimulator();
    const { job } = leaveOpen(core, { thread: 1 });
    leaveOpen(core, { thread: 1, marker: { job: job.id } });
    core.clock.advance(hourMs);
    expect((await collect(core)).outputs.finished).toBe('2');
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(1);
  });

  test('requests that are sent again count, and what comes after them waits for the next run', async () => {
    const core = createInMemorySimulator();
    for (const thread of numbers(3)) leaveOpen(core, { thread });
    core.clock.advance(hourMs);
    core.faults.add({ at: routes.getJob, kind: 'status', status: 500, times: 2 });
    const played = await collect(core, { with: { 'max-requests': '4' } });
    expect(endOf(played)).toBe(incomplete);
    expect(played.outputs.finished).toBe('2');
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(4);
  });
});

describe('what fails', () => {
  test('one job that cannot be seen: the others are told', async () => {
    const core = createInMemorySimulator();
    const left = numbers(3).map((thread) => leaveOpen(core, { thread }));
    core.clock.advance(hourMs);
    const second = left[1]?.job.id ?? '';
    core.faults.add({ at: ({ path }) => path.endsWith(second), kind: 'status', status: 500, times: 4 });
    const played = await collect(core);
    expect(endOf(played)).toBe(incomplete);
    expect(left.map((one) => headlineOf(one)?.includes('is ready.'))).toEqual([true, false, true]);
    expect(played.printed).toContain('Reading the job: the service answered 500');
  });

  test('a service that does not answer is left alone after two jobs', async () => {
    const core = createInMemorySimulator();
    for (const thread of numbers(10)) leaveOpen(core, { thread });
    core.clock.advance(hourMs);
    core.faults.add({ at: routes.getJob, kind: 'reset', when: 'before', times: Number.POSITIVE_INFINITY });
    const played = await collect(core);
    expect(played.outputs).toMatchObject({ reason: 'incomplete', finished: '0' });
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(8);
  });

  test('a write that is held up for an hour: nothing more is written, and the next run goes on', async () => {
    const core = createInMemorySimulator();
    const left = numbers(3).map((thread) => leaveOpen(core, { thread }));
    core.clock.advance(hourMs);
    const retryAfter = { form: 'seconds', seconds: 3_600 } as const;
    core.faults.add({ at: routes.editComment, nth: 2, kind: 'status', status: 429, retryAfter });
    const played = await collect(core);
    expect(played.outputs).toMatchObject({ reason: 'incomplete', finished: '1' });
    expect(core.requests.filter(isFor(routes.editComment))).toHaveLength(2);
    expect((await collect(core)).outputs).toMatchObject({ reason: 'complete', finished: '2' });
    for (const one of left) expect(headlineOf(one)).toContain('is ready.');
  });
});

describe('beside others', () => {
  test('two collectors at once write the same', async () => {
    const core = createInMemorySimulator();
    const left = numbers(5).map((thread) => leaveOpen(core, { thread }));
    core.clock.advance(hourMs);
    const ended = await Promise.all([collect(core), collect(core)]);
    expect(ended.map(endOf)).toEqual([complete, complete]);
    for (const one of left) {
      const [, open, ...ends] = one.status.history.map(({ body }) => body);
      expect(open).toContain('does not wait');
      expect(new Set(ends).size).toBe(1);
      expect(reactionsOf(one)).toEqual(['rocket']);
    }
    expect(core.github.comments).toHaveLength(10);
    expect(core.violations).toEqual([]);
  });

  test('a collector that is killed anywhere: the next one finishes it', async () => {
    const undisturbed = createInMemorySimulator();
    leaveOpen(undisturbed, { thread: 1 });
    undisturbed.clock.advance(hourMs);
    await collect(undisturbed);
    for (const [index, phase] of undisturbed.requests.flatMap((_, nth) => [
      [nth + 1, 'arrived' as const] as const,
      [nth + 1, 'handled' as const] as const,
    ])) {
      const core = createInMemorySimulator();
      const left = leaveOpen(core, { thread: 1 });
      core.clock.advance(hourMs);
      const life = new Life();
      core.once({ at: () => true, nth: index, phase }, () => life.kill());
      await collect(core, { life });
      expect(life.isOver).toBe(true);
      expect(endOf(await collect(core))).toBe(complete);
      expect(left.status.body).toBe(undisturbed.github.comments[1]?.body);
    }
  });
});

describe('an opened pull request', () => {
  test('is looked for, and its job is found when it has ended', async () => {
    const core = createInMemorySimulator();
    const left = leaveOpen(core, { thread: 1 });
    core.clock.advance(30_000);
    const played = await collect(core, { event: core.github.pullRequestEvent(openPullRequest(core)) });
    expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
    expect(headlineOf(left)).toContain('is ready.');
  });

  test('that is nobody’s job is looked for a minute, and that leaves nothing undone', async () => {
    const core = createInMemorySimulator();
    leaveOpen(core, { thread: 1, script: { end: 'never' } });
    const startedAt = core.clock.now();
    const played = await collect(core, { event: core.github.pullRequestEvent(openPullRequest(core)) });
    expect([endOf(played), played.outputs['still-active']]).toEqual([complete, '1']);
    expect(core.clock.now() - startedAt).toBeLessThanOrEqual(60_000);
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(13);
  });

  test.each(['closed', 'synchronize'])('is not waited for when it is %s', async (action) => {
    const core = createInMemorySimulator();
    leaveOpen(core, { thread: 1, script: { end: 'never' } });
    await collect(core, { event: core.github.pullRequestEvent(openPullRequest(core), action) });
    expect(core.requests.filter(isFor(routes.getJob))).toHaveLength(1);
  });
});

/** The pull request that the first job's link names. */
function openPullRequest({ github }: InMemorySimulator): number {
  github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
  github.git.branch('agent');
  github.git.commit({ branch: 'agent', files: { 'docs/quickstart.md': '# Quickstart\n' } });
  return github.pullRequests.open({ number: 101, head: 'agent', title: 'Add a quickstart' }).number;
}
