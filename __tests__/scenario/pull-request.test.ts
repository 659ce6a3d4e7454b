import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { type MemoryRun, playMain } from '../support/in-process/play.ts';
import { isLong } from '../support/long.ts';
import { headlineOf, textOf, writtenIn } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { dataIn } from '../support/prompts.ts';
import { isFor, routes } from '../support/routes.ts';
import type { LeftOpen } from '../support/scenarios/left-open.ts';
import { collect, collectLater, leaveOpen, runCommand } from '../support/scenarios/left-open.ts';
import { serviceInputs } from '../support/usual.ts';

/* How a job's pull request is shown in the thread that requested it, and followed until it is merged. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const complete = 'collected (complete)';
/** The first job's pull request. */
const number = 101;
const named = '[#101 Add a quickstart](<https://github.com/octo-org/docs/pull/101>)';
const agent = 'docs-agent[bot]';

let core: InMemorySimulator;
beforeEach(begin);

function begin(): void {
  core = createInMemorySimulator();
  const { github } = core;
  github.addUser(agent, { type: 'Bot' });
  github.addUser('writer', { permission: 'write' });
  github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
  github.git.branch('quickstart');
  const files = { 'docs/index.md': '# Documentation\n', 'docs/quickstart.md': 'One.\nTwo.\n' };
  github.git.commit({ branch: 'quickstart', files });
}

function open(): void {
  core.github.pullRequests.open({
    head: 'quickstart',
    number,
    title: 'Add a quickstart',
    author: agent,
  });
}

/** Pushes a commit to the pull request, as the agent does for a follow-up. */
const push = () =>
  core.github.pullRequests.push(number, { files: { 'more.md': `${core.clock.now()}\n` } });
const headline = ({ status }: Pick<LeftOpen, 'status'>) => headlineOf(status);
const fate = (left: Pick<LeftOpen, 'status'>) => headline(left).replace(named, '#101');
const eventOf = (action: string) => core.github.pullRequestEvent(number, action);
const on = (action: string) => collect(core, { event: eventOf(action) });
const sentTo = (to: 'github' | 'service', { sent }: Awaited<ReturnType<typeof collect>>) =>
  sent.filter((request) => request.to === to).map(({ route }) => route);

/** Runs a command that waits for its job and can see the pull request. */
async function ready(thread = 1, inputs: Record<string, string> = {}): Promise<LeftOpen> {
  if (!core.github.threads.has(number)) open();
  return leaveOpen(core, { thread, inputs: { wait: 'true', ...inputs } });
}

describe('a pull request', () => {
  test('is shown with its title and size, and is in the result', async () => {
    const { played, status } = await ready();
    expect(textOf(status)).toMatch(
      /^✅ \*\*\[#101 Add a quickstart\]\(<.*>\)\*\* is ready to review\.\n\n`\+3 −1` in 2 files · took 1 min \d s\nTo change something, comment/,
    );
    expect(JSON.parse(played.outputs.result ?? '').pullRequest).toEqual({
      ...{ url: 'https://github.com/octo-org/docs/pull/101', number: '101', state: 'open' },
      ...{ title: 'Add a quickstart', additions: 3, deletions: 1, changedFiles: 2, draft: false },
    });
    expect(played.printed).toContain('#101 Add a quickstart is ready to review');
  });

  test.each([
    ['a follow-up that changes it', true, `✅ **${named}** was updated`],
    ['a follow-up that does not', false, `✅ **The follow-up is done:** ${named}`],
  ])('%s', async (_, moves, says) => {
    await ready();
    core.once({ at: routes.sendMessage, phase: 'handled' }, () => moves && push());
    const again = await ready();
    expect(headline(again)).toContain(says);
  });

  test('that the token can’t see gets a note, and is followed once a token can see it', async () => {
    const left = await leaveOpen(core, { thread: 1, inputs: { wait: 'true' } });
    const others = await leaveOpen(core, { thread: 2, inputs: { wait: 'true' } });
    const note = 'The token can’t see the pull request, so';
    expect(left.status.body).not.toContain(note);
    expect(left.played.summary).toContain(note);
    await collect(core);
    expect(left.status.body).toContain(note);
    // One request tells that the token still can't see the repository's pull requests.
    expect(sentTo('github', await collect(core))).toEqual([
      routes.readAllComments,
      routes.readPullRequest,
    ]);
    expect(headline(left)).toContain('is ready to review');
    for (const number of [101, 102])
      core.github.pullRequests.open({ head: 'quickstart', number, author: agent });
    core.github.pullRequests.merge(number);
    await collect(core);
    expect([headline(left).includes('was merged'), headline(others).includes('is ready')]).toEqual([
      true,
      true,
    ]);
    for (const { status } of [left, others]) expect(status.body).not.toContain(note);
  });

  test.each(['merged', 'closed'] as const)(
    'that only a collect run’s token can see stays %s for other tokens, and a follow-up starts a new job',
    async (end) => {
      const left = await ready();
      if (end === 'merged') core.github.pullRequests.merge(number);
      else core.github.pullRequests.setState(number, 'closed');
      await collect(core);
      const says =
        end === 'merged' ? '🎉 **#101 was merged.**' : '☑️ **#101 was closed without merging.**';
      core.faults.refuse(routes.readPullRequest, 404, { times: 99 });
      const answered = await runCommand(core, core.github.comment('maintainer', 1, '/docs status'));
      await collect(core);
      expect(fate(left)).toBe(says);
      expect(answered.printed).toContain(
        says.replace(/[*#]|^.. /g, '').replace('101', 'Add a quickstart'),
      );
      await runCommand(core, core.github.comment('maintainer', 1, '/docs more'));
      expect(core.service.jobs).toHaveLength(2);
    },
  );
});

describe('a pull request is followed', () => {
  test('on its event, after the repository was renamed between two requests', async () => {
    const first = await ready();
    core.github.rename('guides');
    const second = await ready();
    core.github.pullRequests.merge(number);
    await on('closed');
    for (const left of [first, second]) expect(headline(left)).toContain('was merged');
  });

  test('but not by an answer to `/docs status`, which nobody edits, and which links the comment that is', async () => {
    const left = await ready();
    await runCommand(core, core.github.comment('maintainer', 1, '/docs status'));
    const answer = writtenIn(core, 1).at(-1);
    expect(headlineOf(answer)).toContain('is ready to review');
    const link = `[The status comment](<https://github.com/octo-org/docs/issues/1#issuecomment-${left.status.id}>)`;
    expect(answer?.body).toContain(`${link} stays up to date.`);
    core.github.pullRequests.merge(number);
    const { outputs } = await collect(core);
    expect(outputs).toMatchObject({ finished: '1' });
    expect(answer?.history).toHaveLength(1);
  });

  test.each([
    ['on its event', (action: string) => on(action)],
    ['on a schedule', () => collect(core)],
  ])('%s: merged, or closed and reopened', async (_, run) => {
    const left = await ready();
    const others = await ready(2, { 'job-id': 'job_0001' });
    const seen: string[] = [];
    for (const state of ['closed', 'open'] as const) {
      core.github.pullRequests.setState(number, state);
      await run(state === 'closed' ? 'closed' : 'reopened');
      seen.push(fate(left), fate(others));
    }
    core.github.pullRequests.merge(number);
    const merged = await run('closed');
    expect(JSON.parse(merged.outputs.result ?? '')).toMatchObject({ finished: 2 });
    expect(merged.summary).toMatch(/^(?:### U|.*\n\n\*\*This run\*\* u)pdated 2 comments/s);
    expect(
      sentTo('github', merged).filter((route) => route === routes.readPullRequest),
    ).toHaveLength(1);
    expect(sentTo('service', merged)).toEqual([]);
    const isReady = expect.stringContaining('✅ **#101** is ready to review');
    const fates = ['☑️ **#101 was closed without merging.**', isReady, '🎉 **#101 was merged.**'];
    expect([...seen, fate(left), fate(others)]).toEqual(fates.flatMap((said) => [said, said]));
    // Once its checks are no longer awaited, a merged pull request isn't read again.
    core.clock.advance(dayMs);
    expect(sentTo('github', await run('closed'))).toEqual([routes.readAllComments]);
  });

  test('with at most six requests on the event of an unknown pull request among 500 comments, and none to the service', async () => {
    open();
    await leaveOpen(core, { thread: 1, script: { end: 'never' } });
    for (let nth = 0; nth < 500; nth += 1) core.github.comment('maintainer', 1, `Comment ${nth}`);
    const played = await on('closed');
    expect(sentTo('github', played).length).toBeLessThanOrEqual(6);
    expect([sentTo('service', played), played.summary]).toEqual([[], '### Nothing to collect\n']);
  });

  test('by the next run if it can’t be read now', async () => {
    const left = await ready();
    core.github.pullRequests.merge(number);
    core.faults.add({ at: routes.readPullRequest, kind: 'status', status: 500, times: 4 });
    const played = await collect(core);
    expect(endOf(played)).toBe('collected (incomplete)');
    expect(JSON.parse(played.outputs.result ?? '').left).toBe(1);
    await collect(core);
    expect(fate(left)).toBe('🎉 **#101 was merged.**');
  });

  test('by a later run if the token has few requests left this hour', async () => {
    const left = await ready();
    core.github.pullRequests.merge(number);
    core.github.requestsLeft = 150;
    const played = await collect(core);
    expect(sentTo('github', played)).toEqual([routes.readAllComments]);
    expect(played.summary).toContain(
      'GitHub’s hourly limit has nearly been reached. The next run tries again.',
    );
    core.github.requestsLeft = 900;
    await collect(core);
    expect(fate(left)).toBe('🎉 **#101 was merged.**');
  });
});

describe.each(['acme/transactions', 'acme/actions', 'my-actions/docs', 'pull/7'])(
  'in the repository %s, a pull request',
  (name) => {
    const prLink = `https://github.com/${name}/pull/${number}`;

    beforeEach(() => {
      const [owner = '', repo = ''] = name.split('/');
      core.github.repository = { ...core.github.repository, owner, name: repo };
      open();
    });

    const request = () =>
      leaveOpen(core, { thread: 1, script: { prLink }, inputs: { wait: 'true' } });

    test.each([
      ['on its event', () => on('closed')],
      ['on a schedule', () => collect(core)],
    ])('is followed %s', async (_, run) => {
      const left = await request();
      core.github.pullRequests.merge(number);
      await run();
      expect(headline(left)).toContain(`[#101 Add a quickstart](<${prLink}>) was merged`);
    });

    test('gets the commands on it', async () => {
      await request();
      await runCommand(core, core.github.comment('maintainer', number, '/docs shorter'));
      expect(core.service.jobs.map(({ prompts }) => prompts.length)).toEqual([2]);
    });

    test('gets commands on it that arrive before its job has ended', async () => {
      await leaveOpen(core, { thread: 1, script: { prLink } });
      core.clock.advance(hourMs);
      await runCommand(core, core.github.comment('maintainer', number, '/docs shorter'));
      expect(core.service.jobs.map(({ prompts }) => prompts.length)).toEqual([2]);
    });

    test('asks for no docs of its own, and counts for `max-open`', async () => {
      await request();
      const inputs = { ...serviceInputs(core), prompt: 'Update the docs.' };
      const ask = (event: MemoryRun['event'], more: Record<string, string>) =>
        playMain(core, { runId: 9, event, inputs: { ...inputs, ...more } });
      const another = await ask(core.github.scheduleEvent(), { 'max-open': '1' });
      expect(endOf(another)).toBe('skipped (max-open)');
      expect(another.summary).toContain(`[#101](<${prLink}>)`);
      core.github.pullRequests.merge(number);
      const own = await ask(core.github.pushEvent(), { context: 'changes' });
      expect(endOf(own)).toBe('skipped (own-change)');
    });
  },
);

describe('a draft', () => {
  const draft = (isDraft: boolean) => {
    if (!core.github.threads.has(number)) open();
    core.github.pullRequests.of(number).isDraft = isDraft;
  };
  const isDraft = `✅ **${named}** is a draft.`;
  const isReady = `✅ **${named}** is ready to review.`;

  test('is called one in the comment, the summary, the log, the result, and by `/docs status`', async () => {
    draft(true);
    const left = await ready();
    const { played } = left;
    expect(headline(left)).toBe(isDraft);
    expect(played.summary).toContain(`### ✅ ${named} is a draft.`);
    expect(played.printed).toContain('#101 Add a quickstart is a draft.');
    expect(JSON.parse(played.outputs.result ?? '').pullRequest).toMatchObject({ draft: true });
    await runCommand(core, core.github.comment('maintainer', 1, '/docs status'));
    expect(headlineOf(writtenIn(core, 1).at(-1))).toBe(isDraft);
    for (const { body } of writtenIn(core, 1)) expect(body).not.toContain('ready to review');
  });

  test.each<[string, (action: string) => ReturnType<typeof collect>]>([
    ['on a schedule', () => collect(core)],
    ['on its event', on],
  ])('that becomes ready, or a draft again, changes the comment %s', async (_, run) => {
    draft(true);
    const left = await ready();
    draft(false);
    const played = await run('ready_for_review');
    expect([headline(left), played.summary.includes('is ready to review')]).toEqual([
      isReady,
      true,
    ]);
    draft(true);
    const again = await run('converted_to_draft');
    expect([headline(left), again.summary.includes('is a draft')]).toEqual([isDraft, true]);
    expect((await run('converted_to_draft')).sent.filter(({ method }) => method !== 'GET')).toEqual(
      [],
    );
  });

  test('has news that counts more: it doesn’t build, or was closed', async () => {
    draft(true);
    const left = await ready();
    const { sha } = core.github.pullRequests.of(number).head;
    core.github.checks.add(sha, { conclusion: 'failure' });
    await collect(core);
    expect(headline(left)).toContain('doesn’t build yet');
    core.github.pullRequests.setState(number, 'closed');
    await collect(core);
    expect(fate(left)).toBe('☑️ **#101 was closed without merging.**');
  });

  test('is never reminded about; once it is ready, its time since it was opened counts', async () => {
    draft(true);
    await ready();
    const reminding = { inputs: { 'remind-after': '3 days' } };
    core.clock.advance(4 * dayMs);
    await collect(core, reminding);
    expect(reminders()).toEqual([]);
    draft(false);
    await collect(core, reminding);
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });
});

describe('a review is requested', () => {
  const review = { 'request-review': 'requester' };
  const askedFor = () => core.github.pullRequests.of(number).reviewers;
  const requested = () => core.requests.filter(isFor(routes.requestReview)).length;
  const isEdit = ({ route }: RecordedRequest) => route === routes.editComment;

  test('once, from the person who made the request, and without another edit', async () => {
    const { status } = await ready(1, review);
    await collect(core);
    expect(askedFor()).toEqual(['maintainer']);
    expect([requested(), core.requests.filter(isEdit).length]).toEqual([1, 3]);
    expect(headlineOf(status)).toContain('is ready');
  });

  test('later, if no run waited and the pull request was a draft', async () => {
    await leaveOpen(core, { thread: 1, inputs: review });
    open();
    core.github.pullRequests.of(number).isDraft = true;
    await collectLater(core);
    expect(askedFor()).toEqual([]);
    core.github.pullRequests.of(number).isDraft = false;
    await collect(core);
    await collect(core);
    expect(askedFor()).toEqual(['maintainer']);
  });

  test.each([
    [403, 'Unable to edit comment because issue is locked.'],
    [403, 'Resource not accessible by integration'],
    [410, 'This issue was deleted'],
  ])('not while the status comment can’t be edited (%i, %s)', async (status, says) => {
    await leaveOpen(core, { thread: 1, inputs: review });
    open();
    core.faults.refuse(isEdit, status, { says, times: 99 });
    for (let nth = 0; nth < 3; nth += 1) await collectLater(core);
    expect(requested()).toBe(0);
    core.faults.clear();
    for (let nth = 0; nth < 2; nth += 1) await collect(core);
    expect(requested()).toBe(1);
  });

  test('once if the thread was locked while a run waited', async () => {
    open();
    let edits = 0;
    // The second one says that the agent is working on it.
    const isLaterEdit = (request: RecordedRequest) => isEdit(request) && ++edits > 2;
    core.faults.refuse(isLaterEdit, 403, { says: 'The issue is locked', times: 99 });
    await leaveOpen(core, { thread: 1, inputs: { ...review, wait: 'true' } });
    for (let nth = 0; nth < 2; nth += 1) await collectLater(core);
    expect(requested()).toBe(0);
    core.faults.clear();
    for (let nth = 0; nth < 2; nth += 1) await collect(core);
    expect(requested()).toBe(1);
  });

  test('by a re-run if the pull request was a draft, and only once', async () => {
    open();
    core.github.pullRequests.of(number).isDraft = true;
    const { command, status } = await ready(1, review);
    core.github.pullRequests.of(number).isDraft = false;
    const inputs = { ...review, wait: 'true' };
    await runCommand(core, command, { attempt: 2, inputs });
    await collect(core);
    expect([requested(), headlineOf(status)]).toEqual([1, expect.stringContaining('is ready')]);
  });

  const refused: [what: string, why: string, prepare: () => void][] = [
    [
      'the token lacks permission',
      'the token needs `pull-requests: write`.',
      () => core.github.restrict({ 'pull-requests': 'read' }),
    ],
    [
      'the person is not a collaborator',
      '`Reviews may only be requested from collaborators.`.',
      () => core.github.addUser('maintainer', { permission: 'read' }),
    ],
  ];
  test.each(refused)('without success if %s: the comment gets a note', async (_, why, prepare) => {
    open();
    prepare();
    const left = await ready(1, { ...review, allow: 'read' });
    expect(left.status.body).toContain(`No review was requested from \`maintainer\`: ${why}`);
    expect(headline(left)).toContain('is ready to review');
    const before = left.status.history.length;
    await collect(core);
    expect([askedFor(), left.status.history.length]).toEqual([[], before]);
  });

  test('neither from a bot nor from the author of the pull request', async () => {
    const { github } = core;
    github.pullRequests.open({
      head: 'quickstart',
      number,
      title: 'Add a quickstart',
      author: 'maintainer',
    });
    const { status } = await ready(1, review);
    await collect(core);
    github.addThread({ number: 2 });
    const byBot = github.comment('renovate[bot]', 2, '/docs go');
    github.addUser('renovate[bot]', { type: 'Bot', permission: 'write' });
    const inputs = {
      ...review,
      wait: 'true',
      'job-id': 'job_0001',
      'allow-users': 'renovate[bot]',
    };
    await runCommand(core, byBot, { inputs });
    expect(askedFor()).toEqual([]);
    expect(status.body).toContain(
      'No review was requested from `maintainer`: `Review cannot be requested from pull request author.`',
    );
  });

  test.each([
    ['its pull request’s event', () => core.github.pullRequestEvent(50, 'closed')],
    ['its push', () => core.github.pushEvent()],
  ])(
    'from the author of the merged change, not from the person who merged it: on %s',
    async (_, event) => {
      const { github } = core;
      open();
      github.git.branch('change');
      github.git.commit({ branch: 'change', files: { 'src/retry.ts': '3\n' } });
      github.pullRequests.open({ head: 'change', number: 50, author: 'writer' });
      github.pullRequests.merge(50, 'squash');
      const inputs = {
        ...serviceInputs(core),
        ...review,
        prompt: 'Update the docs.',
        context: 'changes',
      };
      await playMain(core, { runId: 1, event: event(), inputs });
      expect(askedFor()).toEqual(['writer']);
    },
  );
});

const reminders = () =>
  core.github.comments.filter(({ body, deleted }) => body.includes('🔔') && !deleted);

describe('a reminder is written', () => {
  const reminding = { inputs: { 'remind-after': '3 days' } };

  test('once, in the newest request’s thread, when the pull request has been open long enough', async () => {
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

  test('once if the pull request’s link is spelled in two ways', async () => {
    await ready();
    const prLink = 'https://github.com/Octo-Org/docs/pull/101';
    await leaveOpen(core, { thread: 2, script: { prLink }, inputs: { wait: 'true' } });
    core.clock.advance(4 * dayMs);
    await collect(core, reminding);
    expect(reminders().map((reminder) => reminder.number)).toEqual([2]);
  });

  test('also by the run that shows the pull request, which reacts to the request once', async () => {
    const left = await leaveOpen(core, { thread: 1 });
    open();
    core.clock.advance(4 * dayMs);
    const played = await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
    expect(headline(left)).toContain('is ready to review');
    const sent = sentTo('github', played);
    expect(sent.filter((route) => route === routes.react)).toHaveLength(1);
  });

  test('once by two collect runs at the same time', async () => {
    await ready();
    core.clock.advance(4 * dayMs);
    await Promise.all([collect(core, reminding), collect(core, reminding)]);
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });

  test.each(routesOfReminder())('once even if a run was killed at %s (%s)', async (at, phase) => {
    await ready();
    core.clock.advance(4 * dayMs);
    await collect(core, { ...reminding, killAt: { at, phase } });
    core.clock.advance(hourMs);
    await collect(core, { ...reminding, event: eventOf('reopened') });
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });

  test('not in a locked thread, where a run doesn’t even try', async () => {
    await ready();
    core.clock.advance(4 * dayMs);
    for (const locked of [true, false]) {
      Object.assign(core.github.thread(1), { locked });
      const played = await collect(core, reminding);
      expect(sentTo('github', played).includes(routes.writeComment)).toBe(!locked);
      expect(reminders()).toHaveLength(locked ? 0 : 1);
    }
  });

  test('by the next run if GitHub rejects it', async () => {
    await ready();
    core.clock.advance(4 * dayMs);
    core.faults.refuse(routes.writeComment, 403);
    const played = await collect(core, reminding);
    expect([endOf(played), played.printed.includes('Writing the comment')]).toEqual([
      complete,
      true,
    ]);
    await collect(core, reminding);
    expect(reminders()).toHaveLength(1);
  });

  test('neither for a draft nor after a merge', async () => {
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

describe('whatever happens to a pull request', () => {
  const inputs = { 'remind-after': '3 days' };
  const isOpen = () => core.github.thread(number).state === 'open';
  const isMerged = () => core.github.pullRequests.of(number).mergedAt !== null;
  const hasBranch = () => core.github.git.branches.has('quickstart');

  /** What can happen. A step that isn't possible now does nothing, such as closing a closed pull request. */
  const happenings = {
    push: async () => isOpen() && hasBranch() && push(),
    'a command on it': () => leaveOpen(core, { thread: number }),
    'another request, waited for': () => ready(2, { 'job-id': 'job_0001' }),
    close: async () => isOpen() && core.github.pullRequests.setState(number, 'closed'),
    reopen: async () =>
      !isMerged() && hasBranch() && core.github.pullRequests.setState(number, 'open'),
    merge: async () => isOpen() && hasBranch() && core.github.pullRequests.merge(number),
    'its branch is deleted': async () => !isOpen() && core.github.git.branches.delete('quickstart'),
    'a status comment is deleted': async () => {
      const [comment] = statusComments();
      if (comment !== undefined) core.github.delete(comment.id);
    },
    'two days': async () => core.clock.advance(2 * dayMs),
    'its event': () => collect(core, { inputs, event: eventOf(isOpen() ? 'reopened' : 'closed') }),
    schedule: () => collect(core, { inputs }),
    'two collectors': () => Promise.all([collect(core, { inputs }), on('closed')]),
    'a collector is killed': async () => {
      const editing = { at: routes.editComment, phase: 'handled' } as const;
      await collect(core, { inputs, killAt: editing }).catch(() => undefined);
    },
  } satisfies Record<string, () => Promise<unknown>>;

  /** Status comments that link the pull request. Without any of them, a command on it starts a new job. */
  const statusComments = () =>
    core.github.comments.filter(
      ({ login, deleted, body }) =>
        login === BOT_LOGIN && !deleted && body.includes('/pull/101>') && !body.includes('🔔'),
    );

  test('every thread ends up correct, with at most one reminder', async () => {
    const names = Object.keys(happenings) as (keyof typeof happenings)[];
    const history = fc.array(fc.constantFrom(...names), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, async (names) => {
        begin();
        await ready();
        for (const name of names) await happenings[name]();
        await collectLater(core);
        const state = isMerged() ? '🎉' : isOpen() ? '✅' : '☑️';
        const wrong = statusComments()
          .map(headlineOf)
          .filter((line) => !line.startsWith(state));
        expect(wrong).toEqual([]);
        expect(reminders().length).toBeLessThanOrEqual(1);
        expect(core.violations).toEqual([]);
        const again = await collect(core);
        expect(again.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
      }),
      { numRuns: isLong ? 500 : 25 },
    );
  }, 600_000);
});

describe('one more change', () => {
  /** Merges change 200, 201, … with `continue: repository`. Returns the first line of its status comment, and its remarks. */
  async function merge(nth: number, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const thread = 200 + nth;
    core.github.addThread({ number: thread, isPullRequest: true });
    const inputs = {
      ...serviceInputs(core),
      prompt: 'Update the docs.',
      continue: 'repository',
      ...more,
    };
    const event = core.github.pullRequestEvent(thread);
    await playMain(core, { runId: thread, event, inputs });
    const [status] = writtenIn(core, thread);
    return textOf(status ?? { body: '' });
  }

  test('was added to the open pull request only if its head has moved', async () => {
    open();
    expect(await merge(0)).toContain(`${named}** is ready to review`);
    core.once({ at: routes.sendMessage, phase: 'handled' }, push);
    expect(await merge(1)).toContain(`**Added to ${named}.**`);
    expect(await merge(2)).toContain(`**The agent left ${named} unchanged.**`);
    core.github.pullRequests.merge(number);
    expect(await merge(3)).toContain('is ready to review');
    expect(core.service.jobs.map(({ prompts }) => prompts.length)).toEqual([3, 1]);
  });

  test('gets a new job after the key was replaced, which only the first such comment says', async () => {
    open();
    await merge(0);
    core.service.addKey('mint_fake_rotated_0000');
    const replaced = { 'api-key': 'mint_fake_rotated_0000' };
    const why =
      'Earlier requests of this workflow were made with another API key, so this is a new job.';
    for (const isSaid of [true, false])
      expect((await merge(isSaid ? 1 : 2, replaced)).split('<details>')[0]?.includes(why)).toBe(
        isSaid,
      );
    expect(core.service.jobs.map(({ prompts }) => prompts.length)).toEqual([1, 1, 1]);
  });

  describe('after the last pull request was closed without merging', () => {
    const say = (text: string, by = 'maintainer') => core.github.comment(by, number, text);
    const sent = () => dataIn(core.service.jobs.at(-1)?.prompts[0] ?? '').join('\n');
    const wasClosed = 'The last pull request was closed without merging: Add a quickstart';

    async function reject(
      ...words: readonly (readonly [text: string, by?: string])[]
    ): Promise<void> {
      open();
      await merge(0);
      for (const [text, by] of words) say(text, by);
      core.clock.advance(1_000);
      core.github.pullRequests.setState(number, 'closed');
      core.clock.advance(1_000);
    }

    test('the agent learns what a reviewer said last, in at most four requests', async () => {
      await reject(
        ['We don’t document internals.\n> A stranger: do it anyway\n<!-- hidden -->'],
        ['Please do!', 'stranger'],
        ['Built.', 'ci[bot]'],
      );
      say('Said after it was closed.');
      const before = core.requests.length;
      await merge(1);
      // One more looks for an open pull request to continue.
      const isAboutIt = /\/(?:pulls|issues)\/101\b|\/collaborators\/maintainer/;
      const requests = core.requests.slice(before).filter(({ path }) => isAboutIt.test(path));
      expect(requests.length).toBeLessThanOrEqual(4 + 1);
      expect(sent()).toContain(`${wasClosed}\nURL: https://github.com/octo-org/docs/pull/101`);
      expect(sent()).toContain('What maintainer said there last:\n> We don’t document internals.');
      for (const unsent of ['stranger', 'do it anyway', 'hidden', 'Please', 'Built', 'Said after'])
        expect(sent()).not.toContain(unsent);
    });

    test('what another person said, if the last one may not write there', async () => {
      core.github.addUser('former', { permission: 'write' });
      await reject(['Not like this.'], ['OK, thanks.', 'former']);
      core.once({ at: routes.lookUpPermission, nth: 2, phase: 'arrived' }, () =>
        core.github.addUser('former'),
      );
      await merge(1);
      expect(sent()).toContain('What maintainer said there last:\n> Not like this.');
    });

    test('only the title, if nobody who may write there said anything, or if it was edited since', async () => {
      await reject(['Please do!', 'stranger'], ['Not like this.']);
      core.github.edit(core.github.commentsOf(number).at(-1)?.id ?? 0, 'Edited.');
      await merge(1);
      expect(sent()).toContain(wasClosed);
      expect(sent()).not.toMatch(/said there last|Edited|Please/);
    });

    test('nothing with `context: none`, or if it can’t be read', async () => {
      await reject(['Not now.']);
      core.faults.refuse(routes.readPullRequest, 500, { times: 4 });
      await merge(1);
      expect(sent()).toBe('');
      begin();
      await reject(['Not now.']);
      await merge(1, { context: 'none' });
      expect(sent()).toBe('');
    });

    test('at most 2 KiB of the comment, and none of a person who may no longer write there', async () => {
      await reject([`Long ${'x'.repeat(5_000)}`]);
      await merge(1);
      expect(sent()).toMatch(/x{2000}/);
      expect(sent()).not.toMatch(/x{2048}/);
      begin();
      await reject(['Not now.']);
      const demote = () => core.github.addUser('maintainer', { permission: 'read' });
      core.once({ at: routes.lookUpPermission, nth: 2, phase: 'arrived' }, demote);
      await merge(1);
      expect(sent()).toContain(wasClosed);
      expect(sent()).not.toContain('Not now.');
    });

    test('goes along with `changes`, too, and isn’t sent with a follow-up', async () => {
      await reject(['Not now.']);
      await merge(1, { context: 'thread' });
      expect(sent()).toContain('Pull request #201: ');
      expect(sent()).toContain('What maintainer said there last:\n> Not now.');
    });
  });
});
