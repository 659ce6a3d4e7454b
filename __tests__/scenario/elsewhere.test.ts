import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SimulatedGitHub } from '../../simulator/github/github.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import { openPullRequest } from '../support/in-process/changes.ts';
import { playMain } from '../support/in-process/play.ts';
import { isLong } from '../support/long.ts';
import { headlineOf, textOf } from '../support/oracle/agent.ts';
import { endOf, killed } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import {
  collect,
  collecting,
  type LeftOpen,
  leaveOpen,
  runCommand,
} from '../support/scenarios/left-open.ts';
import { serviceInputs } from '../support/usual.ts';

/* Docs in another repository, and branches that publish. */

const docsToken = 'ghs_fake_docs_0000simulated0000';
const url = (number = 7) => `https://github.com/octo-org/handbook/pull/${number}`;
const title = 'Add a quickstart for the Python SDK';
const complete = 'collected (complete)';
const withToken = { 'docs-token': docsToken };

let core: InMemorySimulator;
let docs: SimulatedGitHub;
beforeEach(begin);

function begin(): void {
  core = createInMemorySimulator();
  docs = core.elsewhere;
  docs.addToken(docsToken, {
    issues: 'none',
    'pull-requests': 'read',
    checks: 'read',
    actions: 'none',
  });
}

/** A command whose job opened pull request 7 in the docs repository. */
async function left(inputs: Record<string, string> = {}): Promise<LeftOpen> {
  if (!docs.threads.has(7)) openAgentsPullRequest(docs, 7, title);
  return leaveOpen(core, {
    thread: 1,
    script: { prLink: url() },
    inputs: { wait: 'true', ...inputs },
  });
}

const headline = ({ status }: LeftOpen) =>
  headlineOf(status).replace(/\[published\]\(<.*?>\)/, 'published');
const dispatched = (pullRequest: string, inputs: object = withToken) =>
  collect(core, { inputs: { ...inputs, 'pull-request': pullRequest } });

test('`max-open` counts a pull request once if its link is spelled in two ways', async () => {
  await left(withToken);
  core.service.scriptNext({ prLink: url().replace('octo-org', 'Octo-Org') });
  const usual = { ...serviceInputs(core), ...withToken, prompt: 'Update the docs.' };
  const ask = (runId: number, more: Record<string, string>) => {
    const inputs = { ...usual, thread: '1', ...more };
    return playMain(core, { runId, event: core.github.workflowDispatchEvent(), inputs });
  };
  expect(endOf(await ask(1, {}))).toBe('pr-created (pull-request)');
  const skipped = await ask(2, { 'max-open': '1' });
  expect(endOf(skipped)).toBe('skipped (max-open)');
  expect(endOf(await ask(3, { 'max-open': '2', wait: 'false' }))).toBe('detached (not-waited)');
});

describe('a pull request', () => {
  const visible = 'was merged and published';
  test.each<
    [
      where: string,
      isPrivate: boolean,
      isOwnPrivate: boolean,
      Record<string, string>,
      says: string,
      shows: boolean,
    ]
  >([
    ['a public repository', false, false, {}, visible, true],
    ['a public repository, with a token', false, false, withToken, visible, true],
    ['a private repository', true, true, {}, 'is ready to review', false],
    ['a private repository, with a token', true, true, withToken, visible, true],
    [
      'a private repository, requested in a public one',
      true,
      false,
      {},
      'is ready to review',
      false,
    ],
    [
      'a private repository, requested in a public one, with a token',
      true,
      false,
      withToken,
      visible,
      false,
    ],
  ])('in %s', async (_, isPrivate, isOwnPrivate, inputs, says, shows) => {
    docs.repository.isPrivate = isPrivate;
    core.github.repository.isPrivate = isOwnPrivate;
    const open = await left(inputs);
    docs.checks.add(docs.pullRequests.of(7).head.sha, {
      conclusion: 'failure',
      name: 'Secret check',
    });
    const checks = { checks: 'mintlify/*' };
    await collect(core, { inputs: { ...inputs, ...checks } });
    const unbuilt = textOf(open.status);
    const { sha } = docs.pullRequests.merge(7);
    docs.checks.add(sha, { name: 'Secret check' });
    const played = await collect(core, { inputs: { ...inputs, ...checks } });
    expect([endOf(played), headline(open).includes(says)]).toEqual([complete, true]);
    const isSeen = says === visible;
    expect(unbuilt.includes('failed')).toBe(isSeen);
    const everything = JSON.stringify([unbuilt, core.github.comments, played]);
    expect([title, 'Secret check', '+124'].map((secret) => everything.includes(secret))).toEqual([
      ...[shows, shows, shows],
    ]);
    expect(everything.includes('The token can’t see the pull request')).toBe(!isSeen);
    const { state } = JSON.parse(played.outputs.result ?? '').jobs[0]?.pullRequest ?? {};
    expect(state).toBe(isSeen ? 'merged' : undefined);
    expect(core.violations).toEqual([]);
  });

  test('is named as in any repository while the run waits', async () => {
    expect(headline(await left(withToken))).toContain(`[#7 ${title}](<${url()}>)`);
  });

  test('gets several merges at once, twice, and a promoted candidate', async () => {
    const { github, service } = core;
    openAgentsPullRequest(docs, 7, title);
    service.script({ prLink: url() });
    github.git.commit({ files: { 'README.md': '# Retry\n' } });
    github.releases.add({ tag: 'v1' });
    const send = (event: WebhookEvent) =>
      playMain(core, {
        runId: ++runs,
        event,
        inputs: {
          ...serviceInputs(core),
          ...withToken,
          prompt: 'Update the docs.',
          context: 'changes',
          continue: 'repository',
        },
      });
    let runs = 0;
    const threads: number[] = [];
    for (const _ of ['once', 'twice']) {
      const before = github.git.find('main').sha;
      const numbers = [openPullRequest(github), openPullRequest(github)];
      for (const number of numbers) github.pullRequests.merge(number, 'squash');
      threads.push(numbers[1] ?? 0);
      const played = await send(github.pushEvent({ before }));
      expect(endOf(played)).toBe('pr-created (pull-request)');
    }
    expect(github.comments.map(({ number }) => number)).toEqual(threads);
    github.releases.add({ tag: 'v2-rc', isPrerelease: true });
    github.releases.promote('v2-rc');
    await send(github.releaseEvent('v2-rc', 'released'));
    expect(service.jobs.map(({ prompts }) => prompts.length)).toEqual([3]);
    expect(service.jobs[0]?.prompts[2]).toContain('release v2-rc, which follows v1');
    expect(core.violations).toEqual([]);
  });

  test.each<[string, () => void, string]>([
    ['has no access', () => docs.tokens.clear(), complete],
    [
      'may not read pull requests',
      () => docs.addToken(docsToken, { 'pull-requests': 'none' }),
      complete,
    ],
    [
      'isn’t authorized for single sign-on',
      () =>
        core.faults.refuse(routes.readPullRequest, 403, {
          says: 'Resource protected by organization SAML enforcement.',
          times: 2,
        }),
      'collected (incomplete)',
    ],
  ])('with a token that %s, nothing is lost', async (_, restrict, end) => {
    docs.repository.isPrivate = true;
    core.github.addToken(docsToken);
    restrict();
    const open = await left(withToken);
    expect([endOf(await collect(core, { inputs: withToken })), open.played.exitCode]).toEqual([
      end,
      0,
    ]);
    docs.addToken(docsToken);
    docs.pullRequests.merge(7);
    expect(endOf(await collect(core, { inputs: withToken }))).toBe(complete);
    expect(headline(open)).toContain('was merged');
  });

  test('that becomes private loses its title in a public thread', async () => {
    const open = await left(withToken);
    expect(open.status.body).toContain(title);
    docs.repository.isPrivate = true;
    await collect(core, { inputs: withToken });
    expect(textOf(open.status)).not.toContain(title);
    expect(headline(open)).toContain('is ready to review');
  });

  test('a token that has expired: green, one note that names it, and nothing lost', async () => {
    docs.tokens.clear();
    const open = await left(withToken);
    expect([endOf(open.played), open.played.exitCode]).toEqual(['pr-created (pull-request)', 0]);
    const note = 'The `docs-token` is wrong or has expired.';
    expect(open.played.summary.split(note)).toHaveLength(2);
    await leaveOpen(core, { thread: 2, script: { prLink: url(8) }, inputs: { wait: 'true' } });
    docs.pullRequests.merge(7);
    const played = await collect(core, { inputs: withToken });
    expect([endOf(played), played.exitCode]).toEqual(['collected (incomplete)', 0]);
    expect(played.summary.split(note)).toHaveLength(2);
    expect(played.sent.filter(({ path }) => path.includes('handbook'))).toHaveLength(1);
    docs.addToken(docsToken);
    expect(endOf(await collect(core, { inputs: withToken }))).toBe(complete);
    expect(headline(open)).toContain('was merged');
  });

  test.each([
    [
      docsToken,
      'pull-requests: read',
      'No review was requested from `writer`: the token needs `pull-requests: write`.',
    ],
    [docsToken, 'pull-requests: write', undefined],
  ])('asks for a review there with %s that has %s', async (_, has, refusal) => {
    docs.addToken(docsToken, { 'pull-requests': has.endsWith('write') ? 'write' : 'read' });
    for (const repository of [core.github, docs])
      repository.addUser('writer', { permission: 'write' });
    openAgentsPullRequest(docs, 7, title);
    core.github.addThread({ number: 1 });
    core.service.scriptNext({ prLink: url() });
    const inputs = { ...withToken, wait: 'true', 'request-review': 'requester' };
    const played = await runCommand(core, core.github.comment('writer', 1, '/docs x'), { inputs });
    expect(docs.pullRequests.of(7).reviewers).toEqual(refusal === undefined ? ['writer'] : []);
    if (refusal !== undefined) expect(played.summary).toContain(refusal);
  });

  test('that is private: nothing of what GitHub says about a review there is shown here', async () => {
    docs.repository.isPrivate = true;
    docs.addToken(docsToken, { 'pull-requests': 'write' });
    core.github.addUser('writer', { permission: 'write' });
    openAgentsPullRequest(docs, 7, title);
    core.github.addThread({ number: 1 });
    core.service.scriptNext({ prLink: url() });
    const inputs = { ...withToken, wait: 'true', 'request-review': 'requester' };
    const played = await runCommand(core, core.github.comment('writer', 1, '/docs x'), { inputs });
    const bodies = core.github.commentsOf(1).map(({ body }) => body);
    for (const shown of [played.summary, bodies.join('\n')]) {
      expect(shown).toContain('No review was requested from `writer`: GitHub refused.');
      expect(shown).not.toContain('collaborators');
    }
  });

  test.each([
    ['with a token that sees it, the next change is added to it', withToken, 1],
    [
      'with one that has expired, the next change gets a new job',
      { 'docs-token': 'ghs_fake_expired' },
      2,
    ],
  ])('with `continue: repository`, %s', async (_, inputs, jobs) => {
    docs.repository.isPrivate = true;
    openAgentsPullRequest(docs, 7, title);
    core.github.addThread({ number: 1 });
    core.service.script({ prLink: url() });
    for (const nth of [1, 2]) {
      const prompt = `Update page ${nth}.`;
      const own = {
        ...serviceInputs(core),
        prompt,
        thread: '1',
        continue: 'repository',
        ...inputs,
      };
      const event = core.github.workflowDispatchEvent();
      const played = await playMain(core, { runId: nth, event, inputs: own });
      expect([endOf(played), played.exitCode]).toEqual(['pr-created (pull-request)', 0]);
    }
    expect(core.service.jobs).toHaveLength(jobs);
  });
});

describe('a run about one pull request', () => {
  const fromGitHub = (played: Awaited<ReturnType<typeof dispatched>>) =>
    played.sent.filter(({ to }) => to === 'github').length;

  test('updates the requests that led to it, and no others, with few requests', async () => {
    const open = await left(withToken);
    openAgentsPullRequest(docs, 8);
    const other = await leaveOpen(core, {
      thread: 2,
      script: { prLink: url(8) },
      inputs: { wait: 'true' },
    });
    const { sha } = docs.pullRequests.merge(7);
    docs.checks.add(sha);
    docs.pullRequests.merge(8);
    const played = await dispatched(url());
    expect([endOf(played), played.outputs.finished]).toEqual([complete, '1']);
    expect(
      [headline(open), headline(other)].map((line) => line.includes('was merged and published')),
    ).toEqual([...[true, false]]);
    expect(fromGitHub(played)).toBeLessThanOrEqual(12);
    const again = await dispatched(url());
    expect([endOf(again), again.outputs.finished]).toEqual([complete, '0']);
  });

  test('finds them in a busy repository with at most 26 requests', async () => {
    core.github.addThread({ number: 1 });
    for (let nth = 0; nth < 1_500; nth += 1) core.github.comment('ci[bot]', 1, `${nth}`);
    core.clock.advance(3_600_000);
    const open = await left(withToken);
    core.clock.advance(3_600_000);
    for (let nth = 0; nth < 1_500; nth += 1) core.github.comment('ci[bot]', 1, `${nth}`);
    docs.pullRequests.merge(7);
    const played = await dispatched(url());
    expect(headline(open)).toContain('was merged');
    expect(fromGitHub(played)).toBeLessThanOrEqual(26);
  });

  test('waits for the job of a pull request that was just opened', async () => {
    const source = { repository: 'https://github.com/octo-org/handbook', ref: 'main' };
    const open = await leaveOpen(core, { thread: 1, script: { prLink: url(), extra: { source } } });
    core.clock.advance(30_000);
    openAgentsPullRequest(docs, 7, title);
    const played = await dispatched(url());
    expect([endOf(played), played.outputs.finished]).toEqual([complete, '1']);
    expect(headline(open)).toContain('is ready to review');
  });

  test.each([
    ['the token can’t read it', () => Object.assign(docs.repository, { isPrivate: true }), url()],
    ['it is in a third repository', () => undefined, 'https://github.com/octo-org/third/pull/7'],
    [
      'it is on another server',
      () => undefined,
      'https://github.example.com/octo-org/handbook/pull/7',
    ],
    ['no request led to it', () => undefined, url(9)],
  ])('if %s, it is complete', async (_, change, of) => {
    await left();
    change();
    const played = await dispatched(of, {});
    expect([endOf(played), played.outputs.finished]).toEqual([complete, '0']);
  });

  test('killed at any request, the next run leaves the thread right', async () => {
    const { merge } = docs.pullRequests;
    for (let nth = 1, isOver = false; !isOver; nth += 1) {
      begin();
      const open = await left(withToken);
      const { sha } = merge.call(docs.pullRequests, 7);
      docs.checks.add(sha);
      const inputs = { ...withToken, 'pull-request': url() };
      const killAt = { at: () => true, nth, phase: 'handled' } as const;
      const played = await playMain(core, { ...collecting(core, { inputs }), killAt });
      isOver = played.exitCode !== null;
      if (!isOver) killed(played, killAt);
      await dispatched(url());
      expect(headline(open)).toContain('was merged and published');
      expect(core.github.commentsOf(1)).toHaveLength(2);
    }
  });
});

describe('published', () => {
  type Step = {
    readonly base: 'main' | 'production';
    readonly passes: boolean | 'never';
    readonly isLate: boolean;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    base: fc.constantFrom('main' as const, 'production' as const),
    passes: fc.constantFrom(true, false, 'never' as const),
    isLate: fc.boolean(),
  });
  const history = fc.record({
    step,
    how: fc.constantFrom('merge' as const, 'squash' as const, 'rebase' as const),
    isRerun: fc.boolean(),
    input: fc.constantFrom(undefined, 'main', 'production'),
    jobRef: fc.constantFrom('main', 'refs/heads/production', 'production', 'its own', null),
  });

  test('only after a merge into the branch that the site is built from, with passed checks', async () => {
    const property = fc.asyncProperty(history, async ({ step, how, isRerun, input, jobRef }) => {
      begin();
      const { base, passes, isLate } = step;
      docs.git.commit({ files: { 'docs.json': '{}' } });
      docs.git.branch('production');
      openAgentsPullRequest(docs, 7, title);
      Object.assign(docs.pullRequests.of(7).base, { ref: base, sha: docs.git.find(base).sha });
      const ref = jobRef === 'its own' ? docs.pullRequests.of(7).head.ref : jobRef;
      const source = { repository: 'https://github.com/octo-org/handbook', ref };
      const inputs = { ...withToken, ...(input === undefined ? {} : { 'publish-branch': input }) };
      const open = await leaveOpen(core, {
        ...{ thread: 1, script: { prLink: url(), extra: { source } } },
        inputs: { wait: 'true', ...inputs },
      });
      const { sha } = docs.pullRequests.merge(7, how);
      const check = () => {
        if (passes === 'never') return;
        docs.checks.add(sha, { conclusion: passes ? 'success' : 'failure' });
        if (isRerun) docs.checks.add(sha, { conclusion: 'success' });
      };
      if (!isLate) check();
      await collect(core, { inputs });
      if (isLate) check();
      core.clock.advance(3_600_000);
      await collect(core, { inputs });
      const named = jobRef === 'its own' ? undefined : jobRef?.replace('refs/heads/', '');
      const branch = input ?? named ?? 'main';
      const isPublic = base === branch && passes !== 'never' && (passes || isRerun);
      expect([headline(open).includes('published'), headline(open)]).toEqual([
        isPublic,
        headline(open),
      ]);
    });
    await fc.assert(property, { numRuns: isLong ? 500 : 15 });
  }, 300_000);

  test('for each request by the branch that its own job names, and GitHub is asked once', async () => {
    openAgentsPullRequest(docs, 7, title);
    const requests: LeftOpen[] = [];
    for (const [index, ref] of ['production', 'main', 'main'].entries()) {
      const source = { repository: 'https://github.com/octo-org/handbook', ref };
      const script = { prLink: url(), extra: { source } };
      const inputs = { wait: 'true', ...withToken };
      requests.push(await leaveOpen(core, { thread: index + 1, script, inputs }));
    }
    const { sha } = docs.pullRequests.merge(7);
    docs.checks.add(sha, {});
    const { sent } = await collect(core, { inputs: withToken });
    expect(requests.map((request) => headline(request).includes('published'))).toEqual([
      false,
      true,
      true,
    ]);
    const isAbout = (path: string) => sent.filter((request) => request.path.includes(path)).length;
    expect([isAbout('/pulls/7'), isAbout(`/commits/${sha}/`)]).toEqual([1, 1]);
  });
});

test('a stranger’s comment starts nothing and reads nothing with the docs token', async () => {
  core.github.addThread({ number: 1 });
  const comment = core.github.comment('stranger', 1, '/docs x');
  const played = await runCommand(core, comment, { inputs: withToken });
  expect([endOf(played), played.exitCode]).toEqual(['denied (permission)', 0]);
  expect(core.requests.some(({ path }) => path.includes('handbook'))).toBe(false);
  expect(core.requests.some(({ headers }) => headers.authorization?.includes(docsToken))).toBe(
    false,
  );
  expect(core.requests.some(({ route }) => route === routes.createJob)).toBe(false);
});
