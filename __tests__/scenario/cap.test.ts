import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import { playMain } from '../support/in-process/play.ts';
import { isLong } from '../support/long.ts';
import { textOf, writtenIn } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { collect, leaveOpen, runCommand } from '../support/scenarios/left-open.ts';
import { serviceInputs } from '../support/usual.ts';

/* The cap `max-jobs`, and the ledger: what requests may cost, and what they led to. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let core: InMemorySimulator;
beforeEach(begin);

function begin(): void {
  core = createInMemorySimulator();
  core.github.addThread({ number: 1 });
}

const sent = () => core.service.jobs.flatMap(({ prompts }) => prompts).length;
const comment = (text: string, login = 'maintainer') => core.github.comment(login, 1, text);
const say = (text: string, cap: string, run: object = {}) =>
  runCommand(core, comment(text), { ...run, inputs: { 'max-jobs': cap } });
const lastReply = () => textOf(core.github.commentsOf(1).at(-1) ?? { body: '' });
const [capped, delivered] = ['denied (max-jobs)', 'detached (not-waited)'];
const sentIn = async (...plays: readonly (() => Promise<Played>)[]) => {
  const ends: string[] = [];
  for (const play of plays) ends.push(endOf(await play()));
  return ends;
};

describe('at the cap', () => {
  test('nothing is sent, and the reply says when the next one can be sent', async () => {
    await say('/docs one', '2 per day');
    core.clock.advance(hourMs);
    await say('/docs two', '2 per day');
    const command = comment('/docs three');
    const played = await runCommand(core, command, { inputs: { 'max-jobs': '2 per day' } });
    expect([endOf(played), played.exitCode, sent()]).toEqual([capped, 0, 2]);
    expect(lastReply().split('\n')[0]).toBe(
      '⚠️ **The cap of 2 requests a day has been reached.** Nothing was sent.',
    );
    expect(lastReply()).toMatch(
      /\n\nThe next request can be sent on \w+ \d+, \d\d:\d\d UTC\. Sent in the last 24 hours: 2\. `max-jobs` sets the cap\.\n/,
    );
    expect(command.reactions.map(({ content }) => content)).toEqual(['eyes', 'confused']);
    // The first request was sent an hour before the second one.
    core.clock.advance(23 * hourMs);
    const again = await runCommand(core, command, {
      attempt: 2,
      inputs: { 'max-jobs': '2 per day' },
    });
    expect([endOf(again), sent()]).toEqual([delivered, 3]);
    expect(core.github.commentsOf(1).filter(({ body }) => body.includes('The cap of'))).toEqual([]);
    expect(await sentIn(() => say('/docs four', '2 per day'))).toEqual([capped]);
  });

  test.each([
    [
      'the token can’t write',
      () => core.github.restrict({ issues: 'read' }),
      'Add `issues: write`',
    ],
    [
      'the thread is locked',
      () => Object.assign(core.github.thread(1), { locked: true }),
      'Unlock it',
    ],
  ])(
    'if %s, nothing is sent, because it couldn’t be counted later',
    async (_, restrict, remedy) => {
      restrict();
      for (let nth = 1; nth <= 3; nth += 1) {
        const played = await say('/docs go', '2 per day');
        expect([endOf(played), played.exitCode, sent()]).toEqual(['denied (unrecorded)', 0, 0]);
        expect(played.summary).toContain(
          '`max-jobs` counts status comments, and this run can’t write one here',
        );
        expect(played.summary).toContain(remedy);
        // One cause gets one warning, and nothing says that the status comment is fine.
        expect(played.printed.match(/^warning: /gm)).toHaveLength(1);
      }
      const inputs = {
        ...serviceInputs(core),
        prompt: 'Update the docs.',
        thread: '1',
        'max-jobs': '2 per day',
      };
      const event = core.github.workflowDispatchEvent();
      const merged = await playMain(core, { runId: 5, event, inputs });
      expect([endOf(merged), merged.exitCode, sent()]).toEqual(['skipped (unrecorded)', 0, 0]);
      expect(merged.summary).toContain(remedy);
      // Without a cap, or without a thread, it is sent.
      expect(endOf(await runCommand(core, comment('/docs go')))).toBe(delivered);
      const scheduled = { ...inputs, thread: 'none', wait: 'false' };
      expect(endOf(await playMain(core, { runId: 6, event, inputs: scheduled }))).toBe(delivered);
    },
  );

  test.each([404, 410, 422])(
    'if GitHub refuses the comment with %i, nothing is sent',
    async (status) => {
      core.faults.refuse(routes.writeComment, status, { times: 2 });
      const command = comment('/docs go');
      const played = await runCommand(core, command, { inputs: { 'max-jobs': '2 per day' } });
      expect([endOf(played), played.exitCode, sent()]).toEqual(['denied (unrecorded)', 0, 0]);
      expect(played.printed).toContain(`Simulated refusal ${status}`);
      // Without a cap, the refusal is an error.
      expect(endOf(await runCommand(core, comment('/docs go')))).toBe('failed (github-error)');
      expect(endOf(await runCommand(core, command, { attempt: 2 }))).toBe(delivered);
    },
  );

  test('a re-run in a locked thread doesn’t deny that its first attempt sent the request', async () => {
    const command = comment('/docs go');
    Object.assign(core.github.thread(1), { locked: true });
    const played = await runCommand(core, command, {
      attempt: 2,
      inputs: { 'max-jobs': '2 per day' },
    });
    expect([endOf(played), sent()]).toEqual(['skipped (locked)', 0]);
    expect(played.summary).not.toContain('can’t write one here');
  });

  test('a merge is skipped without a comment, and the summary says why', async () => {
    await say('/docs one', '1 per week');
    const inputs = {
      ...serviceInputs(core),
      prompt: 'Update the docs.',
      thread: '1',
      'max-jobs': '1 per week',
    };
    const before = core.github.comments.length;
    const played = await playMain(core, {
      runId: 5,
      event: core.github.workflowDispatchEvent(),
      inputs,
    });
    expect(endOf(played)).toBe('skipped (max-jobs)');
    expect(played.summary).toContain(
      '### ☑️ Nothing was sent\n\nThe cap of 1 request a week has been reached. The next',
    );
    expect([core.github.comments.length, sent()]).toEqual([before, 1]);
  });

  const refused = () => {
    core.faults.refuse(routes.createJob, 429, { retryAfter: 9_999 });
    return runCommand(core, comment('/docs --new x'));
  };
  const copied = async () => {
    for (const { body } of core.github.commentsOf(1)) core.github.comment('stranger', 1, body);
  };
  const run = (options: object) => runCommand(core, comment('/docs x'), options);
  test.each<[string, string, () => Promise<unknown>]>([
    ['follow-ups', capped, () => say('/docs more', '9 per day')],
    ['requests of other workflows', capped, () => leaveOpen(core, { thread: 2 })],
    ['killed requests', capped, () => run({ killAt: { at: routes.createJob, phase: 'arrived' } })],
    ['no dry runs', delivered, () => run({ inputs: { 'dry-run': 'true' } })],
    ['no requests that the service refused', delivered, refused],
    ['no answers', delivered, () => say('/docs help', '9 per day')],
    ['no strangers', delivered, () => runCommand(core, comment('/docs x', 'stranger'))],
    ['no copies by strangers', delivered, copied],
  ])('%s count', async (_, end, act) => {
    await say('/docs one', '9 per day');
    await act();
    expect(await sentIn(() => say('/docs --new last', '2 per day'))).toEqual([end]);
  });

  test('a dry run, a re-run, and legs of one matrix say so, too, but don’t count themselves', async () => {
    const inputs = { 'max-jobs': '1 per day' };
    const command = comment('/docs one');
    const legs = [1, 2, 3].map(() => runCommand(core, command, { inputs }));
    expect((await Promise.all(legs)).map(endOf)).not.toContain(capped);
    const dry = await runCommand(core, comment('/docs two'), {
      inputs: { ...inputs, 'dry-run': 'true' },
    });
    expect(dry.summary).toContain(
      'would send nothing to the agent: The cap of 1 request a day has been reached. The next',
    );
    const again = comment('/docs three');
    for (const attempt of [1, 2])
      expect(endOf(await runCommand(core, again, { attempt, inputs }))).toBe(capped);
    expect(lastReply()).toContain('has been reached.** Nothing was sent.\n');
    expect(sent()).toBe(1);
  });

  test('a re-run of a failed job isn’t stopped, but counts', async () => {
    core.service.script({ end: 'failed' });
    const command = comment('/docs one');
    const inputs = { 'max-jobs': '2 per day', wait: 'true' };
    for (const attempt of [1, 2, 3]) await runCommand(core, command, { attempt, inputs });
    expect(sent()).toBe(3);
    expect(await sentIn(() => say('/docs --new two', '3 per day'))).toEqual([capped]);
    expect(await sentIn(() => say('/docs --new three', '4 per day'))).toEqual([delivered]);
  });

  test('a re-run that was canceled before it sent anything doesn’t make the cap forget the first attempt', async () => {
    core.service.scriptNext({ end: 'failed' });
    const inputs = { 'max-jobs': '2 per day', wait: 'true' };
    const command = comment('/docs --new one');
    await runCommand(core, command, { inputs });
    const cancelAt = { at: routes.writeComment, phase: 'handled' } as const;
    await runCommand(core, command, { attempt: 2, inputs, cancelAt });
    await runCommand(core, command, { attempt: 3, inputs });
    expect(sent()).toBe(2);
    expect(await sentIn(() => say('/docs --new two', '2 per day'))).toEqual([capped]);
  });

  test.each([
    ['its claim', routes.writeComment, [capped, delivered]],
    ['it may have been sent', routes.createJob, [capped, capped]],
  ] as const)(
    'a run that is lost after %s counts for an hour, or for good',
    async (_, at, ends) => {
      const killAt = { at, phase: 'handled' } as const;
      await runCommand(core, comment('/docs one'), { inputs: { 'max-jobs': '1 per day' }, killAt });
      core.clock.advance(hourMs - 60_000);
      const sentEarly = await sentIn(() => say('/docs --new two', '1 per day'));
      core.clock.advance(60_000);
      const sentLater = await sentIn(() => say('/docs --new three', '1 per day'));
      expect([...sentEarly, ...sentLater]).toEqual(ends);
    },
  );

  test('above a lower cap, the next one can be sent at the time that the reply names', async () => {
    for (const words of ['/docs one', '/docs two', '/docs three']) {
      await say(words, '9 per day');
      core.clock.advance(hourMs);
    }
    expect(await sentIn(() => say('/docs four', '1 per day'))).toEqual([capped]);
    const [, day, time] = /can be sent on (\w+ \d+), (\d\d:\d\d UTC)\./.exec(lastReply()) ?? [];
    const nowMs = core.clock.now();
    const year = new Date(nowMs).getUTCFullYear();
    core.clock.advance(Date.parse(`${day} ${year} ${time}`) - nowMs);
    expect(await sentIn(() => say('/docs five', '1 per day'))).toEqual([delivered]);
  });

  test('nothing is sent if the requests can’t be counted', async () => {
    core.faults.refuse(routes.readAllComments, 451, {
      times: 1,
      says: 'Repository access blocked',
    });
    expect(await sentIn(() => say('/docs one', '9 per day'))).toEqual(['failed (github-error)']);
    expect(lastReply()).toContain('Repository access blocked');
    for (let nth = 0; nth < 3_000; nth += 1) core.github.comment('stranger', 1, `${nth}`);
    expect(await sentIn(() => say('/docs two', '9 per month'))).toEqual([capped]);
    expect(lastReply()).toContain(
      'There are too many comments to count the requests of the last month for `max-jobs`.',
    );
    expect(sent()).toBe(0);
  });
});

test('counting costs one request per 100 comments, and nothing without a cap', async () => {
  for (let nth = 0; nth < 250; nth += 1) core.github.comment('stranger', 1, `${nth}`);
  const reads = () => core.requests.filter(({ route }) => route === routes.readAllComments).length;
  await leaveOpen(core, { thread: 1 });
  expect(reads()).toBe(0);
  await say('/docs more', '9 per day');
  expect(reads()).toBe(3);
});

test('a dry run says how many requests are left', async () => {
  await say('/docs one', '5 per week');
  const inputs = { 'dry-run': 'true', 'max-jobs': '5 per week' };
  const { summary } = await runCommand(core, comment('/docs two'), { inputs });
  expect(summary).toContain('`max-jobs`: 4 of 5 requests per week are left.');
});

describe('with `max-open`', () => {
  const merged = (inputs: Record<string, string>) => {
    const usual = {
      ...serviceInputs(core),
      prompt: 'Update the docs.',
      thread: '1',
      wait: 'false',
    };
    const event = core.github.workflowDispatchEvent();
    return playMain(core, { runId: core.requests.length, event, inputs: { ...usual, ...inputs } });
  };
  const [limit, skipped] = [{ 'max-open': '2' }, 'skipped (max-open)'];

  /** Two requests whose pull requests are open. */
  async function openTwo(inputs = {}): Promise<void> {
    for (const nth of [1, 2]) {
      await merged({ prompt: `Update page ${nth}.`, wait: 'true', ...inputs });
      openPulls();
    }
  }

  test('a prompt that would start a new job is skipped while so many pull requests are open', async () => {
    await openTwo(limit);
    const before = core.github.comments.length;
    const played = await merged(limit);
    expect([endOf(played), played.exitCode, sent()]).toEqual([skipped, 0, 2]);
    expect(core.github.comments).toHaveLength(before);
    const [first, second] = [101, 102].map(
      (n) => `[#${n}](<https://github.com/octo-org/docs/pull/${n}>)`,
    );
    expect(played.summary).toBe(
      `### ☑️ Nothing was sent\n\nThe agent has 2 open pull requests, as many as \`max-open\` allows: ${second}, ${first}. Merge or close one, and re-run the workflow.\n`,
    );
    const dry = await merged({ ...limit, 'dry-run': 'true' });
    expect(dry.summary).toContain(
      'would send nothing to the agent: The agent has 2 open pull requests',
    );
    core.github.pullRequests.setState(101, 'closed');
    expect(endOf(await merged(limit))).toBe(delivered);
  });

  test('commands and follow-ups are never stopped', async () => {
    await openTwo({ continue: 'repository', 'max-open': '1' });
    // The second one was a follow-up.
    expect([core.service.jobs.length, sent()]).toEqual([1, 2]);
    const one = { 'max-open': '1' };
    const named = { ...one, 'job-id': core.service.jobs[0]?.id ?? '' };
    expect(
      await sentIn(
        () => merged(one),
        () => merged(named),
      ),
    ).toEqual([skipped, delivered]);
    const command = comment('/docs --new x');
    expect(endOf(await runCommand(core, command, { inputs: one }))).toBe(delivered);
  });

  test.each([
    ['the newest open pull request’s', { continue: 'repository' }],
    ['one that the inputs name', { 'job-id': 'job_0001' }],
  ])('a follow-up to a job is never stopped: %s', async (_, inputs) => {
    await openTwo({ continue: 'repository' });
    expect(endOf(await merged({ 'max-open': '1', ...inputs }))).toBe(delivered);
  });

  test('a pull request that the token can’t see isn’t counted, and the summary says so', async () => {
    await openTwo();
    core.faults.refuse(routes.readPullRequest, 404, { times: 2 });
    const played = await merged({ ...limit, wait: 'true' });
    expect(endOf(played)).toBe('pr-created (pull-request)');
    expect(played.summary).toContain('`max-open` didn’t count [this pull request]');
  });

  test('nothing is sent if the pull requests can’t be counted', async () => {
    await openTwo();
    core.faults.refuse(routes.readPullRequest, 451, { times: 1 });
    const played = await merged(limit);
    expect([endOf(played), sent()]).toEqual(['failed (github-error)', 2]);
    expect(played.printed).toContain('The open pull requests couldn’t be counted for `max-open`');
  });
});

describe('the ledger', () => {
  test('says what the requests of the last days led to', async () => {
    expect((await collect(core)).summary).toBe('### Nothing to collect\n');
    core.github.addUser('writer', { permission: 'write' });
    const number = openAgentsPullRequest(core.github);
    const wait = { inputs: { wait: 'true' } };
    await leaveOpen(core, { thread: 1, ...wait });
    await runCommand(core, comment('/docs more', 'writer'), wait);
    core.service.script({ end: 'failed' });
    await runCommand(core, comment('/docs --new x', 'writer'), wait);
    core.clock.advance(2 * dayMs);
    const { sha } = core.github.pullRequests.merge(number);
    core.github.checks.add(sha);
    const { summary, outputs } = await collect(core);
    expect(JSON.parse(outputs.result ?? '').ledger).toMatchObject({
      ...{ requests: 3, people: 2, failures: { 'job-failed': 1 } },
      results: { merged: 2, waiting: 0, closed: 0, noPullRequest: 0, running: 0, unconfirmed: 0 },
      pullRequests: { all: 1, merged: 1, published: 1, open: 0, closed: 0 },
    });
    expect(summary.split('\n\n').slice(0, 4)).toMatchSnapshot();
    core.clock.advance(30 * dayMs);
    expect((await collect(core)).summary).toBe('### Nothing to collect\n');
  });

  test('doesn’t say how many are merged of those that it can’t see', async () => {
    await leaveOpen(core, { thread: 1, inputs: { wait: 'true' } });
    const { summary } = await collect(core);
    expect(summary).toContain('### 1 request became 1 pull request\n');
    expect(summary).toContain(
      '1 pull request couldn’t be read, so the table counts it as waiting for review.',
    );
  });
});

const linked = () => core.service.jobs.map((_, index) => 101 + index);

/** Opens the pull requests of new jobs, as the agent does. */
function openPulls(): void {
  for (const number of linked())
    if (!core.github.threads.has(number)) openAgentsPullRequest(core.github, number);
}

function mergeOne(): void {
  const { pullRequests } = core.github;
  const open = linked().find((number) => pullRequests.of(number).mergedAt === null);
  if (open !== undefined) pullRequests.merge(open);
}

/** The pull requests to which status comments link, by state. */
function shownPulls() {
  const { github } = core;
  const texts = writtenIn(core, 1).map(textOf);
  const named = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/octo-org\/docs\/pull\/(\d+)>/g)].map(([, n]) => Number(n)),
    ),
  );
  const seen = [...named].filter((number) => github.threads.has(number));
  const merged = seen.filter((number) => github.pullRequests.of(number).mergedAt !== null).length;
  return { merged, open: seen.length - merged };
}

/* Generated histories. What was sent is counted by the simulated service. */

const often = ['ask', 'hour'] as const;
const once = ['more', 'fail', 'rerun', 'kill', 'collect', 'copy', 'both', 'merge'] as const;

test('in generated histories, the cap holds up to what is documented, and the ledger counts what was sent', async () => {
  const history = fc.array(fc.constantFrom(...often, ...often, ...once), {
    minLength: 8,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 4 }), async (all, most) => {
      begin();
      const cap = `${most} per day`;
      const times: number[] = [];
      /** The requests that were sent; one that was sent again is the same. */
      const asked = new Set<number>();
      let extra = 0;
      let last = { command: comment('/docs first'), attempt: 1 };
      for (const act of all) {
        const before = sent();
        const isRerun = act === 'rerun';
        if (act === 'hour') core.clock.advance(5 * hourMs);
        else if (act === 'merge') mergeOne();
        else if (act === 'collect') await collect(core);
        else if (act === 'copy')
          core.github.comment('stranger', 1, core.github.comments.at(-1)?.body ?? '');
        else if (act === 'both')
          await Promise.all([say('/docs --new a', cap), say('/docs --new b', cap)]);
        else {
          if (act === 'fail') core.service.scriptNext({ end: 'failed' });
          last = isRerun
            ? { ...last, attempt: last.attempt + 1 }
            : { command: comment(act === 'more' ? '/docs more' : '/docs --new x'), attempt: 1 };
          const killAt =
            act === 'kill' ? ({ at: routes.createJob, phase: 'handled' } as const) : undefined;
          const inputs = { 'max-jobs': cap, wait: act === 'fail' || isRerun ? 'true' : 'false' };
          await runCommand(core, last.command, {
            attempt: last.attempt,
            inputs,
            ...(killAt && { killAt }),
          });
        }
        openPulls();
        for (let nth = before; nth < sent(); nth += 1) {
          times.push(core.clock.now());
          asked.add(act === 'both' ? -nth : last.command.id);
        }
        // A re-run is never stopped, and two runs at once may send one request more.
        if (isRerun) extra += sent() - before;
        if (act === 'both') extra += 1;
        const recent = times.filter((at) => at > core.clock.now() - dayMs).length;
        expect(recent).toBeLessThanOrEqual(most + extra);
      }
      core.clock.advance(hourMs);
      const { outputs } = await collect(core);
      const { ledger } = JSON.parse(outputs.result ?? '');
      const { requests, results = {}, failures = {} } = ledger ?? { requests: 0 };
      expect(requests).toBe(asked.size);
      const counts: number[] = [...Object.values(results), ...Object.values(failures)] as number[];
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(requests);
      expect(ledger?.pullRequests ?? { merged: 0, open: 0 }).toMatchObject(shownPulls());
    }),
    { numRuns: isLong ? 1_000 : 15 },
  );
}, 1_800_000);
