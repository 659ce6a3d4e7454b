import { beforeEach, describe, expect, test } from '@jest/globals';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { commitTo } from '../support/in-process/changes.ts';
import { headlineOf, textOf } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { collect, type LeftOpen, leaveOpen, runCommand } from '../support/scenarios/left-open.ts';

/* What the link leads to: shown where it was requested, and followed until the pull request is merged. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** That of the first job. */
const number = 101;
const named = '[#101 Add a quickstart](<https://github.com/octo-org/docs/pull/101>)';
const agent = 'docs-agent[bot]';

let core: InMemorySimulator;
beforeEach(() => {
  core = createInMemorySimulator();
  const { github } = core;
  github.addUser(agent, { type: 'Bot' });
  github.addUser('writer', { permission: 'write' });
  commitTo(github, 'main', { 'docs/index.md': '# Docs\n' });
  github.git.branch('quickstart');
  commitTo(github, 'quickstart', {
    'docs/index.md': '# Documentation\n',
    'docs/quickstart.md': 'One.\nTwo.\n',
  });
});

/** The agent opens its pull request. */
function open(): void {
  core.github.pullRequests.open({ head: 'quickstart', number, title: 'Add a quickstart', author: agent });
}

const headline = ({ status }: Pick<LeftOpen, 'status'>) => headlineOf(status);
const fate = (one: Pick<LeftOpen, 'status'>) => headline(one).replace(named, '#101');
const on = (action: string) => collect(core, { event: core.github.pullRequestEvent(number, action) });
const sentTo = (to: 'github' | 'service', { sent }: Awaited<ReturnType<typeof collect>>) =>
  sent.filter((request) => request.to === to).map(({ route }) => route);

/** A command whose run waits, once the pull request is there. */
async function ready(thread = 1, inputs: Record<string, string> = {}): Promise<LeftOpen> {
  if (!core.github.threads.has(number)) open();
  return leaveOpen(core, { thread, inputs: { wait: 'true', ...inputs } });
}

describe('what the link leads to', () => {
  test('is shown with its title and its size, and is in the result', async () => {
    open();
    core.github.addThread({ number: 1 });
    const played = await runCommand(core, core.github.comment('maintainer', 1, '/docs go'), {
      inputs: { wait: 'true' },
    });
    const [status] = core.github.commentsOf(1).filter(({ login }) => login === BOT_LOGIN);
    expect(textOf(status ?? { body: '' })).toMatch(
      /^✅ \*\*\[#101 Add a quickstart\]\(<.*>\)\*\* is ready to review \(1 min \d s\)\.\n\n`\+3 −1` in 2 files\. Ask for/,
    );
    expect(JSON.parse(played.outputs.result ?? '').pullRequest).toEqual({
      ...{ url: 'https://github.com/octo-org/docs/pull/101', number: '101', state: 'open' },
      ...{ title: 'Add a quickstart', additions: 3, deletions: 1, changedFiles: 2 },
    });
    expect(played.printed).toContain('#101 Add a quickstart is ready to review');
  });

  test.each([
    ['a follow-up that changes it', true, `✅ **${named}** was updated`],
    ['a follow-up that does not', false, `✅ **The follow-up is done:** ${named}`],
  ])('%s', async (_, moves, says) => {
    await ready();
    core.once({ at: routes.sendMessage, phase: 'handled' }, () => {
      if (moves) commitTo(core.github, 'quickstart', { 'docs/index.md': '# D\n' });
      core.github.pullRequests.update(number);
    });
    const again = await ready();
    expect(headline(again)).toContain(says);
  });

  test('that the token can’t see is said once, and not followed', async () => {
    const left = await leaveOpen(core, { thread: 1, inputs: { wait: 'true' } });
    expect(left.status.body).toContain('The token can’t see the pull request, so');
    const played = await collect(core);
    expect(sentTo('github', played)).toEqual([routes.readAllComments]);
    expect(headline(left)).toContain('is ready to review');
  });
});

describe('followed to its end', () => {
  test.each([
    ['on its event', (action: string) => on(action)],
    ['on a schedule', () => collect(core)],
  ])('%s: merged, or closed and reopened', async (_, run) => {
    const left = await ready();
    const others = await ready(2, { 'job-id': 'job_0001' });
    const seen: string[] = [];
    for (const state of ['closed', 'open'] as const) {
      core.github.pullRequests.turn(number, state);
      await run(state === 'closed' ? 'closed' : 'reopened');
      seen.push(fate(left), fate(others));
    }
    core.github.pullRequests.merge(number);
    const merged = await run('closed');
    expect(JSON.parse(merged.outputs.result ?? '')).toMatchObject({ finished: 2 });
    expect(merged.summary).toContain('Brought up to date: 2.');
    expect(sentTo('github', merged).filter((route) => route === routes.readPullRequest)).toHaveLength(1);
    expect(sentTo('service', merged)).toEqual([]);
    expect([...seen, fate(left), fate(others)]).toEqual([
      '☑️ **#101 was closed without merging.**',
      '☑️ **#101 was closed without merging.**',
      expect.stringContaining('✅ **#101** is ready to review'),
      expect.stringContaining('✅ **#101** is ready to review'),
      '🎉 **#101 was merged.**',
      '🎉 **#101 was merged.**',
    ]);
    // Merged is final.
    expect(sentTo('github', await run('closed'))).toEqual([routes.readAllComments]);
  });

  test('while it is open, a run costs the listing and one request', async () => {
    await ready();
    for (let nth = 2; nth < 5; nth += 1) await ready(nth, { 'job-id': 'job_0001' });
    const played = await collect(core);
    expect(sentTo('github', played)).toEqual([routes.readAllComments, routes.readPullRequest]);
    expect(endOf(played)).toBe('collected (complete)');
  });

  test('an event of a pull request that no card names costs four requests at most, and none to the service', async () => {
    open();
    await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    for (let nth = 0; nth < 500; nth += 1) core.github.comment('maintainer', 1, `Comment ${nth}`);
    const played = await on('closed');
    expect(sentTo('github', played).length).toBeLessThanOrEqual(4);
    expect([sentTo('service', played), played.summary]).toEqual([[], '### Nothing to collect\n']);
  });

  test('a job that ends after its pull request was merged', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    open();
    core.github.pullRequests.merge(number);
    core.clock.advance(hourMs);
    await collect(core);
    expect(fate(left)).toBe('🎉 **#101 was merged.**');
  });

  test('a status comment that was deleted stays deleted', async () => {
    const left = await ready();
    core.github.delete(left.status.id);
    core.github.pullRequests.merge(number);
    expect(sentTo('github', await on('closed'))).toEqual([routes.readAllComments]);
    expect(core.github.commentsOf(1).map(({ login }) => login)).toEqual(['maintainer']);
  });

  test('what can’t be read now is left for the next run', async () => {
    const left = await ready();
    core.github.pullRequests.merge(number);
    core.faults.add({ at: routes.readPullRequest, kind: 'status', status: 500, times: 4 });
    const played = await collect(core);
    expect([endOf(played), JSON.parse(played.outputs.result ?? '').left]).toEqual([
      'collected (incomplete)',
      1,
    ]);
    await collect(core);
    expect(fate(left)).toBe('🎉 **#101 was merged.**');
  });

  test('a token with few requests left in its hour stops early, and says so', async () => {
    const left = await ready();
    core.github.pullRequests.merge(number);
    core.github.requestsLeft = 150;
    const played = await collect(core);
    expect(sentTo('github', played)).toEqual([routes.readAllComments]);
    expect(played.summary).toContain('Left for the next run: 1. GitHub’s hourly limit is nearly reached.');
    core.github.requestsLeft = 900;
    await collect(core);
    expect(fate(left)).toBe('🎉 **#101 was merged.**');
  });
});

describe('a review that is asked for', () => {
  const review = { 'request-review': 'asker' };
  const askedFor = () => core.github.pullRequests.of(number).reviewers;

  test('of who made the request, once', async () => {
    await ready(1, review);
    await collect(core);
    expect(askedFor()).toEqual(['maintainer']);
  });

  test('later, where no run waited', async () => {
    await leaveOpen(core, { thread: 1, inputs: review });
    open();
    core.github.pullRequests.of(number).isDraft = true;
    core.clock.advance(hourMs);
    await collect(core);
    expect(askedFor()).toEqual([]);
    core.github.pullRequests.of(number).isDraft = false;
    await collect(core);
    await collect(core);
    expect(askedFor()).toEqual(['maintainer']);
  });

  test.each([['a token that may not', { 'pull-requests': 'read' }]] as const)(
    '%s: a note, never red',
    async (_, access) => {
      open();
      core.github.restrict(access);
      const left = await ready(1, review);
      expect(left.status.body).toContain('`maintainer` could not be asked for a review of the pull request.');
      expect(headline(left)).toContain('is ready to review');
      const before = left.status.history.length;
      await collect(core);
      expect([askedFor(), left.status.history.length]).toEqual([[], before]);
    },
  );
});

describe('a reminder', () => {
  const reminding = { inputs: { 'remind-after': '3 days' } };
  const reminders = () => core.github.comments.filter(({ body, deleted }) => body.includes('🔔') && !deleted);

  test('is written once, in the thread of the newest request, when it has been open that long', async () => {
    await ready();
    await ready(2, { 'job-id': 'job_0001' });
    core.clock.advance(3 * dayMs - hourMs);
    await collect(core, reminding);
    expect(reminders()).toEqual([]);
    core.clock.advance(hourMs);
    const played = await collect(core, reminding);
    expect(JSON.parse(played.outputs.result ?? '')).toMatchObject({ reminders: 1 });
    const [reminder, ...more] = reminders();
    expect([reminder?.number, more]).toEqual([2, []]);
    expect(textOf(reminder ?? { body: '' })).toMatch(
      /^🔔 \*\*\[#101 Add a quickstart\].* has been open for 3 days\.\*\*/,
    );
    core.github.delete(reminder?.id ?? 0);
    core.clock.advance(dayMs);
    await ready(3, { 'job-id': 'job_0001' });
    await collect(core, reminding);
    expect(reminders()).toEqual([]);
  });

  test('of two collectors at once is one', async () => {
    await ready();
    core.clock.advance(4 * dayMs);
    await Promise.all([collect(core, reminding), collect(core, reminding)]);
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });

  test.each(routesOfReminder())('is one though a run was killed at %s (%s)', async (at, phase) => {
    await ready();
    core.clock.advance(4 * dayMs);
    await collect(core, { ...reminding, killAt: { at, phase } });
    core.clock.advance(hourMs);
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });

  test('is not written for a draft, nor after a merge', async () => {
    await ready();
    core.github.pullRequests.of(number).isDraft = true;
    core.clock.advance(4 * dayMs);
    await collect(core, reminding);
    core.github.pullRequests.merge(number);
    await collect(core, reminding);
    expect(reminders()).toEqual([]);
  });
});

function routesOfReminder() {
  return [routes.writeComment, routes.readThread, routes.editComment].flatMap((at) =>
    (['arrived', 'handled'] as const).map((phase) => [at, phase] as const),
  );
}
