import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { DEFAULT_TOKEN } from '../../simulator/github/store.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { ChangeStage } from '../support/bundle/change-stage.ts';
import { type StageRun, warnings } from '../support/bundle/stage.ts';
import { folderPerTest } from '../support/folder.ts';
import { routes } from '../support/routes.ts';
import { leaveOpen } from '../support/scenarios/left-open.ts';
import { evaluate, holds } from '../support/workflows/expression.ts';
import { type Leg, legsOf } from '../support/workflows/legs.ts';
import type { Job, Permission, Workflow } from '../support/workflows/workflow.ts';
import { folders, lowered, readWorkflow } from '../support/workflows/workflow.ts';

/*
 * Runs the workflows in `examples/`. Each must work with its permissions, and must fail or warn if any one of them is removed.
 * If an example calls a workflow in `.github/workflows/`, that workflow is run, too.
 */

/** An event, and the outcome that its run must have. If the workflow has a matrix, each leg has an outcome. */
interface Scene {
  readonly outcome: string | readonly string[];
  readonly sha?: string;
  readonly event: WebhookEvent;
}

const stage = new ChangeStage();

type Plays = readonly (() => Scene | Promise<Scene>)[];

const onMerge: Plays = [
  () => ({ outcome: 'pr-created', event: stage.merge([stage.open()]) }),
  () => {
    withFailedCheck();
    return { outcome: 'pr-created', event: stage.push() };
  },
  () => ({ outcome: 'skipped', event: stage.push({ files: { 'docs/retry.md': 'Three.\n' } }) }),
];

const onCommandsEnding = (outcome: string): Plays => [
  () => ({ outcome, event: command(withFailedCheck()) }),
  () => ({ outcome, event: command(stage.github.addThread().number) }),
  () => ({ outcome, event: command(stage.open()) }),
  () => ({
    outcome,
    event: stage.github.reviewCommentEvent(reviewed('/docs shorten it', '').comment),
  }),
  () => ({ outcome, event: stage.github.reviewEvent(reviewed('Why?', '/docs as below').review) }),
];
const onCommand = onCommandsEnding('pr-created');

function reportWeekly(): Scene {
  stage.github.addThread({ number: reportIssue });
  return { outcome: 'reported', event: stage.github.scheduleEvent() };
}

const scenes: Readonly<Record<string, Plays>> = {
  'prompt.yml': [
    () => ({
      outcome: 'pr-created',
      event: stage.github.workflowDispatchEvent({ prompt: 'A start.' }),
    }),
    () => ({
      outcome: 'answered',
      event: stage.github.workflowDispatchEvent({ prompt: 'A start.', 'dry-run': 'true' }),
    }),
  ],
  'slash-command.yml': onCommand,
  'caller-docs-command.yml': onCommand,
  'docs-command-nowait.yml': onCommandsEnding('detached'),
  'docs-command-other-repository.yml': [
    () => elsewhere(stage.github.addThread().number),
    () => elsewhere(stage.open()),
    () => {
      const command = stage.github.comment('stranger', stage.github.addThread().number, '/docs x');
      return { outcome: 'denied', event: stage.github.issueCommentEvent(command) };
    },
  ],
  'docs-collect.yml': [
    async () => {
      await leaveOpen(stage.simulator, { thread: stage.github.addThread().number });
      stage.simulator.clock.advance(3_600_000);
      return { outcome: 'collected', event: stage.github.scheduleEvent() };
    },
    async () => {
      const number = ofAgent();
      const thread = stage.open();
      await leaveOpen(stage.simulator, { thread, script: { prLink: linkOf(number) } });
      stage.simulator.clock.advance(3_600_000);
      return { outcome: 'collected', event: stage.github.pullRequestEvent(number) };
    },
    async () => {
      const number = ofAgent();
      const prLink = linkOf(number);
      const inputs = { wait: 'true', 'request-review': 'requester' };
      await leaveOpen(stage.simulator, { thread: 1, script: { prLink }, inputs });
      stage.github.pullRequests.merge(number);
      return { outcome: 'collected', event: stage.github.pullRequestEvent(number, 'closed') };
    },
    () => ({
      outcome: 'collected',
      event: stage.github.checkSuiteEvent(stage.push().payload.after as string),
    }),
    async () => {
      const number = ofAgent();
      const draft = stage.github.pullRequests.of(number);
      draft.isDraft = true;
      const inputs = { wait: 'true' };
      const script = { prLink: linkOf(number) };
      const { status } = await leaveOpen(stage.simulator, { thread: 1, script, inputs });
      expect(status.body).toContain('is a draft');
      draft.isDraft = false;
      return {
        outcome: 'collected',
        event: stage.github.pullRequestEvent(number, 'ready_for_review'),
      };
    },
    // The service opens some pull requests in a person's name.
    () => ({ outcome: 'collected', event: stage.github.pullRequestEvent(stage.open(), 'closed') }),
    // A fork's pull request and the checks of another app start no run.
    () => {
      const number = stage.open({ fork: 'octocat/docs' });
      return { outcome: [], event: stage.github.pullRequestEvent(number, 'closed') };
    },
    () => ({ outcome: [], event: stage.github.checkSuiteEvent('a'.repeat(40), 'other') }),
  ],
  'docs-on-merge.yml': onMerge,
  'caller-docs-on-merge.yml': onMerge,
  'docs-on-merge-other-repository.yml': [
    () => {
      const event = stage.merge([stage.open()]);
      return { ...elsewhere(stage.github.addThread().number), event };
    },
  ],
  'docs-collect-other-repository.yml': [
    leftElsewhere(() => stage.github.addThread().number),
    leftElsewhere(() => stage.open()),
  ],
  'docs-on-merge-matrix.yml': [mergeApi],
  'docs-on-release.yml': [
    () => {
      stage.release('v1');
      stage.push();
      return { outcome: 'pr-created', event: stage.release('v2') };
    },
  ],
  'docs-weekly-sweep.yml': [
    () => {
      stage.simulator.clock.advance(8 * 86_400_000);
      stage.merge([stage.open()]);
      const { sha } = stage.github.git.find('main');
      return { outcome: 'pr-created', sha, event: stage.github.scheduleEvent() };
    },
  ],
  'branch-on-result.yml': [labeled],
  'weekly-report.yml': [() => ({ outcome: 'reported', event: stage.github.scheduleEvent() })],
  'weekly-report-projects.yml': [
    () => {
      stage.simulator.service.addProject({ ...DEFAULT_PROJECT, id: secondProject });
      stage.github.addThread({ number: reportIssue });
      return { outcome: 'reported', event: stage.github.scheduleEvent() };
    },
  ],
  'weekly-report-thread.yml': [reportWeekly],
  'caller-visitors-report.yml': [reportWeekly],
};

/** Leaves a request in a thread, whose job opens a pull request in a private repository. */
function leftElsewhere(addThread: () => number): () => Promise<Scene> {
  return async () => {
    const thread = addThread();
    elsewhere(thread);
    await leaveOpen(stage.simulator, { thread });
    stage.simulator.clock.advance(3_600_000);
    return { outcome: 'collected', event: stage.github.scheduleEvent() };
  };
}

/** Says a command whose job opens a pull request in a private repository, which only a token of the App can read. */
function elsewhere(thread: number): Scene {
  const { elsewhere: docs, github, service } = stage.simulator;
  github.repository.isPrivate = true;
  docs.repository.isPrivate = true;
  docs.addToken(appToken, {
    issues: 'none',
    'pull-requests': 'read',
    contents: 'none',
    checks: 'read',
  });
  openAgentsPullRequest(docs, 7);
  service.scriptNext({ prLink: 'https://github.com/octo-org/handbook/pull/7' });
  return { outcome: 'pr-created', event: command(thread) };
}

const appToken = 'ghs_fake_app_0000simulated0000';
const reportIssue = 40;
const secondProject = 'prj_simulated_api';

/** The variables of the matrix, and the project ID that each contains. */
const projects = {
  DOCS_PROJECT_API: 'prj_api',
  DOCS_PROJECT_BILLING: 'prj_billing',
  DOCS_PROJECT_SDK: 'prj_sdk',
  DOCS_PROJECT_CLI: 'prj_cli',
  DOCS_PROJECT_GUIDES: 'prj_guides',
};

const linkOf = (number: number) => `https://github.com/octo-org/docs/pull/${number}`;

/** Opens a pull request as the agent. */
function ofAgent(): number {
  const author = 'docs-agent[bot]';
  stage.github.addUser(author, { type: 'Bot' });
  return stage.open({ author });
}

function command(number: number): WebhookEvent {
  const { github } = stage;
  return github.issueCommentEvent(github.comment('maintainer', number, '/docs document this'));
}

/** Submits a review with one comment on a line. */
function reviewed(said: string, text: string) {
  const { reviews } = stage.github;
  const place = { path: 'src/retry.ts', hunk: '@@ -1 +1 @@\n-1\n+3', line: 1 };
  const review = reviews.submit('maintainer', stage.open(), text, [{ ...place, body: said }]);
  const [comment] = reviews.commentsOf(review);
  if (comment === undefined) throw new Error('The review has no comment.');
  return { review, comment };
}

/** The agent's pull request, which doesn't build. */
function withFailedCheck(): number {
  const number = openAgentsPullRequest(stage.github);
  stage.github.checks.add(stage.github.pullRequests.of(number).head.sha, { conclusion: 'failure' });
  return number;
}

function labeled(): Scene {
  const { github } = stage;
  const { payload, ...event } = github.issuesEvent(stage.github.addThread().number, 'labeled');
  return {
    outcome: 'pr-created',
    event: { ...event, payload: { ...payload, label: { name: 'docs' } } },
  };
}

/** Merges a change to files in the first and the last of five projects. */
function mergeApi(): Scene {
  const { organization } = DEFAULT_PROJECT;
  for (const id of Object.values(projects))
    stage.simulator.service.addProject({ id, organization });
  openAgentsPullRequest(stage.github);
  const outcome = ['pr-created', 'skipped', 'skipped', 'skipped', 'pr-created'];
  const files = { 'services/api/retry.ts': 'export const tries = 3;\n' };
  return { outcome, event: stage.merge([stage.open({ files })]) };
}

/** The runner's temporary directory. */
const temp = folderPerTest();

test('every example is played', () => {
  // The one for the repository of the docs runs no action of ours.
  const others = ['notify-code-repositories.yml'];
  expect(exampleFiles()).toEqual([...Object.keys(scenes), ...others].sort());
});

test('examples/README.md lists every example', () => {
  const page = readFileSync(join(folders.examples, 'README.md'), 'utf8');
  const linked = Array.from(page.matchAll(/\]\(([\w-]+\.yml)\)/g), ([, file]) => file);
  expect([...new Set(linked)].sort()).toEqual(exampleFiles());
});

function exampleFiles(): string[] {
  return readdirSync(folders.examples)
    .filter((name) => name.endsWith('.yml'))
    .sort();
}

describe('the README', () => {
  const readme = readFileSync(join(folders.examples, '../README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/```yaml\n(.*?)```/gs), ([, text = '']) => text);
  const [first = '', ...rest] = blocks.filter((text) => text.includes('\non:'));

  test('shows workflows and steps that are those of a played example', () => {
    // The README leaves out the condition for forks, which the action skips anyway.
    const forAll = ({ if: condition, ...job }: Job) =>
      condition === '${{ !github.event.repository.fork }}' ? job : { ...job, if: condition };
    const played = Object.keys(scenes).map((file) => {
      const { jobs, ...workflow } = readWorkflow('examples', file);
      const entries = Object.entries(jobs).map(([name, job]) => [name, forAll(job)]);
      return { ...workflow, jobs: Object.fromEntries(entries) as Workflow['jobs'] };
    });
    const steps = played.flatMap(({ jobs }) => Object.values(jobs).map((job) => job.steps));
    const pin = [{ uses: expect.stringMatching(/^docs-agent\/docs-agent@[0-9a-f]{40}$/) }];
    expect(rest).toHaveLength(2);
    for (const block of blocks)
      expect([...played, ...steps, pin]).toEqual(expect.arrayContaining([parse(block)]));
  });

  test('is short, and shows the first workflow on the first screen', () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_300);
    const [start = ''] = readme.split('```yaml');
    expect(start.split('\n').length).toBeLessThan(30);
  });

  test('begins with the shortest one: at most 20 lines, and no expression but `secrets` and `vars`', () => {
    expect(first.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    for (const text of [first, ...rest])
      expect(text.match(/\$\{\{ (?!(?:secrets|vars)\.\w+ \}\}).*/g)).toBeNull();
  });
});

const callee = (file: string) => readWorkflow('own', file);
/** The warnings, except that a build failed, which two scenes are about. */
const complaints = (run: StageRun) =>
  warnings(run).filter((text) => !text.includes(' doesn’t build yet: '));
describe.each(Object.entries(scenes))('%s', (file, plays) => {
  const workflow = readWorkflow('examples', file);
  const [job] = Object.values(workflow.jobs);

  test('has the expected outcome, and sets no permissions for the whole workflow', async () => {
    expect(Object.keys(workflow.jobs)).toHaveLength(1);
    expect(workflow.permissions).toEqual({});
    for (const scene of plays) {
      const { runs, outcome, event } = await play(scene, workflow);
      expect(workflow.on).toHaveProperty(event);
      expect(runs.map(({ outputs }) => outputs.outcome)).toEqual([outcome].flat());
      expect(runs.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      expect(runs.flatMap(complaints)).toEqual([]);
    }
  });

  const names = Object.keys(job?.permissions ?? {}) as Permission[];
  for (const name of names)
    test(`needs ${name}`, async () => {
      const less = lowered(workflow, name);
      const isMissed = (run: StageRun) =>
        run.exitCode !== 0 ||
        complaints(run).length > 0 ||
        [`the token lacks \`${name}`, 'The pages that changed are missing'].some((said) =>
          run.summary.includes(said),
        );
      const isUnsent = (run: StageRun) =>
        run.summary.includes('couldn’t be read, so they weren’t sent.');
      let isNeeded = false;
      for (const scene of plays) {
        if (isNeeded) break;
        if (job?.uses !== undefined)
          await expect(play(scene, less)).rejects.toThrow(`is requesting ${name}`);
        const { runs } = await play(scene, less, (called) => lowered(callee(called), name));
        isNeeded = runs.some((run) => isMissed(run) || isUnsent(run));
      }
      expect(isNeeded).toBe(true);
    });
});

describe('with the docs in another repository', () => {
  const workflow = readWorkflow('examples', 'docs-command-other-repository.yml');
  const [app] = workflow.jobs.docs?.steps ?? [];

  test('the comment shows the pull request as far as the App’s permissions go', async () => {
    const says: Readonly<Record<string, string>> = {
      'pull-requests': '**[Pull request #7](<',
      checks: 'the token lacks `checks: read`',
    };
    const granted = Object.keys(app?.with ?? {}).flatMap(
      (name) => name.match(/^permission-(.*)/)?.[1] ?? [],
    );
    expect(granted).toEqual(Object.keys(says));
    const shown = await play(() => elsewhere(stage.github.addThread().number), workflow);
    expect(stage.comments[0]?.body).toContain('#7 Add a quickstart for the Python SDK');
    expect(shown.runs.flatMap(({ summary }) => summary)).toHaveLength(1);
    for (const name of granted) {
      const { runs } = await play(() => {
        const scene = elsewhere(stage.github.addThread().number);
        const all = { 'pull-requests': 'read', checks: 'read', [name]: 'none' } as const;
        stage.simulator.elsewhere.addToken(appToken, all);
        return scene;
      }, workflow);
      const { comments } = stage;
      expect(runs.map(({ exitCode }) => exitCode)).toEqual([0]);
      expect(`${runs[0]?.summary}${comments[0]?.body}`).toContain(says[name]);
    }
  });

  test('a stranger’s comment and a run without secrets get no token, and are green', async () => {
    const contexts = (association: string, HAS_KEY: string) => ({
      env: { HAS_KEY },
      github: { event: { comment: { author_association: association } } },
    });
    const mints = (association: string, key = 'true') =>
      evaluate(app?.if ?? '', contexts(association, key)) === true;
    const outside = ['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'CONTRIBUTOR', 'MANNEQUIN'];
    expect([...outside, 'OWNER', 'MEMBER', 'COLLABORATOR'].filter((who) => mints(who))).toEqual([
      ...['OWNER', 'MEMBER', 'COLLABORATOR'],
    ]);
    expect(mints('OWNER', 'false')).toBe(false);
    expect(app).toMatchObject({ 'continue-on-error': true });
  });

  // A merge without a token would start a new job, although an earlier merge's pull request is open.
  test.each([
    ['docs-command-other-repository.yml', true],
    ['docs-collect-other-repository.yml', true],
    ['docs-on-merge-other-repository.yml', false],
  ])('%s goes on if no token can be created: %s', (file, goesOn) => {
    const steps = Object.values(readWorkflow('examples', file).jobs).flatMap((job) => job.steps);
    const mint = steps.find((step) => step?.id === 'app');
    expect(mint?.['continue-on-error'] ?? false).toBe(goesOn);
  });

  const notify = readWorkflow('examples', 'notify-code-repositories.yml').jobs.notify;
  const [, tell] = notify?.steps ?? [];
  const from = (full_name: string) => ({ head: { repo: { full_name } } });

  test.each([
    ['a pull request from a branch', { pull_request: from('octo-org/handbook') }, true],
    ['a pull request from a fork', { pull_request: from('octocat/handbook') }, false],
    ['a pull request from a deleted fork', { pull_request: { head: { repo: null } } }, false],
    ['checks of the service', { check_suite: { app: { slug: 'mintlify' } } }, true],
    ['checks of another app', { check_suite: { app: { slug: 'other' } } }, false],
  ])('%s: the code repositories are told: %s', (_, event, isTold) => {
    const github = { event, repository: 'octo-org/handbook' };
    expect(holds(evaluate(notify?.if ?? '', { github }))).toBe(isTold);
    expect(holds(evaluate(tell?.if ?? '', { steps: { app: { outputs: { token: '' } } } }))).toBe(
      false,
    );
  });

  test.each([
    ['a pull request', { PULL_REQUEST: 'https://github.com/octo-org/handbook/pull/7' }],
    ['a commit', { COMMIT: 'abc' }],
  ])('%s starts their collect workflow for it', (_, env) => {
    const bin = temp();
    const script = `#!/bin/sh\nif [ "$1" = api ]; then echo https://github.com/octo-org/handbook/pull/7; else echo "$@"; fi\n`;
    writeFileSync(join(bin, 'gh'), script, { mode: 0o755 });
    const { CODE_REPOSITORIES = '' } = notify?.env ?? {};
    const all = {
      CODE_REPOSITORIES,
      OWNER: 'octo-org',
      GITHUB_REPOSITORY: 'octo-org/handbook',
      ...env,
    };
    const options = { env: { PATH: `${bin}:${process.env.PATH}`, ...all } };
    const said = execFileSync('bash', ['-e', '-c', tell?.run ?? ''], options).toString();
    const started = ['api', 'web'].map(
      (repository) =>
        `workflow run docs-collect.yml --repo octo-org/${repository} --field pull-request=https://github.com/octo-org/handbook/pull/7\n`,
    );
    expect(said).toBe(started.join(''));
    const { inputs = {} } = readWorkflow('examples', 'docs-collect.yml').on.workflow_dispatch ?? {};
    expect(Object.keys(inputs)).toEqual(['pull-request']);
  });

  test('the page shows the steps as they are, and links both workflows', () => {
    const page = readFileSync(join(folders.examples, '../docs/other-repository.md'), 'utf8');
    const [, block = ''] = page.match(/```yaml\n(.*?)```/s) ?? [];
    expect(parse(block)).toEqual(workflow.jobs.docs?.steps);
    for (const file of ['docs-command-other-repository.yml', 'notify-code-repositories.yml'])
      expect(page).toContain(`(../examples/${file})`);
  });
});

test('with a matrix, the merged pull request gets one comment for each changed project', async () => {
  await play(mergeApi, readWorkflow('examples', 'docs-on-merge-matrix.yml'));
  expect(stage.jobs.map(({ projectId }) => projectId)).toEqual(['prj_api', 'prj_guides']);
  const links = stage.jobs.map(({ prLink }) => prLink);
  const linked = stage.comments.map(({ body }) => links.filter((link) => body.includes(`${link}`)));
  expect(linked).toEqual(links.map((link) => [link]));
});

test('what a schedule or a push starts is skipped in a fork, which has no secrets', () => {
  const inFork = { github: { event: { repository: { fork: true } }, event_name: 'push' } };
  for (const file of Object.keys(scenes)) {
    const { on, jobs } = readWorkflow('examples', file);
    if (!('schedule' in on || 'push' in on)) continue;
    const [job] = Object.values(jobs);
    expect([file, evaluate(job?.if ?? 'true', inFork)]).toEqual([file, false]);
  }
});

describe('the steps after a run depend on its result', () => {
  const workflow = readWorkflow('examples', 'branch-on-result.yml');
  const [, ...steps] = workflow.jobs.docs?.steps ?? [];

  /** The steps that GitHub runs after this result. After an error, it skips steps unless their condition has a status check. */
  const taken = ({ exitCode, outputs }: Pick<StageRun, 'exitCode' | 'outputs'>) =>
    steps
      .map(({ name, if: condition = '' }) => ({ name, condition }))
      .filter(({ condition }) => exitCode === 0 || condition.includes('cancelled()'))
      .filter(({ condition }) => holds(evaluate(condition, { steps: { docs: { outputs } } })))
      .map(({ name }) => name);

  test.each<
    [string, { readonly script?: Partial<JobScript>; readonly refusal?: number }, string[]]
  >([
    ['a pull request', {}, ['Label the issue']],
    ['no pull request', { script: { prLink: null } }, ['Ask for a review']],
    ['a failed job', { script: { end: 'failed' } }, ['Notify the chat']],
    ['an error', { refusal: 401 }, ['Notify the chat']],
  ])('%s', async (_, { script = {}, refusal }, names) => {
    const { runs } = await play(() => {
      stage.simulator.service.scriptNext(script);
      if (refusal !== undefined) stage.simulator.faults.refuse(routes.createJob, refusal);
      return labeled();
    }, workflow);
    expect(runs.map(taken)).toEqual([names]);
  });

  test('but none closes the issue, because a job without a pull request may still have updated the docs', () => {
    expect(steps.filter(({ run = '' }) => /close|not.planned/.test(run))).toEqual([]);
  });

  test('a killed run', () => {
    expect(taken({ exitCode: 1, outputs: { result: '' } })).toEqual([]);
  });
});

test('a weekly report with only one of its dates asks for the other, and not for an input that its form lacks', async () => {
  const workflow = readWorkflow('examples', 'weekly-report.yml');
  for (const [given, missing] of [
    ['date-from', 'date-to'],
    ['date-to', 'date-from'],
  ] as const) {
    const event = () => stage.github.workflowDispatchEvent({ [given]: '2026-03-02' });
    const { runs } = await play(() => ({ outcome: 'failed', event: event() }), workflow);
    const said = runs.map(({ log }) => log).join();
    expect(said).toContain(`\`${missing}\``);
    expect(said).not.toContain('needs `period: custom`');
  }
});

test('a weekly report uploads its files even if an alert has failed the step, but not if there are none', () => {
  const [, upload] = readWorkflow('examples', 'weekly-report.yml').jobs.report?.steps ?? [];
  expect(upload?.uses).toMatch(/^actions\/upload-artifact@/);
  const condition = upload?.if ?? '';
  const uploads = (outcome: string) =>
    evaluate(condition, { steps: { report: { outputs: { outcome } } } });
  expect(condition).toContain('!cancelled()');
  expect(['reported', 'failed', ''].map(uploads)).toEqual([true, false, false]);
});

describe('the reusable report workflow', () => {
  test('neither reads nor uploads files that an earlier run has left in the workspace', async () => {
    const { steps = [] } = readWorkflow('own', 'visitors-report.yml').jobs.report ?? {};
    const firstUse = steps.findIndex(({ uses }) => uses !== undefined);
    const before = steps.slice(0, firstUse);
    const afterAnother = (): Scene => {
      for (const directory of ['docs-agent-history', 'docs-agent-report']) {
        mkdirSync(stage.path(directory));
        writeFileSync(stage.path(directory, 'history.jsonl'), 'Of another report.\n');
      }
      for (const { run = '' } of before.filter(({ run = '' }) => !run.includes('exit 1')))
        execFileSync('bash', ['-c', run], { cwd: stage.path() });
      return reportWeekly();
    };
    const caller = readWorkflow('examples', 'caller-visitors-report.yml');
    const report = {
      ...caller.jobs.report,
      with: { ...caller.jobs.report?.with, artifact: 'report' },
    };
    const { runs } = await play(afterAnother, { ...caller, jobs: { report } });
    expect(runs.flatMap(warnings)).toEqual([]);
    const history = readFileSync(stage.path('docs-agent-history', 'history.jsonl'), 'utf8');
    expect(history).not.toContain('Of another report.');
    const uploaded = readdirSync(join(temp(), 'docs-agent-report'));
    // The report, and what readers didn't find.
    const kinds = uploaded.map((name) => name.split('.').at(-1));
    expect(kinds).toEqual(['csv', 'csv', 'json', 'md']);
  });
});

async function play(scene: Plays[number], workflow: Workflow, called = callee) {
  await stage.reset();
  const { event, outcome, sha } = await scene();
  const runs: StageRun[] = [];
  for (const leg of legsOf(workflow, contextsOf(event), called))
    runs.push(await playLeg(leg, event, sha));
  return { runs, outcome, event: event.name };
}

async function playLeg(
  { inputs, permissions }: Leg,
  event: WebhookEvent,
  sha?: string,
): Promise<StageRun> {
  const none = {
    issues: 'none',
    'pull-requests': 'none',
    actions: 'none',
    contents: 'none',
  } as const;
  stage.github.restrict({ ...none, ...permissions });
  // The workflows use the real service, so the test replaces its URL.
  const here = { ...inputs, 'base-url': stage.simulator.url };
  const env = { RUNNER_TEMP: temp(), ...(sha === undefined ? {} : { GITHUB_SHA: sha }) };
  const run = await stage.play(here, { event, env });
  expect(run.log).not.toContain('Unexpected input');
  return run;
}

/** The values that GitHub passes to a workflow in this repository. */
function contextsOf({ name, payload }: WebhookEvent) {
  const { inputs } = payload as { readonly inputs?: Readonly<Record<string, string>> };
  const { service } = stage.simulator;
  return {
    github: {
      token: DEFAULT_TOKEN,
      event: payload,
      event_name: name,
      repository: stage.github.fullName,
    },
    inputs,
    runner: { temp: temp() },
    secrets: { DOCS_API_KEY: service.apiKey, DOCS_APP_KEY: appToken },
    vars: {
      DOCS_PROJECT_ID: service.projectId,
      DOCS_APP_CLIENT_ID: 'Iv1.fake',
      DOCS_GUIDES_PROJECT_ID: service.projectId,
      DOCS_API_PROJECT_ID: secondProject,
      DOCS_REPORT_ISSUE: String(reportIssue),
      DOCS_REPOSITORY: 'octo-org/docs',
      ...projects,
    },
  };
}
