import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { denied, headlines, reactions, Stage, skipped, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';

describe('commands', () => {
  const stage = new Stage();

  const url = 'https://github.com/octo-org/docs/pull/101';
  // The second one says the same, and that the request goes out.
  const asking = '⏳ **Asking the writing agent…**';
  const starts = [asking, asking, '⏳ **The writing agent is working on it.**'];
  const ready = expect.stringMatching(
    /^✅ \*\*\[Pull request #101\]\(.*\)\*\* is ready to review\.$/,
  );

  test('a first command gets 👀 after one request, one comment that ends with the link, and 🚀', async () => {
    const run = await stage.say('/docs add a quickstart for the Python SDK');
    expect(run.exitCode).toBe(0);
    expect(stage.requests).toEqual([['add a quickstart for the Python SDK']]);
    expect(reactions(run.command)).toEqual(['eyes', 'rocket']);
    expect(headlines(stage.status)).toEqual([...starts, ready]);
    expect(
      textOf(stage.status)
        .replace(/1 min \d+ s/, 'T')
        .replace(/runs\/\d+/, 'runs/N'),
    ).toMatchSnapshot();
    const commentUrl = `https://github.com/octo-org/docs/issues/7#issuecomment-${stage.status.id}`;
    expect(run.outputs).toMatchObject({
      ...{
        outcome: 'pr-created',
        reason: 'pull-request',
        'job-id': 'job_0001',
        'job-status': 'completed',
      },
      ...{ 'pr-link': url, 'pr-number': '101', 'comment-url': commentUrl },
    });
    const result = { version: 1, pullRequest: { url, number: '101' }, commentUrl, followUp: false };
    expect(JSON.parse(run.outputs.result ?? '')).toMatchObject(result);
    expect(run.github.map(({ route }) => route)).toEqual([
      routes.lookUpPermission,
      routes.react,
      routes.readThread,
      routes.readIssue,
      routes.writeComment,
      // The run reads the thread twice, because an older claim may appear late in the list.
      routes.readThread,
      routes.readThread,
      // The request goes out between these two.
      routes.editComment,
      routes.editComment,
      routes.readPullRequest,
      routes.editComment,
      routes.react,
    ]);
  });

  test('a second command goes to the same job and gets a separate comment', async () => {
    await stage.say('/docs add a quickstart');
    const run = await stage.say('/docs and one for Ruby');
    expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
    const done = expect.stringMatching(
      /^✅ \*\*The follow-up is done:\*\* \[Pull request #101\]\(.*\)\.$/,
    );
    expect(stage.written().map(headlines)).toEqual([ready, done].map((end) => [...starts, end]));
    // A follow-up also reads the pull request before it sends the message.
    expect(run.github.length).toBeLessThanOrEqual(13);
    expect(JSON.parse(run.outputs.result ?? '')).toMatchObject({
      followUp: true,
      job: { id: 'job_0001' },
    });
  });

  test.each([
    ['', undefined],
    ['--fast add a quickstart', 'There is no flag `--fast`.'],
  ])('/write %j gets help with the configured command name, and no job', async (rest, because) => {
    const run = await stage.say(`/write ${rest}`, { inputs: { command: '/write' } });
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'answered', reason: 'help', 'job-id': '' },
    });
    expect(run.outputs['comment-url']).toContain(`#issuecomment-${stage.status.id}`);
    const text = textOf(stage.status);
    if (because === undefined) expect(text).toMatch(/^ℹ️ \*\*`\/write …` asks/);
    else expect(text.split('\n')[0]).toBe(`⚠️ **${because}**`);
    expect(text.match(/^\/write /gm)).toHaveLength(3);
    expect(text).toContain(
      '`/write …` here continues the last request; `/write --new …` starts over',
    );
    expect(text).not.toContain('/docs');
    expect(run.summary).toContain('`/write …` here continues the last request');
    expect(reactions(run.command)).toEqual(['eyes', '+1']);
    expect(run.service).toEqual([]);
  });

  test('help about a flag of the maximum comment length still fits in a comment', async () => {
    const run = await stage.say(`/docs --${'x'.repeat(65_536 - '/docs --'.length)}`);
    expect(run.exitCode).toBe(0);
    expect(stage.status.body.length).toBeLessThan(5_000);
    expect(textOf(stage.status)).toContain('`/docs status`');
  });

  test.each<[string, Partial<JobScript>, RegExp]>([
    [
      'is running',
      { activeMs: 900_000 },
      /^⏳ \*\*Still working\*\* as of [A-Z][a-z]+ \d+, \d+:\d+ UTC, 4 min( \d+ s)? after it started\.\n\nThe pull request will be linked in \[the status comment\]\(<.*>\)\.$/,
    ],
    [
      'is paused',
      { activeMs: 900_000, activeStatus: 'paused' },
      /^⏳ \*\*The job’s status is `paused`\*\* as of .* after it started\./,
    ],
    // To run `/docs status` again would not start the job again.
    [
      'failed',
      { end: 'failed' },
      /^❌ \*\*The job failed\.\*\* The service .*\n\n`\/docs --new …` starts a new job\.$/,
    ],
  ])('status of a job that %s', async (_, script, says) => {
    stage.simulator.service.scriptNext(script);
    await stage.say('/docs --no-wait add a quickstart');
    stage.simulator.clock.advance(240_000);
    const run = await stage.say('/docs status');
    expect(run.outputs).toMatchObject({ outcome: 'answered', 'job-id': 'job_0001' });
    expect(textOf(stage.newest)).toMatch(says);
  });

  describe('status without a known job', () => {
    test('says if a request may have created one', async () => {
      stage.simulator.faults.add({ at: routes.createJob, kind: 'status', status: 502 });
      await stage.say('/docs add a quickstart');
      await stage.say('/docs status');
      expect(textOf(stage.newest)).toMatch(
        /^⚠️ \*\*We can’t tell whether a job was started in this thread:\*\*/,
      );
    });

    test.each([
      ['nobody asked', undefined, 'Nothing has been requested'],
      ['the only request was refused', 'maintainer', 'No job has been started'],
      ['the only request came from a stranger', 'stranger', 'Nothing has been requested'],
    ])(
      'says that there is none if %s, and sends nothing to the service',
      async (_, login, what) => {
        if (login === 'maintainer') stage.simulator.faults.refuse(routes.createJob, 429);
        if (login !== undefined) await stage.say('/docs add a quickstart', { login });
        const run = await stage.say('/docs status');
        const outputs = { outcome: 'answered', reason: 'status', 'job-id': '' };
        expect(run).toMatchObject({ exitCode: 0, outputs, service: [] });
        const none = `${what} in this thread yet.`;
        const ask = 'Ask with `/docs …`, for example `/docs document this`.';
        expect(textOf(stage.newest)).toBe(`☑️ **${none}**\n\n${ask}`);
        expect(run.summary).toContain(none);
      },
    );

    test('says if earlier runs used a different key', async () => {
      await stage.say('/docs add a quickstart');
      const apiKey = 'mint_fake_1111rotated1111';
      stage.simulator.service.addKey(apiKey);
      await stage.say('/docs status', { inputs: { 'api-key': apiKey } });
      expect(textOf(stage.newest)).toMatch(
        /^⚠️ \*\*Earlier runs in this thread used a different API key/,
      );
    });
  });
});

describe('prompts', () => {
  const stage = new Stage();

  const inputs = { prompt: 'Update the docs for this change.' };

  test('a prompt on an issue gets a status comment there', async () => {
    const run = await stage.on(stage.github.issuesEvent(7), inputs);
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'pr-created', 'pr-number': '101' },
    });
    expect(run.outputs['comment-url']).toContain(`#issuecomment-${stage.status.id}`);
    expect(headlines(stage.status)).toHaveLength(4);
    expect(textOf(stage.status)).toContain('Update the docs for this change.');
    expect(textOf(stage.status)).not.toContain('Asked by');
    expect(run.github.length).toBeLessThanOrEqual(9);
  });

  test('a re-run of a prompt reports its job again, a command continues the job, and another run starts one', async () => {
    stage.threadIs({ isPullRequest: true });
    const event = stage.github.pullRequestEvent(7);
    const first = await stage.on(event, inputs);
    await stage.again(first);
    expect(stage.jobs).toHaveLength(1);
    expect(stage.written()).toHaveLength(1);
    await stage.say('/docs shorter, please');
    await stage.on(event, inputs);
    expect(stage.requests).toEqual([[inputs.prompt, 'shorter, please'], [inputs.prompt]]);
    expect(stage.written()).toHaveLength(3);
  });

  test('`thread: N` gives a thread to a run on another event', async () => {
    const run = await stage.play({ ...inputs, thread: '7' });
    expect(run.outputs.outcome).toBe('pr-created');
    expect(textOf(stage.status)).toContain('is ready');
    await stage.again(run);
    expect(stage.jobs).toHaveLength(1);
  });

  test('a prompt on a comment is sent unchanged, but only for people with permission', async () => {
    const prompt = '/docs --new is part\n  of the prompt';
    const run = await stage.say('Thanks! /docs', { inputs: { prompt } });
    expect(stage.requests).toEqual([[prompt]]);
    expect(run.outputs.outcome).toBe('pr-created');
    expect(reactions(run.command)).toEqual(['eyes', 'rocket']);
    const denied = await stage.say('Thanks!', { login: 'stranger', inputs: { prompt } });
    expect(denied).toMatchObject({ exitCode: 0, outputs: { outcome: 'denied' } });
    // The comment isn't a command, so its author gets no reply.
    expect(reactions(denied.command)).toEqual([]);
    expect(stage.written()).toHaveLength(1);
    expect(stage.jobs).toHaveLength(1);
  });

  test.each(['pull_request_review_comment', 'discussion_comment'])(
    'a prompt on a %s is sent only for people with permission',
    async (name) => {
      stage.threadIs({ isPullRequest: true });
      const on = (login: string) => {
        const comment = stage.github.comment(login, 7, 'Please.');
        return stage.on({ ...stage.github.issueCommentEvent(comment), name }, inputs);
      };
      expect(await on('stranger')).toMatchObject(denied());
      expect(await on('maintainer')).toMatchObject({
        exitCode: 0,
        outputs: { outcome: 'pr-created' },
      });
      expect(stage.requests).toEqual([[inputs.prompt]]);
    },
  );

  test('a run for a fork, a deleted fork, or Dependabot has no key, and succeeds', async () => {
    stage.threadIs({ isPullRequest: true });
    const event = stage.github.pullRequestEvent(7);
    const review = stage.github.reviewEvent(
      stage.github.reviews.submit('maintainer', 7, '/docs x', []),
    );
    const fork = { full_name: 'stranger/docs' };
    const from = (repo: object | null, { payload, ...more }: WebhookEvent) => {
      const pull_request = { ...(payload.pull_request as object), head: { repo } };
      return { ...more, payload: { ...payload, pull_request } };
    };
    const forks = [from(fork, event), from(fork, review), from(null, event)];
    for (const theirs of [...forks, { ...event, actor: 'dependabot[bot]' }]) {
      const run = await stage.on(theirs, { ...inputs, 'api-key': '' });
      expect(run).toMatchObject({ ...skipped('no-secrets'), annotations: [] });
    }
    const mistake = await stage.on(event, { ...inputs, 'api-key': '' });
    expect(mistake).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'failed', reason: 'bad-input' },
    });
  });

  test('a fork that inherited the workflows stays green, until its owner starts one', async () => {
    const inFork = ({ payload, ...more }: WebhookEvent) => {
      const repository = { ...(payload.repository as object), fork: true };
      return { ...more, payload: { ...payload, repository } };
    };
    const { github } = stage;
    github.git.commit();
    github.releases.add({ tag: 'v1' });
    const command = github.comment('maintainer', 7, '/docs x');
    const events = [github.pushEvent(), github.releaseEvent('v1'), github.scheduleEvent()];
    const unset = { 'api-key': '', 'project-id': '' };
    for (const mode of ['agent', 'visitors', 'collect'])
      for (const event of [...events, github.issueCommentEvent(command)]) {
        const run = await stage.on(inFork(event), { ...unset, mode });
        expect(run).toMatchObject({ ...skipped('no-secrets'), annotations: [] });
      }
    const started = inFork(github.workflowDispatchEvent());
    const mistakes = [
      await stage.on(started, { ...inputs, ...unset }),
      await stage.on(github.pushEvent(), { ...inputs, ...unset }),
    ];
    for (const run of mistakes) {
      expect(run).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' } });
      expect(run.log).toContain('doesn’t exist here, or if its name differs');
    }
    const { outputs } = await stage.on(inFork(github.pushEvent()), inputs);
    expect(outputs.outcome).toBe('pr-created');
  });
});

describe('re-runs', () => {
  const stage = new Stage();

  test.each([
    ['a re-run', false],
    ['a re-run of a deleted command', true],
  ])(
    '%s watches a job that is still active, and reports it in the same comment',
    async (_, isDeleted) => {
      stage.simulator.service.script({ activeMs: 3_600_000 });
      const first = await stage.say('/docs add a quickstart', {
        inputs: { 'timeout-minutes': '10' },
      });
      expect(first).toMatchObject({
        exitCode: 1,
        outputs: { outcome: 'timed-out', reason: 'deadline' },
      });
      expect(headlines(stage.status).at(-1)).toBe(
        '⏳ **The job is still running after 10 min; this run stopped waiting.**',
      );
      if (isDeleted) stage.github.delete(first.command.id);
      const second = await stage.again(first, { 'timeout-minutes': '120' });
      const outputs = { outcome: 'pr-created', 'job-id': 'job_0001' };
      expect(second).toMatchObject({ exitCode: 0, outputs, annotations: [{ level: 'notice' }] });
      expect(stage.requests).toEqual([['add a quickstart']]);
      expect(textOf(stage.status)).toMatch(/is ready to review\.\n\nTook (1 h|59 min|60 min)/);
      if (!isDeleted) expect(reactions(first.command)).toEqual(['eyes', 'rocket']);
    },
  );

  test('status says if the job no longer exists', async () => {
    await stage.say('/docs add a quickstart');
    stage.simulator.service.forget('job_0001');
    const early = await stage.say('/docs status');
    expect(textOf(stage.newest)).toMatch(
      /^⏳ \*\*The service doesn’t have job `job_0001` yet\.\*\* Try again/,
    );
    expect(early.service).toHaveLength(2);
    stage.simulator.clock.advance(120_000);
    const run = await stage.say('/docs status');
    expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered' } });
    expect(textOf(stage.newest)).toBe(
      '⚠️ **The thread’s newest job no longer exists:** `job_0001`.',
    );
  });

  test.each(['help', 'status'])('a re-run of %s answers in the same comment', async (word) => {
    const first = await stage.say(`/docs ${word}`);
    const { id } = stage.status;
    const outputs = { outcome: 'answered', reason: word };
    expect(await stage.again(first)).toMatchObject({ exitCode: 0, outputs });
    expect(stage.status.id).toBe(id);
  });

  test('a re-run reports again that the agent did not pick up a follow-up', async () => {
    await stage.say('/docs add a quickstart');
    stage.simulator.service.script({ staleMs: 1e9 });
    const first = await stage.say('/docs shorter');
    expect(first.log).toContain('The agent hasn’t picked up the follow-up yet; still completed');
    for (const run of [first, await stage.again(first)]) {
      expect(run.outputs).toMatchObject({ outcome: 'pr-created', reason: 'follow-up-unseen' });
      expect(run.summary).toContain('couldn’t confirm that the agent picked up the follow-up');
      expect(textOf(stage.newest)).toMatch(/^⚠️ /);
      expect(reactions(first.command)).toEqual(['eyes', 'confused']);
    }
  });
});

describe('secrets', () => {
  const stage = new Stage();

  /** Escapes every character of a JSON string, as RFC 8259 (section 7) allows. */
  function escaped(text: string): string {
    return Array.from(
      text,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ).join('');
  }

  /**
   * Starts a service that repeats the key everywhere: escaped in JSON, and unchanged in headers. `Stage` fails every test whose run
   * shows the key or the token.
   */
  async function echoing(status: number) {
    const server = createServer((request, response) => {
      const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const echo = escaped(key);
      const job = `{"id":"job_1","status":"completed","model":"m ${echo}","prLink":"https://x:${echo}@github.com/o/r/pull/1",
      "source":{"repository":"https://x-access-token:${echo}@github.com/o/${echo}","ref":"${echo}"}}`;
      const error = `{"error":"no ${echo}","details":[{"message":"${echo}"}]}`;
      request.resume();
      response.writeHead(status, {
        'content-type': `text/${key}`,
        'x-key': key,
        location: `https://x.test/${key}`,
      });
      response.end(status < 300 ? job : error);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, close: () => server.close() };
  }

  test.each([201, 302, 400])(
    'a key that the service repeats in a %i response is never shown',
    async (status) => {
      const service = await echoing(status);
      const run = await stage.say('/docs add a quickstart', {
        inputs: { 'base-url': service.url },
      });
      service.close();
      expect(run.outputs.outcome).toBe(status === 201 ? 'pr-created' : 'failed');
      const shown = JSON.stringify([
        run.outputs,
        run.summary,
        stage.written().map(({ body }) => body),
      ]);
      expect(shown).toContain('***');
      expect(shown).not.toContain('x-access-token:');
    },
  );

  test('a prompt from the inputs that contains the key is not sent', async () => {
    const { apiKey } = stage.simulator.service;
    const run = await stage.say('x', { inputs: { prompt: `Document how ${apiKey} is used.` } });
    expect(run).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' }, service: [] });
    expect(run.summary).toContain('`prompt` contains the API key. Nothing was sent.');
  });
});

describe('collecting', () => {
  /* Runs the bundle with `wait: false`, and then in collect mode. */

  const stage = new Stage();

  const hourMs = 3_600_000;

  const collect = () => stage.on(stage.github.scheduleEvent(), { mode: 'collect' });

  test('a run with `wait: false` sends ten requests, and a collect run reports its job', async () => {
    const startedAt = stage.simulator.clock.now();
    const asked = await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
    expect(asked).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'detached', reason: 'not-waited' },
    });
    expect(textOf(stage.status)).toContain('`/docs status` shows its progress');
    // The run waits only before it reads the thread again to check its claim.
    expect(stage.simulator.clock.now() - startedAt).toBe(1_000);
    expect([asked.github.length, asked.service.length]).toEqual([9, 1]);
    expect(stage.status.history).toHaveLength(3);

    stage.simulator.clock.advance(hourMs);
    const run = await collect();
    const outputs = {
      outcome: 'collected',
      reason: 'complete',
      finished: '1',
      'still-active': '0',
    };
    expect(run).toMatchObject({ exitCode: 0, outputs });
    expect(textOf(stage.status)).toMatch(
      /^✅ \*\*\[Pull request #101\]\(<.*>\)\*\* is ready to review\.\n/,
    );
    expect(reactions(asked.command)).toEqual(['eyes', 'rocket']);
    expect(warnings(run)).toEqual([]);
    const pullRequest = { url: 'https://github.com/octo-org/docs/pull/101', number: '101' };
    const jobs = [{ thread: 7, jobId: 'job_0001', outcome: 'pr-created', pullRequest }];
    const result = { mode: 'collect', finished: 1, stillActive: 0, left: 0, jobs };
    expect(JSON.parse(run.outputs.result ?? '')).toMatchObject(result);
    expect(run.summary).toMatch(/^### 1 request became 1 pull request\n/);
    expect(run.summary).toContain('| **Requests**, by 1 person | **1** |');
    expect(run.summary).toContain('**This run** updated 1 comment.');

    const again = await collect();
    expect(again.outputs).toMatchObject({
      outcome: 'collected',
      reason: 'complete',
      finished: '0',
    });
    // The comments, and one look at a pull request that the token couldn't see.
    expect(again.github).toHaveLength(2);
    expect(again.service).toEqual([]);
  });

  test.each([
    ['only read', { issues: 'read', 'pull-requests': 'read' }],
    ['not even read', { issues: 'none', 'pull-requests': 'none' }],
  ] as const)(
    'a token that can %s changes nothing, and the summary names the missing permissions',
    async (_, access) => {
      await stage.say('/docs add a quickstart', { inputs: { wait: 'false' } });
      stage.simulator.clock.advance(hourMs);
      stage.github.restrict(access);
      const before = stage.status.history.length;
      const run = await collect();
      expect(run).toMatchObject({
        exitCode: 1,
        outputs: { outcome: 'failed', reason: 'github-error' },
      });
      const needs = 'Add `issues: write` (on a pull request, `pull-requests: write`) to this job’s';
      expect(run.summary).toContain(needs);
      expect(run.summary.match(/issues: write/g)).toHaveLength(1);
      expect(stage.status.history).toHaveLength(before);
    },
  );

  test('`/docs status` finishes jobs that no run watches, and reports the newest job', async () => {
    const first = await stage.say('/docs --no-wait add a quickstart');
    const second = await stage.say('/docs --new --no-wait explain rate limits');
    stage.simulator.clock.advance(hourMs);
    const status = await stage.say('/docs status');
    const outputs = { outcome: 'answered', 'job-id': 'job_0002', 'pr-number': '102' };
    expect(status).toMatchObject({ exitCode: 0, outputs });
    expect(stage.written().map((comment) => textOf(comment).split('\n')[0])).toEqual([
      expect.stringMatching(/^✅ \*\*\[Pull request #101\].*\*\* is ready to review\.$/),
      expect.stringMatching(/^✅ \*\*\[Pull request #102\].*\*\* is ready to review\.$/),
      expect.stringMatching(/^✅ \*\*\[Pull request #102\].*\*\* is ready to review\.$/),
    ]);
    for (const { command } of [first, second])
      expect(reactions(command)).toEqual(['eyes', 'rocket']);
    // The newest job is checked for the answer, and then both for their status comments.
    expect(status.service.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  test('a thread shows whether the docs were built, merged, and published', async () => {
    const { github } = stage;
    const number = openAgentsPullRequest(github);
    const line = (index: number) => textOf(stage.status).split('\n')[index];
    const suite = async (sha: string, conclusion: string) => {
      github.checks.add(sha, { conclusion });
      const run = await stage.on(github.checkSuiteEvent(sha), { mode: 'collect' });
      expect([run.exitCode, warnings(run), run.service]).toEqual([0, [], []]);
      return run;
    };
    const { sha } = github.pullRequests.of(number).head;
    github.checks.add(sha, { status: 'in_progress' });
    const asked = await stage.say('/docs add a quickstart');
    expect(asked.outputs).toMatchObject({ outcome: 'pr-created', checks: 'building' });
    await suite(sha, 'failure');
    expect(line(2)).toMatch(/^Have the agent fix it: comment on the pull request$/);
    await suite(sha, 'success');
    expect(line(2)).toContain('`+124 −6` in 3 files · [built](');
    const merged = github.pullRequests.merge(number, 'squash');
    await stage.on(github.pullRequestEvent(number, 'closed'), { mode: 'collect' });
    expect(line(0)).toContain('was merged.**');
    const { summary } = await suite(merged.sha, 'success');
    expect(line(0)).toContain('was merged and [published](');
    expect(summary).toContain('was merged and [published](');
    const other = await stage.on(github.checkSuiteEvent(merged.sha, 'other'), { mode: 'collect' });
    expect(other).toMatchObject({
      outputs: { outcome: 'skipped', reason: 'not-ours' },
      github: [],
      summary: '',
    });
  });
});
