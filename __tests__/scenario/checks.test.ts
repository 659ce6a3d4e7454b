import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CheckRun } from '../../simulator/github/repository/checks.ts';
import type { MergeMethod } from '../../simulator/github/repository/pull-requests.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import {
  openAgentsPullRequest,
  pushToAgentsPullRequest,
} from '../../simulator/play/agents-pull-request.ts';
import { headlineOf, textOf, writtenIn } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { dataIn } from '../support/prompts.ts';
import { routes } from '../support/routes.ts';
import { collect, type LeftOpen, leaveOpen, runCommand } from '../support/scenarios/left-open.ts';

/* Whether the docs were built and published, as the thread shows it that requested them. */

const dayMs = 86_400_000;
const number = 101;
type Run = Partial<Omit<CheckRun, 'id' | 'sha'>>;

const failed: Run = { conclusion: 'failure', title: 'Build failed', summary: 'A page is broken.' };
const queued: Run = { status: 'queued' };
const running: Run = { status: 'in_progress' };
const tests: Run = { app: 'github-actions', name: 'test (20)' };

let core: InMemorySimulator;
let left: LeftOpen;
beforeEach(() => {
  core = createInMemorySimulator();
  openAgentsPullRequest(core.github, number);
});

const head = () => core.github.pullRequests.of(number).head.sha;
const say = (sha: string, ...runs: readonly Run[]) =>
  runs.map((run) => core.github.checks.add(sha, run));
const ask = async (inputs: Record<string, string> = {}) => {
  left = await leaveOpen(core, { thread: 1, inputs: { wait: 'true', ...inputs } });
};
const suiteOf = (sha: string, app?: string) =>
  collect(core, { event: core.github.checkSuiteEvent(sha, app) });
const merge = (method?: MergeMethod) => core.github.pullRequests.merge(number, method).sha;
const onMerge = () => collect(core, { event: core.github.pullRequestEvent(number, 'closed') });
/** The open part of the status comment. */
const shown = () => textOf(left.status).replace(/\n*<details>[\s\S]*/, '');
const fate = () =>
  headlineOf(left.status)
    .replace(/\[#101.*?\)/, '#101')
    .replace(/\[([^\]]*)\]\(<.*?>\)/, '$1');
const sentTo = ({ sent }: Awaited<ReturnType<typeof collect>>, to: 'github' | 'service') =>
  sent.filter((request) => request.to === to).map(({ route }) => route);

describe('while the pull request is open, the second line says', () => {
  const hundred = Array.from({ length: 100 }, (_, nth) => ({ ...tests, name: `${nth}` }));
  const [built, building, nothing] = [
    ' · [built](<',
    ' · still building · took',
    ' in 3 files · took',
  ];
  test.each<[string, readonly Run[], string]>([
    ['built', [{}], built],
    ['built, whatever other checks say', [{}, { ...tests, ...failed }], built],
    ['built, after a second run', [failed, {}], built],
    ['still building', [queued], building],
    ['still building, again', [{}, running], building],
    ['nothing, without a check', [], nothing],
    ['nothing, after a canceled build', [{ conclusion: 'cancelled' }], nothing],
    ['nothing, after a skipped build', [{ conclusion: 'skipped' }], nothing],
    ['nothing, beyond 100 checks', [...hundred, {}], nothing],
    ['nothing, if one beyond 100 checks may have failed', [{}, ...hundred], nothing],
    [
      'nothing about a check of the same name from another app',
      [{ ...failed, app: 'other' }],
      nothing,
    ],
  ])('%s', async (_, runs, says) => {
    say(head(), ...runs);
    await ask();
    expect(shown()).toContain(says);
    expect(shown()).not.toContain('❌');
  });

  test.each(['failure', 'timed_out', 'action_required', 'startup_failure'])(
    'what failed, with a command to copy (%s)',
    async (conclusion) => {
      const [run] = say(head(), { conclusion });
      await ask();
      expect(shown()).toContain(
        `doesn’t build yet:** [\`Mintlify Deployment\`](<${run?.detailsUrl}>) failed.`,
      );
      expect(shown().split('\n').slice(2)).toEqual([
        'Have the agent fix it: comment on the pull request',
        '',
        '```text',
        '/docs fix the failed build',
        '```',
        '',
        expect.stringMatching(/^`\+124 −6` in 3 files · took 1 min \d s$/),
      ]);
    },
  );

  test('the newest head’s state, never that of an older one', async () => {
    const old = head();
    say(old, running);
    await ask();
    pushToAgentsPullRequest(core.github, number);
    say(old, {});
    await suiteOf(old);
    expect(shown()).not.toContain('built');
    say(head(), failed);
    const played = await suiteOf(head());
    expect(shown()).toContain('doesn’t build yet');
    expect(played.summary).toContain('doesn’t build yet');
    const [job] = JSON.parse(played.outputs.result ?? '').jobs;
    expect(job.pullRequest).toMatchObject({ state: 'open', checks: 'not-built' });
  });

  test('nothing about an older head, if the newest head’s checks can’t be read', async () => {
    say(head(), failed);
    await ask();
    expect(shown()).toContain('doesn’t build yet');
    pushToAgentsPullRequest(core.github, number);
    core.faults.refuse(routes.readChecks, 500, { times: 4 });
    await collect(core);
    expect(fate()).toBe('✅ **#101** is ready to review.');
  });
});

describe('after the merge', () => {
  test.each<MergeMethod>(['merge', 'squash', 'rebase'])(
    '%s: published once the merge commit’s check passed',
    async (method) => {
      say(head(), {});
      await ask();
      const sha = merge(method);
      await onMerge();
      expect(fate()).toBe('🎉 **#101 was merged.**');
      say(sha, queued);
      await suiteOf(sha);
      expect(fate()).toBe('🎉 **#101 was merged.**');
      const [run] = say(sha, {});
      const played = await suiteOf(sha);
      expect(shown()).toMatch(/^🎉 \*\*.* was merged and \[published\]\(<.*>\)\.\*\*$/);
      expect(shown()).toContain(run?.detailsUrl);
      expect(sentTo(played, 'service')).toEqual([]);
      core.clock.advance(dayMs);
      expect(sentTo(await collect(core), 'github')).toEqual([routes.readAllComments]);
    },
  );

  test('not published, until a second run passes', async () => {
    await ask();
    const sha = merge();
    say(sha, failed);
    await onMerge();
    expect(fate()).toBe('⚠️ **#101 was merged, but `Mintlify Deployment` failed.**');
    // The request itself succeeded.
    expect(left.command.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
    say(sha, {});
    await collect(core);
    expect(fate()).toBe('🎉 **#101 was merged and published.**');
  });

  const build: Run = { app: 'a', name: 'build' };
  const deploy: Run = { app: 'a', name: 'deploy' };
  test.each<[string, string, readonly Run[], string]>([
    ['one of two names', 'a/build\na/deploy', [build], 'merged.'],
    ['both names', 'a/build\na/*y', [build, deploy], 'merged and published.'],
    ['a canceled one', 'a/*', [build, { ...deploy, conclusion: 'cancelled' }], 'merged.'],
    [
      'a skipped one',
      'a/*',
      [build, { ...deploy, conclusion: 'skipped' }],
      'merged and published.',
    ],
    ['one from before the merge', 'a/*', [{ ...build, completedAt: 0 }], 'merged.'],
  ])('with %s, `checks: %j` says “%s”', async (_, checks, runs, says) => {
    await ask({ checks });
    say(merge(), ...runs);
    await collect(core, { inputs: { checks } });
    expect(fate()).toBe(`🎉 **#101 was ${says}**`);
  });

  test('a check that fails later is believed', async () => {
    await ask();
    const sha = merge();
    for (const conclusion of ['success', 'failure']) {
      say(sha, { conclusion });
      await collect(core);
    }
    expect(fate()).toBe('⚠️ **#101 was merged, but `Mintlify Deployment` failed.**');
  });

  test('only merged if no check says more, and after a day no one looks', async () => {
    say(head(), {});
    await ask();
    const sha = merge();
    say(sha, { ...tests }, { app: 'other' }, { conclusion: 'neutral' });
    for (const run of [onMerge, () => suiteOf(sha), () => collect(core)]) await run();
    expect(fate()).toBe('🎉 **#101 was merged.**');
    core.clock.advance(dayMs);
    say(sha, {});
    expect(sentTo(await collect(core), 'github')).toEqual([routes.readAllComments]);
    expect(fate()).toBe('🎉 **#101 was merged.**');
  });
});

describe('on `check_suite`', () => {
  test('an app without a name costs no request', async () => {
    await ask();
    const { payload, ...event } = core.github.checkSuiteEvent(head());
    const suite = { ...(payload.check_suite as object), app: null };
    const played = await collect(core, {
      event: { ...event, payload: { ...payload, check_suite: suite } },
    });
    expect([endOf(played), played.sent]).toEqual(['skipped (not-ours)', []]);
  });

  test('a commit without our pull request costs few requests, also among 400 comments', async () => {
    const { sha } = core.github.git.commit({ message: 'By hand' });
    expect(sentTo(await suiteOf(sha), 'github')).toHaveLength(1);
    core.github.addThread({ number: 1 });
    core.github.git.branch('by-hand');
    core.github.git.commit({ branch: 'by-hand', files: { 'a.md': 'A' } });
    const other = core.github.pullRequests.open({ head: 'by-hand', title: 'By hand' });
    for (const [comments, most] of [
      [0, 2],
      [400, 7],
    ] as const) {
      for (let nth = 0; nth < comments; nth += 1) core.github.comment('maintainer', 1, `${nth}`);
      const played = await suiteOf(other.head.sha);
      expect([sentTo(played, 'github').length, sentTo(played, 'service')]).toEqual([most, []]);
    }
  });

  test('a run that is killed at any request is repaired by the next one', async () => {
    for (let nth = 1; nth <= 6; nth += 1) {
      core = createInMemorySimulator();
      openAgentsPullRequest(core.github, number);
      await ask();
      const sha = merge();
      say(sha, {});
      const event = core.github.checkSuiteEvent(sha);
      await collect(core, { event, killAt: { at: () => true, nth, phase: 'handled' } });
      await collect(core);
      expect([nth, fate()]).toEqual([nth, '🎉 **#101 was merged and published.**']);
    }
  });

  test('two runs at once write the same comment', async () => {
    await ask();
    say(head(), failed);
    const before = left.status.history.length;
    await Promise.all([suiteOf(head()), collect(core)]);
    const written = new Set(left.status.history.slice(before).map(({ body }) => body));
    expect(written.size).toBe(1);
  });
});

test('the checks cost a command one request to GitHub', async () => {
  core.github.addThread({ number: 1 });
  // A follow-up also reads its pull request before it goes out.
  for (const most of [13, 14]) {
    const before = core.requests.length;
    const command = core.github.comment('maintainer', 1, '/docs go');
    await runCommand(core, command, { inputs: { wait: 'true' } });
    const sent = core.requests.slice(before).filter(({ to }) => to === 'github');
    expect(sent.length).toBeLessThanOrEqual(most);
    expect(sent.filter(({ route }) => route === routes.readChecks)).toHaveLength(1);
  }
});

describe('the input `checks`', () => {
  test.each([
    ['tests/*', '`tests/*`'],
    ['mintlify/Deploy', '`mintlify/Deploy`'],
  ])('%s that never appears is named with those that do', async (checks, says) => {
    say(head(), {}, tests);
    await ask();
    // The checks of a new pull request may be late.
    expect((await collect(core, { inputs: { checks } })).summary).not.toContain('names');
    core.clock.advance(dayMs);
    const { summary } = await collect(core, { inputs: { checks } });
    expect(summary).toContain(`The input \`checks\` names ${says}, but no check has that name.`);
    expect(summary).toContain(
      'These do exist: `github-actions/test (20)`, `mintlify/Mintlify Deployment`.',
    );
  });

  test.each(['github-actions/test (20)', 'GitHub-Actions/test*', 'a/b\ngithub-actions/*(20)'])(
    '%s names the check of a workflow',
    async (checks) => {
      say(head(), { ...tests, ...failed }, {});
      await ask({ checks });
      expect(shown()).toContain('doesn’t build yet:** [`test (20)`]');
    },
  );

  test('the check of the run itself never counts', async () => {
    const detailsUrl = 'https://github.com/octo-org/docs/actions/runs/6900000009/job/1';
    say(head(), {}, { ...tests, ...failed, detailsUrl });
    await ask({ checks: 'mintlify/*\ngithub-actions/test*' });
    expect(shown()).toContain('doesn’t build yet:** [`test (20)`]');
    await collect(core, { inputs: { checks: 'mintlify/*' } });
    say(head(), { ...tests, status: 'in_progress', detailsUrl });
    await collect(core, { inputs: { checks: 'mintlify/*\ngithub-actions/test*' } });
    expect(shown()).not.toContain('still building');
  });

  test('`none` reads none', async () => {
    await ask({ checks: 'none' });
    merge();
    const played = await collect(core, { inputs: { checks: 'none' } });
    expect(sentTo(played, 'github')).not.toContain(routes.readChecks);
  });

  test('checks that can’t be read are noted, read once, and keep no result back', async () => {
    await ask();
    merge();
    core.faults.add({ at: routes.readChecks, kind: 'status', status: 500, times: 99 });
    const played = await collect(core);
    expect(fate()).toBe('🎉 **#101 was merged.**');
    expect(played.summary).toContain('The checks couldn’t be read. GitHub is having problems.');
  });

  test('without `checks: read`, all else works, and the summary says what to add', async () => {
    core.github.restrict({ checks: 'none' });
    say(head(), {});
    await ask();
    merge();
    for (const { summary } of [left.played, await collect(core)])
      expect(summary.match(/Add it to the job’s/g)).toHaveLength(1);
    expect(fate()).toBe('🎉 **#101 was merged.**');
    expect(textOf(left.status)).not.toContain('checks: read');
  });
});

describe('a command on the agent’s pull request', () => {
  const lastPrompt = () => core.service.jobs.at(-1)?.prompts.at(-1) ?? '';

  test('brings what the failed checks say, as data', async () => {
    await ask();
    const annotations = Array.from(
      { length: 30 },
      (_, nth) => `docs/a.mdx:${nth + 1}: Broken link`,
    );
    say(head(), { ...failed, annotations }, { ...tests, ...failed, title: 'Not named' });
    for (const _ of [1, 2])
      await runCommand(core, core.github.comment('maintainer', number, '/docs fix it'));
    const data = dataIn(lastPrompt()).join('\n');
    expect(data).toContain(
      'Checks that failed on it:\n> mintlify/Mintlify Deployment\n> Build failed\n> docs/a.mdx:1: Broken link\n',
    );
    expect(data).toContain('> docs/a.mdx:20: Broken link');
    expect(data).toContain('> (10 more annotations)\n> A page is broken.');
    expect(data).not.toMatch(/a\.mdx:21:|Not named/);
    expect(core.service.jobs).toHaveLength(1);
  });

  test('brings at most 20 annotations of all failed checks together', async () => {
    await ask();
    const annotations = Array.from(
      { length: 15 },
      (_, nth) => `docs/a.mdx:${nth + 1}: Broken link`,
    );
    const runs = ['First', 'Second'].map((name) => ({ ...failed, name, annotations }));
    const inputs = { checks: 'mintlify/*' };
    say(head(), ...runs);
    await runCommand(core, core.github.comment('maintainer', number, '/docs fix it'), { inputs });
    const data = dataIn(lastPrompt()).join('\n');
    expect(data.match(/: Broken link/g)).toHaveLength(20);
    expect(data).toContain('> (10 more annotations)\n');
  });

  test('is sent what could be read if the annotations can’t be, and the status comment says so', async () => {
    await ask();
    say(head(), { ...failed, annotations: ['docs/a.mdx:1: Broken link'] });
    core.faults.add({ at: routes.readAnnotations, kind: 'status', status: 500, times: 99 });
    await runCommand(core, core.github.comment('maintainer', number, '/docs fix it'));
    const data = dataIn(lastPrompt()).join('\n');
    expect(data).toContain('> mintlify/Mintlify Deployment\n> Build failed\n> A page is broken.');
    const written = writtenIn(core, number).at(-1);
    expect(written?.body).toContain(
      'The annotations of `mintlify/Mintlify Deployment` couldn’t be read, so they weren’t sent.',
    );
  });

  test('is sent without them if they can’t be read', async () => {
    await ask();
    say(head(), failed);
    core.github.restrict({ checks: 'none' });
    expect(endOf(await collect(core))).toBe('collected (complete)');
    await runCommand(core, core.github.comment('maintainer', number, '/docs fix it'));
    expect(dataIn(lastPrompt()).join('\n')).not.toContain('Checks that failed on it');
    expect(writtenIn(core, number).at(-1)?.body).toContain(
      'The failed checks couldn’t be read, so they weren’t sent.',
    );
  });
});
