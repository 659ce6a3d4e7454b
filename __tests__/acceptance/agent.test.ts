import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Nodes } from 'mdast';
import { toString as wordsIn } from 'mdast-util-to-string';
import type { FaultSpec } from '../../simulator/http/faults.ts';
import { listen } from '../../simulator/http/server.ts';
import { runChild } from '../../simulator/runner/child.ts';
import type { RunResult } from '../../simulator/runner/runner.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { THREAD } from '../support/usual.ts';

describe('jobs', () => {
  const stage = new Stage();

  const jobs = '/v2/agent/prj_simulated_docs/job';
  const pullRequest = 'https://github.com/octo-org/docs/pull/101';

  test('with `wait: false`, the job keeps running, and a later run can attach to it', async () => {
    const run = await stage.play({ prompt: 'x', wait: 'false' });
    expect([endOf(run), run.exitCode]).toEqual(['detached (not-waited)', 0]);
    expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
    expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
    const message = expect.stringMatching(
      /The result won’t be posted\.\nTo follow the job, run the workflow with `job-id: job_0001`\.$/,
    );
    expect(lastAnnotation(run)).toMatchObject({ level: 'warning', message });
    const later = await stage.play({ 'job-id': 'job_0001' });
    const outputs = { outcome: 'pr-created', 'job-id': 'job_0001', 'pr-link': pullRequest };
    expect(later).toMatchObject({ exitCode: 0, outputs });
    expect(stage.jobs).toHaveLength(1);
  });

  test('without a thread, too, a review is requested from the person who started the run', async () => {
    const { github } = stage;
    github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
    github.git.branch('quickstart');
    github.pullRequests.open({ head: 'quickstart', number: 101, author: 'docs-agent[bot]' });
    const run = await stage.on(github.workflowDispatchEvent(), {
      prompt: 'x',
      'request-review': 'requester',
    });
    expect(run.outputs).toMatchObject({ outcome: 'pr-created', reason: 'pull-request' });
    expect(github.pullRequests.of(101).reviewers).toEqual(['maintainer']);
  });

  test('on a schedule, no review is requested, even if the event has a sender', async () => {
    const { github } = stage;
    github.git.commit({ files: { 'docs/index.md': '# Docs\n' } });
    github.git.branch('quickstart');
    github.pullRequests.open({ head: 'quickstart', number: 101, author: 'docs-agent[bot]' });
    const { payload, ...event } = github.scheduleEvent();
    const sender = github.json.user('maintainer');
    const run = await stage.on(
      { ...event, payload: { ...payload, sender } },
      { prompt: 'x', 'request-review': 'requester' },
    );
    expect(run.outputs).toMatchObject({ outcome: 'pr-created', reason: 'pull-request' });
    expect(github.pullRequests.of(101).reviewers).toEqual([]);
  });

  test('a prompt from a trusted event needs nothing from GitHub', async () => {
    const run = await stage.on(stage.github.scheduleEvent(), { prompt: 'x' });
    expect(run).toMatchObject({ exitCode: 0, github: [] });
  });

  test.each<[string, Record<string, string>]>([
    ['a thread', { thread: '7' }],
    ['the context `changes`', { context: 'changes', 'changes-since': '7 days' }],
    ['a reviewer', { 'request-review': 'requester' }],
    ['a maximum of jobs', { 'max-jobs': '5 per day' }],
    ['a maximum of open pull requests', { 'max-open': '5' }],
    ['a job of the repository', { continue: 'repository' }],
  ])('with %s, it does', async (_, inputs) => {
    const run = await stage.on(stage.github.scheduleEvent(), { prompt: 'x', ...inputs });
    expect(run.github).not.toEqual([]);
  });

  test('a prompt from an event that strangers can trigger needs their permission', async () => {
    const { github } = stage;
    const run = await stage.on(github.issuesEvent(THREAD), { prompt: 'x', thread: 'none' });
    expect(run.github).not.toEqual([]);
  });

  test('attaching to a job that has ended takes one request', async () => {
    stage.simulator.service.createJob('somebody’s').end('completed');
    const run = await stage.play({ 'job-id': 'job_0001' });
    expect(run.outputs).toMatchObject({
      outcome: 'pr-created',
      reason: 'pull-request',
      'pr-number': '101',
    });
    expect(requestLines(stage.simulator.requests)).toEqual([`GET ${jobs}/job_0001`]);
  });

  test.each([0, 40_000])(
    'a follow-up that failed says so, although its job was completed before (old status for %d ms)',
    async (staleMs) => {
      const prLink = 'https://github.com/octo-org/docs/pull/7';
      stage.simulator.service.createJob('first').end('completed', prLink);
      stage.simulator.service.scriptNextMessage({
        staleMs,
        activeMs: 120_000,
        end: 'failed',
        prLink,
      });
      const run = await stage.play({ 'job-id': 'job_0001', prompt: 'Shorter.' });
      expect(run.exitCode).toBe(1);
      expect(run.outputs).toMatchObject({
        reason: 'job-failed',
        'job-id': 'job_0001',
        'pr-link': prLink,
      });
      expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({ followUp: true });
      const message = expect.stringMatching(
        /^The job failed\. The service gives no reason[\s\S]*\nPull request: https:.*\/7$/,
      );
      expect(lastAnnotation(run)).toMatchObject({ level: 'error', message });
      expect(run.summary).toContain(`| Pull request | [#7](<${prLink}>) |`);
      expect(stage.jobs.map(({ prompts }) => prompts)).toEqual([['first', 'Shorter.']]);
      const [first, second] = requestLines(stage.simulator.requests);
      expect([first, second]).toEqual([`GET ${jobs}/job_0001`, `POST ${jobs}/job_0001/message`]);
    },
  );

  test('a summary that can’t be written causes a warning, and the run still succeeds', async () => {
    const run = await stage.play(
      { prompt: 'x' },
      { env: { GITHUB_STEP_SUMMARY: '/nowhere/summary.md' } },
    );
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'pr-created', 'pr-link': pullRequest },
    });
    const ready =
      /^Pull request #101 is ready to review\.\nTook .*\nTo change .*\nPull request: https/;
    expect(run.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('The job summary couldn’t be written') },
      { level: 'notice', message: expect.stringMatching(ready) },
    ]);
  });

  test('a run without the runner’s files works, too', async () => {
    const env = {
      GITHUB_STEP_SUMMARY: '',
      GITHUB_STATE: '',
      GITHUB_EVENT_PATH: '',
      GITHUB_REPOSITORY: '',
    };
    const run = await stage.play({ prompt: 'x' }, { env });
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'pr-created', 'pr-link': pullRequest },
    });
  });

  test.each([
    ['anyone', () => stage.github.issuesEvent(7)],
    ['people who can push', () => stage.github.workflowDispatchEvent()],
  ])(
    'a run by %s that is killed at its first check has set `job-id`, and post needs no prompt file',
    async (_, event) => {
      writeFileSync(stage.path('prompt.md'), 'Add a quickstart.');
      const run = await stage.play(
        { 'prompt-file': 'prompt.md', thread: '7' },
        { event: event(), killAt: { at: routes.getJob, phase: 'arrived' } },
      );
      expect(run).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(run.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
      rmSync(stage.path('prompt.md'));
      await stage.post(run);
      expect(stage.status.body).toContain('This run was stopped; the job keeps running.');
    },
  );
});

describe('outcomes', () => {
  const stage = new Stage();

  const jobs = '/v2/agent/prj_simulated_docs/job';
  const pullRequest = 'https://github.com/octo-org/docs/pull/101';

  interface Ending {
    readonly script: Partial<JobScript>;
    readonly inputs?: Readonly<Record<string, string>>;
    /** `outcome (reason)`. */
    readonly end: string;
    readonly status?: string;
    readonly link?: { readonly url: string; readonly number: string };
    /** The level of the run's last message. If the level is `error`, the step fails. */
    readonly level: 'notice' | 'warning' | 'error';
    readonly says: RegExp;
  }

  const completed = {
    end: 'no-changes (no-pull-request)',
    says: /finished without a pull request/,
  };
  const archived = { end: 'archived (job-archived)', status: 'archived', says: /was archived/ };
  const noReason = /The job failed\. The service gives no reason/;
  const failed = { end: 'failed (job-failed)', status: 'failed', says: noReason };

  const endings: [name: string, ending: Ending][] = [
    [
      'completed with a pull request',
      {
        script: {},
        end: 'pr-created (pull-request)',
        link: { url: pullRequest, number: '101' },
        level: 'notice',
        says: /Pull request: https:\/\/github\.com\/octo-org\/docs\/pull\/101$/,
      },
    ],
    [
      'completed with a link and another line after it',
      {
        script: { prLink: `${pullRequest}\n::error::owned` },
        end: 'pr-created (unusable-pr-link)',
        level: 'notice',
        says: /usable link to it/,
      },
    ],
    ['completed without a change', { script: { prLink: null }, ...completed, level: 'notice' }],
    [
      'was archived',
      { script: { end: 'archived', omit: ['archivedAt'] }, ...archived, level: 'warning' },
    ],
    ['failed', { script: { end: 'failed' }, ...failed, level: 'error' }],
    [
      'failed, if no outcome fails the step',
      { script: { end: 'failed' }, inputs: { 'fail-on': 'none' }, ...failed, level: 'warning' },
    ],
    [
      'did not end before the timeout',
      {
        script: { end: 'never' },
        inputs: { 'timeout-minutes': '3' },
        end: 'timed-out (deadline)',
        status: 'active',
        level: 'error',
        says: /The job is still running after 3 min.*\n.*`job-id: job_0001`/,
      },
    ],
  ];

  test.each(endings)(
    'a job that %s',
    async (_, { script, inputs, end, status = 'completed', ...ending }) => {
      stage.simulator.service.scriptNext(script);
      const run = await stage.play({ prompt: 'Add a quickstart.', ...inputs });

      const { link, level, says } = ending;
      const { outcome, reason } = run.outputs;
      expect([endOf(run), run.exitCode]).toEqual([end, level === 'error' ? 1 : 0]);
      expect(run.outputs).toEqual({
        outcome,
        reason,
        'job-id': 'job_0001',
        'job-status': status,
        'pr-link': link?.url ?? '',
        'pr-number': link?.number ?? '',
        'comment-url': '',
        checks: '',
        result: expect.any(String),
      });
      const source = { repository: 'https://github.com/octo-org/docs' };
      expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
        mode: 'agent',
        job: { id: 'job_0001', status, model: 'sim-writer-1', source },
        pullRequest: link ?? null,
        followUp: false,
      });

      expect(lastAnnotation(run)).toMatchObject({ level, message: expect.stringMatching(says) });
      expect(run.summary).toContain(`| Outcome | \`${outcome}\` (\`${reason}\`) |`);
      expect(run.summary).toMatch(/\| Job \| `job_0001` \|\n\| Model \| `sim-writer-1` \|/);
      expect(run.summary).toContain('| Source | `https://github.com/octo-org/docs@main` |');
      expect(run.summary).toMatch(/\| Time taken \| \d+ min/);
      expect(run.summary).toContain('```text\nAdd a quickstart.\n```');
      // There is no thread, so the summary must not suggest a command.
      expect(run.summary).not.toContain('`/docs');

      const [first, ...looks] = requestLines(stage.simulator.requests);
      expect(first).toBe(`POST ${jobs}`);
      expect(new Set(looks)).toEqual(new Set([`GET ${jobs}/job_0001`]));
      expect(stage.simulator.requests[0]?.body).toEqual({ prompt: 'Add a quickstart.' });
    },
  );

  test('the log reports every change once, and once a minute that the job is still active', async () => {
    stage.simulator.service.scriptNext({ activeMs: 300_000 });
    const { log } = await stage.play({ prompt: 'x' });
    expect(log).toMatch(
      /^▼ What was sent \(1 KiB\)\nx\nCreated job job_0001 \(active, sim-writer-1\)\.\n(Still active after \d min( \d+ s)?\.\n){4}After 5 min( \d+ s)?: active → completed, pull request https.*\nNotice: Pull request #101 is ready to review\.\nTook 5 min[^\n]*\nTo change[^\n]*\nPull request: \S+\n$/,
    );
  });
});

describe('errors', () => {
  const stage = new Stage();

  const jobs = '/v2/agent/prj_simulated_docs/job';

  /** Most tests inject a fault into the request that creates a job, because it costs credits. */
  const at = routes.createJob;

  function expectError(run: RunResult, reason: string, says: RegExp): void {
    expect(run.exitCode).toBe(1);
    expect(run.outputs).toMatchObject({
      outcome: 'failed',
      reason,
      'pr-link': '',
      'comment-url': '',
    });
    const { level, message } = lastAnnotation(run);
    expect(level).toBe('error');
    expect(message).toMatch(says);
    const { error, ...result } = JSON.parse(run.outputs.result ?? '');
    expect(result).toMatchObject({ reason });
    // The result has the cause, the remedy, and the details, and the log has them, too.
    const [cause = '', ...rest] = error.split('\n');
    const details = rest.pop() ?? '';
    const remedy = rest.join('\n');
    expect(details).toMatch(/^(Creating the job|Sending the follow-up|Reading the job): /);
    const shown = message.split('\n');
    expect(shown).toEqual(expect.arrayContaining([details, ...(remedy === '' ? [] : [remedy])]));
    expect(message.split(cause)).toHaveLength(2);
    expect(message).not.toMatch(/\.\.|\n\n/);
    expect(run.summary).toContain(`\`failed\` (\`${reason}\`)`);
    // The service's response is shown as code, and our own sentences as the heading and paragraphs.
    const nodes = nodesOf(parseGfm(run.summary));
    const texts = (type: string) =>
      nodes.filter((node) => node.type === type).map((node) => wordsIn(node));
    const [answer] = texts('code').filter((text) => details.endsWith(`: ${text}`));
    const prose = [...texts('heading'), ...texts('paragraph')];
    expect(prose.join('\n').split(plain(cause))).toHaveLength(2);
    expect(prose).toContain(
      plain(answer === undefined ? `${details}.` : details.slice(0, -answer.length - 1)),
    );
    if (remedy !== '') expect(prose).toContain(plain(remedy));
  }

  const message = (run: RunResult) => lastAnnotation(run).message;

  /** Removes the backticks, which Markdown doesn't show. */
  const plain = (words: string) => words.replaceAll('`', '');

  /** Responses that mean that no job was created, so running again is safe. `unit/http` and `unit/messages` have them all. */
  const refusals: [status: number, reason: string, says: RegExp][] = [
    [
      403,
      'forbidden',
      /^The API key isn’t allowed .*\n.*`write` scope.*the project’s organization.*IP address.*plan.*\n.*returned 403: No$/,
    ],
    [
      429,
      'rate-limited',
      /^The service’s hourly limit has been reached\..*\nTry again after 09:20 UTC \(in 20 min\)\.\n.*returned 429: No$/,
    ],
  ];

  test.each(refusals)(
    'a %i for a new job is an error with a hint, and is not retried',
    async (status, reason, says) => {
      const wait = status === 429 ? { retryAfter: 1_200 } : {};
      stage.simulator.faults.refuse(at, status, { says: 'No', ...wait });
      const run = await stage.play({ prompt: 'x' });
      expectError(run, reason, says);
      expect(run.outputs['job-id']).toBe('');
      expect(message(run)).toMatch(/^[^\n]*\. Nothing was sent\.\n/);
      expect(run.summary).toMatch(/^### .*\. Nothing was sent\.\n/);
      expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
    },
  );

  /** Faults after which a job may or may not exist. */
  const ambiguous: [name: string, fault: FaultSpec, jobs: number, says: RegExp][] = [
    ['truncated JSON', { at, kind: 'truncated-json', when: 'after-handled' }, 1, /201 .*not JSON/],
    ['no response', { at, kind: 'hang' }, 0, /no complete response within 30 s/],
    [
      'a response that is too long',
      { at, kind: 'oversized-json' },
      0,
      /was incomplete\.\n.*MAX_SIZE/s,
    ],
    // A server that redirects may also have accepted the request.
    [
      'a redirect',
      { at, kind: 'redirect', status: 307 },
      0,
      /redirects to `http:\/\/127\.0\.0\.1:\d+`\.\nThe API key is sent only to `base-url`\..*\n.*returned 307/,
    ],
  ];

  test.each(ambiguous)('after %s, nothing is sent again', async (_, fault, created, says) => {
    stage.simulator.faults.add(fault);
    // Only a process of its own has faster timeouts.
    const options = { execute: runChild, env: { SIMULATOR_TIMEOUT_SPEED: '20' } };
    const run = await stage.play({ prompt: 'x' }, options);
    expectError(run, 'unconfirmed', says);
    expect(run.summary).toContain('A job may exist.');
    const hint = '(<https://dashboard.mintlify.com>). If it isn’t there, run the workflow again.';
    expect(run.summary).toContain(hint);
    expect(stage.simulator.service.jobs).toHaveLength(created);
    expect(requestLines(stage.simulator.requests)).toEqual([`POST ${jobs}`]);
  });

  test('after a page instead of a response, the error says to check `base-url`', async () => {
    stage.simulator.faults.add({ at, kind: 'html' });
    const run = await stage.play({ prompt: 'x' });
    expectError(run, 'unconfirmed', /not JSON/);
    const hint = 'Check that `base-url` is the URL of the service’s API, not of a web page';
    expect(run.summary).toContain(hint);
    expect(message(run)).toContain(hint);
  });

  test('a service that refuses connections is tried four times', async () => {
    const gone = await listen(() => Promise.resolve({ kind: 'reset' }));
    await gone.close();
    const run = await stage.play({ prompt: 'x', 'base-url': gone.url });
    expectError(
      run,
      'unreachable',
      /^The service can’t be reached\. .*\n.*`base-url`.*\n.*ECONNREFUSED/,
    );
    expect(run.log.match(/Trying again in/g)).toHaveLength(3);
    expect(run.summary).toContain('Nothing was sent.');
  });

  test('a 401 while watching ends the run, and the summary names the job', async () => {
    stage.simulator.service.scriptNext({ activeMs: 300_000 });
    stage.simulator.faults.refuse(routes.getJob, 401, { nth: 8, times: 99 });
    const run = await stage.play({ prompt: 'x' });
    expectError(run, 'unauthorized', /\nReading the job: the service returned 401: /);
    expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
    expect(run.summary).toContain('| Job | `job_0001` |');
    expect(run.summary).toMatch(/^### ⚠️ The API key .* This run stopped watching the job\./);
  });

  test('a run with an outage until the deadline times out, and the summary names the error', async () => {
    stage.simulator.faults.refuse(routes.getJob, 500, { times: 99 });
    const run = await stage.play({ prompt: 'x', 'timeout-minutes': '5' });
    expect([endOf(run), run.exitCode]).toEqual(['timed-out (deadline)', 1]);
    expect(run.outputs).toMatchObject({ 'job-id': 'job_0001', 'job-status': 'active' });
    const [open = '', folded] = run.summary.split('<details>');
    expect(open).toMatch(
      /^### ⏳ The service is having problems\. This run stopped waiting for the job\./,
    );
    expect(open).toMatch(/\n\nTo follow the job, run the workflow with `job-id: job_0001`\./);
    expect(open).not.toContain('500');
    expect(folded).toContain('returned 500:');
  });

  test.each([
    [500, 'unconfirmed'],
    [400, 'bad-request'],
  ])('a follow-up with a %d response is %s', async (status, reason) => {
    stage.simulator.service.createJob('first').end('completed');
    stage.simulator.faults.refuse(routes.sendMessage, status);
    const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_0001' });
    expectError(run, reason, new RegExp(`Sending the follow-up: the service returned ${status}`));
    expect(stage.simulator.requests.filter(isFor(routes.sendMessage))).toHaveLength(1);
  });

  test('nothing is sent to a job that does not exist', async () => {
    const run = await stage.play({ prompt: 'Shorter.', 'job-id': 'job_9' });
    expectError(
      run,
      'not-found',
      /^This project has no such job\. .*\nCheck .*`job-id`.*\nReading the job: the service returned 404: Job not found$/,
    );
    // A single 404 may be a glitch.
    expect(requestLines(stage.simulator.requests)).toEqual([
      `GET ${jobs}/job_9`,
      `GET ${jobs}/job_9`,
    ]);
  });
});

describe('hostile text', () => {
  const stage = new Stage();

  /** Text with a special meaning in a log, in Markdown, or in HTML. */
  const charge =
    '`|@octocat #1 <img src=x onerror=alert(1)> [a](https://evil.example.com) ![b](c) \\|';
  const command =
    '\n::error::owned\r::add-mask::active\n\u0085::set-output name=pr-link::owned\n##[error]owned';

  /** Besides text and code, a summary may contain only its own headings, table, link, and collapsed part. */
  function expectTame(summary: string): void {
    const nodes = nodesOf(parseGfm(summary));
    const of = (type: Nodes['type']) => nodes.filter((node) => node.type === type);
    expect(of('image')).toEqual([]);
    const folded = ['<details><summary>Details</summary>', '</details>'];
    expect(of('html')).toMatchObject(folded.map((value) => ({ value })));
    for (const link of of('link'))
      expect(link).toMatchObject({ url: expect.stringMatching(/^https:\/\/github\.com\//) });
    for (const row of of('tableRow')) expect(row).toMatchObject({ children: { length: 2 } });
    const prose = of('text').map((node) => ('value' in node ? node.value : ''));
    expect(prose.join('\n')).not.toMatch(/octocat|evil|owned/);
  }

  test('whatever the service says about a job is shown, and has no effect', async () => {
    stage.simulator.service.scriptNext({
      extra: {
        model: `model ${charge}${command}`,
        source: { repository: `octo/${charge}`, ref: command },
      },
      activeStatus: `pondering ${charge}${command}`,
      prLink: `https://github.com/o/r/pull/1?q=|)](https://evil.example.com)<img>${charge.replaceAll(' ', '+')}`,
    });
    const run = await stage.play({ prompt: 'x' });
    expect(run.exitCode).toBe(0);
    expect(run.outputs).toMatchObject({
      outcome: 'pr-created',
      'job-status': 'completed',
      'pr-number': '1',
    });
    expect(run.outputs['pr-link']).toMatch(/^https:\/\/github\.com\/o\/r\/pull\/1\?/);
    expect(run.annotations.map(({ level }) => level)).toEqual(['warning', 'notice']);
    expect(run.annotations[0]?.message).toMatch(/^The job has the status .*pondering/);
    expect(run.masks).not.toContain('active');
    expectTame(run.summary);
  });

  test('whatever the service says about an error is shown, and has no effect', async () => {
    const says = `No ${charge}${command}\n\`\`\`\n# owned`;
    stage.simulator.faults.refuse(routes.createJob, 429, { says });
    const run = await stage.play({ prompt: 'x' });
    expect(run.exitCode).toBe(1);
    expect(run.outputs).toMatchObject({ outcome: 'failed', reason: 'rate-limited', 'pr-link': '' });
    expect(run.annotations).toHaveLength(1);
    expect(run.masks).not.toContain('active');
    expectTame(run.summary);
  });

  test('whatever a prompt says is sent unchanged and shown, and has no effect', async () => {
    const prompt = `${charge}${command}\n\`\`\`\`\n</details>\n# owned\n<!-- -->\n${'`'.repeat(12)}`;
    const run = await stage.play({ prompt });
    expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'pr-number': '101' });
    expect(stage.jobs[0]?.prompts).toEqual([prompt]);
    expect(run.annotations.map(({ level }) => level)).toEqual(['notice']);
    expectTame(run.summary);
  });
});

describe('bad inputs', () => {
  const stage = new Stage();

  const files: Readonly<Record<string, string>> = {
    'prompt.md': '\ufeffFrom a file with a mark.\r\nTwo lines.\n\n',
    'largest.md': '`é` '.repeat(52_000),
  };
  beforeEach(() => {
    for (const [name, text] of Object.entries(files)) writeFileSync(stage.path(name), text);
    symlinkSync('/proc/self/environ', stage.path('linked.md'));
  });

  /**
   * One mistake each. `unit/messages` has most messages; these depend on the event, on files, on the time, on several inputs at
   * once, or on GitHub.
   */
  const mistakes: [name: string, inputs: Record<string, string>][] = [
    ['no prompt at all', {}],
    [
      'a symbolic link to the step’s environment, which contains the key',
      { 'prompt-file': 'linked.md' },
    ],
    ['an unknown mode with its inputs', { mode: 'visitor', alerts: 'total > 1%' }],
    [
      'a forgotten mode, with an input and a value that others have, too',
      { alerts: 'total > 1%', 'max-requests': '20', 'fail-on': 'alert, incomplete' },
    ],
    ['paths without changes', { prompt: 'x', paths: 'src/**' }],
    ['no thread to send', { prompt: 'x', context: 'thread' }],
    ['no beginning of the changes', { prompt: 'x', context: 'changes' }],
    [
      'a period in the future',
      { mode: 'visitors', period: 'custom', 'date-from': '2025-11-01', 'date-to': '2027-01-01' },
    ],
    ['a thread that does not exist', { prompt: 'x', thread: '999' }],
    ['a beginning that does not exist', { prompt: 'x', context: 'changes', 'changes-since': 'v9' }],
  ];

  /** Seven mistakes. */
  const several = {
    'api-key': 'mint_us_fake2',
    'project-id': '..',
    'base-url': 'http://api.example.com',
    'prompt-file': 'none.md',
    'timeout-minutes': 'soon',
    wait: 'maybe',
    'fail-on': 'never',
  };

  /** A summary without its last line, which must link the row about this reason. */
  function withoutHelp(summary: string): string {
    const help =
      /\n\[More about this\]\(<https:\S+troubleshooting\.md#(?:bad-input|github-error)>\)\s+$/;
    expect(summary).toMatch(help);
    return summary.replace(help, '').trimEnd();
  }

  /** Error messages must wrap, so they contain neither code blocks nor characters with a special meaning in Markdown. */
  function expectProse(markdown: string): void {
    const ours = new Set([
      'root',
      'heading',
      'paragraph',
      'list',
      'listItem',
      'text',
      'inlineCode',
    ]);
    for (const node of nodesOf(parseGfm(markdown))) {
      expect(ours).toContain(node.type);
      if (node.type === 'text') expect(node.value).not.toMatch(/[*<>[\]`_{}|]|:\/\//);
    }
  }

  test.each(mistakes)('one mistake is one message: %s', async (_, inputs) => {
    const run = await stage.play(inputs);
    expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed' }, service: [] });
    expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
    const { message } = lastAnnotation(run);
    expect(`${run.outputs.reason}: ${message}`).toMatchSnapshot();
    expect(message).not.toMatch(/\.\.(?!\.)|\n\n|\n- |undefined/);
    // The summary has the same: the problem is its heading.
    const [heading = '', rest = ''] = run.summary.split(/\n\n([\s\S]*)/);
    const [problem = '', remedy = ''] = message.split('\n');
    expect(heading).toContain(`### ❌ ${problem.replace(/\.$/, '')}`);
    expect(rest).toContain(remedy);
    expectProse(withoutHelp(run.summary).replace(/<details>[\s\S]*<\/details>/, ''));
  });

  test('each of several mistakes is named', async () => {
    const run = await stage.play(several);
    expect(run.exitCode).toBe(1);
    expect(run.outputs).toEqual({
      outcome: 'failed',
      reason: 'bad-input',
      result: expect.any(String),
    });
    expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
    const { message } = lastAnnotation(run);
    expect(message).toMatchSnapshot();
    const [first, ...lines] = message.split('\n');
    expect(withoutHelp(run.summary)).toBe(`### ❌ 7 inputs are invalid\n\n${lines.join('\n')}`);
    expect(JSON.parse(run.outputs.result ?? '').error).toBe([first, ...lines].join('\n'));
    expectProse(withoutHelp(run.summary));
    expect(stage.simulator.requests).toEqual([]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'credentials in a URL',
      { 'base-url': 'https://user:hunter2@api.example.com' },
      /^`base-url` must be an https URL .*; it is `https:\/\/\*\*\*@api\.example\.com`\./,
    ],
    [
      'the key in other inputs',
      {
        'api-key': 'mint_hunter2',
        'base-url': 'https://a.example/?key=mint_hunter2',
        'changes-since': 'mint_hunter2',
      },
      /^`base-url` and `changes-since` contain the API key\.\nRemove it; /,
    ],
  ])('%s is not shown, and nothing is requested', async (_, inputs, says) => {
    const run = await stage.play({ prompt: 'x', context: 'changes', ...inputs });
    expect(run.outputs.reason).toBe('bad-input');
    expect(lastAnnotation(run).message).toMatch(says);
    const printed = run.stdout.replace('::add-mask::mint_hunter2', '');
    expect(JSON.stringify([run.outputs, run.summary, run.annotations, printed])).not.toContain(
      'hunter2',
    );
    expect(stage.simulator.requests).toEqual([]);
  });

  test('only the beginning of a long bad value is shown', async () => {
    const run = await stage.play({ prompt: 'x', 'timeout-minutes': '1'.repeat(50_000) });
    expect(lastAnnotation(run).message.length).toBeLessThan(250);
  });

  test('the longest prompt is sent in full and shown in part, but a dry run’s log has all of it', async () => {
    const whole = '`é` '.repeat(52_000).trimEnd();
    const dry = await stage.play({ 'prompt-file': 'largest.md', 'dry-run': 'true' });
    expect(dry).toMatchObject({
      outputs: { reason: 'dry-run' },
      annotations: [{ level: 'notice' }],
    });
    expect(dry.log).toContain(whole);
    expect(dry.summary).toMatch(/…`?\n```/);
    const run = await stage.play({ 'prompt-file': 'largest.md' });
    expect(run.outputs.outcome).toBe('pr-created');
    expect(stage.simulator.service.jobs[0]?.prompts).toEqual([whole]);
    expect(run.summary.length).toBeLessThan(10_000);
    expect(run.summary).toMatch(/…`?\n```/);
    expect(JSON.stringify(run.state).length).toBeLessThan(20_000);
  });

  test('a prompt file is read from the workspace', async () => {
    await stage.play({ 'prompt-file': 'prompt.md', wait: 'false' });
    expect(stage.simulator.service.jobs[0]?.prompts).toEqual([
      'From a file with a mark.\r\nTwo lines.',
    ]);
  });

  test('an ID with special characters stays one segment of the path', async () => {
    const { service } = stage.simulator;
    const [id, encoded] = ['../a?b#c%2e%2e', '..%2Fa%3Fb%23c%252e%252e'];
    service.addProject({ id, apiKey: 'mint_fake_of_project', organization: 'org' });
    const run = await stage.play({
      prompt: 'x',
      'project-id': id,
      'api-key': 'mint_fake_of_project',
    });
    expect(run.outputs.outcome).toBe('pr-created');
    expect(requestLines(stage.simulator.requests)[0]).toBe(`POST /v2/agent/${encoded}/job`);
    await stage.play({ 'job-id': id });
    expect(requestLines(stage.simulator.requests).at(-1)).toBe(
      `GET /v2/agent/prj_simulated_docs/job/${encoded}`,
    );
  });

  test('slashes at the end of base-url mean nothing', async () => {
    await stage.play({ prompt: 'x', wait: 'false', 'base-url': `${stage.simulator.url}///` });
    expect(requestLines(stage.simulator.requests)).toEqual([
      'POST /v2/agent/prj_simulated_docs/job',
    ]);
  });
});
