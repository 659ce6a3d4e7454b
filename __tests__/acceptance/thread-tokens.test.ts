import { describe, expect, test } from '@jest/globals';
import type { ErrorAnswer } from '../../simulator/http/faults.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { runPost } from '../../simulator/runner/runner.ts';
import { lastAnnotation, reactions, Stage, skipped, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

test.each([
  ['an issue', {}, { issues: 'read' }, 'Add `issues: write`'],
  [
    'a pull request',
    { isPullRequest: true },
    { 'pull-requests': 'read' },
    '`pull-requests: write`',
  ],
  ['a locked thread', { locked: true }, {}, 'The thread is locked'],
] as const)(
  'with a token that can’t write on %s, the run succeeds, and one warning says why',
  async (_, thread, capabilities, why) => {
    stage.threadIs(thread);
    stage.github.restrict(capabilities);
    const run = await stage.say('/docs add a quickstart');
    const outputs = { outcome: 'pr-created', 'pr-number': '101', 'comment-url': '' };
    expect(run).toMatchObject({ exitCode: 0, outputs });
    expect(warnings(run)).toEqual([expect.stringContaining(why)]);
    expect(reactions(run.command)).toEqual([]);
    expect(run.summary).toContain('is ready');
    expect(run.summary).toContain('add a quickstart');
    // No comment names the job, so a command in the thread can't continue it.
    expect(run.summary).not.toContain('comment `/docs …`');
    expect(run.summary).toContain('A new `/docs …` starts a new job.');
    expect(stage.written()).toEqual([]);
    expect(stage.jobs).toHaveLength(1);
  },
);

test('if only the reactions are rejected, the comment is still written', async () => {
  stage.simulator.faults.refuse(routes.react, 403, {
    says: 'Resource not accessible by x',
    times: 9,
  });
  const run = await stage.say('/docs add a quickstart');
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created' } });
  expect(textOf(stage.status)).toContain('is ready');
  const warning =
    /^The token lacks a permission\. The status comment isn’t affected\.\nAdd `issues: write`/;
  expect(warnings(run)).toEqual([expect.stringMatching(warning)]);
});

test.each([
  [
    'the token can’t write',
    { issues: 'read' },
    {},
    1,
    'github-error',
    /: push the fix, then comment again/,
  ],
  [
    'the thread is locked',
    {},
    { locked: true },
    0,
    'locked',
    /\nThe thread is locked\..* Ask again only if/,
  ],
] as const)(
  'if %s, only the first attempt sends the request, and a re-run says so',
  async (_, access, thread, exitCode, reason, says) => {
    stage.threadIs(thread);
    stage.github.restrict(access);
    const first = await stage.say('/docs add a quickstart');
    expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created' } });
    const again = await stage.again(first);
    expect(again).toMatchObject({ exitCode, outputs: { reason }, service: [] });
    expect(again.summary).toMatch(says);
    expect(again.summary).toMatch(
      /[Aa]n earlier (one|attempt) may have.* the service’s \[?dashboard/,
    );
    expect(stage.jobs).toHaveLength(1);
  },
);

// `unit/messages` has the other refusals.
test.each([
  [401, 'Bad credentials', 'The `github-token` is wrong or has expired', 'Replace it, or'],
  [
    403,
    'A reason that no one has heard of',
    'GitHub refused this request',
    'The log has GitHub’s reason.',
  ],
])(
  'if GitHub refuses a token (%i: %s), nothing is sent, and the remedy is named',
  async (status, says, cause, hint) => {
    const { faults } = stage.simulator;
    faults.refuse(routes.writeComment, status, { says, times: 9 });
    const claiming = await stage.say('/docs add a quickstart');
    expect(claiming).toMatchObject({
      exitCode: 1,
      outputs: { reason: 'github-error' },
      service: [],
    });
    expect(claiming.summary).toContain(`### ❌ ${cause}. Nothing was sent.\n\n${hint}`);
    expect(claiming.summary).not.toContain('issues: write');
    faults.clear();
    faults.refuse(({ to }) => to === 'github', status, { says, times: 99 });
    const asking = await stage.say('/docs add a quickstart', { login: 'stranger' });
    expect(asking).toMatchObject({
      exitCode: 0,
      outputs: { reason: 'permission-unknown' },
      service: [],
    });
    expect(asking.summary).toContain(`${cause}. ${hint}`);
    expect(asking.log).toMatch(
      new RegExp(`^${cause}\\.\\n(.*\\n)?.*: GitHub returned ${status}: ${says}$`, 'm'),
    );
    expect(asking.annotations).toMatchObject([{ level: 'notice' }]);
  },
);

test('help is in the summary if the token can’t write in the thread', async () => {
  stage.github.restrict({ issues: 'read' });
  const help = await stage.say('/docs help');
  expect(help).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered', reason: 'help' } });
  expect(help.summary).toContain('/docs fix the broken links on /install');
});

test('status says if the token can’t read the thread', async () => {
  await stage.say('/docs add a quickstart');
  stage.github.restrict({ issues: 'none' });
  const run = await stage.say('/docs status');
  const outputs = { outcome: 'answered', reason: 'status', 'job-id': '' };
  expect(run).toMatchObject({ exitCode: 0, outputs });
  expect(run.summary).not.toContain('Nothing has been requested in this thread yet');
  expect(run.summary).toContain('can’t read the thread');
  expect(warnings(run)).toHaveLength(1);
});

test('on GitHub Enterprise Server, all requests and links use the server’s URLs', async () => {
  const server = 'https://github.example.corp';
  const run = await stage.say('/docs add a quickstart', { env: { GITHUB_SERVER_URL: server } });
  const { host, pathname } = new URL(stage.simulator.githubUrl);
  expect(pathname).not.toBe('/');
  expect(run.github.length).toBeGreaterThan(0);
  expect(run.github.map(({ headers }) => headers.host)).toEqual(run.github.map(() => host));
  expect(textOf(stage.status)).toContain(
    `(<${server}/octo-org/docs/actions/runs/${run.identity.runId}>)`,
  );
});

test('`thread: none` writes no comment, but adds reactions and checks permissions', async () => {
  const inputs = { thread: 'none' };
  const denied = await stage.say('/docs do it', { login: 'stranger', inputs });
  expect(denied).toMatchObject({ exitCode: 0, outputs: { outcome: 'denied' } });
  expect(reactions(denied.command)).toEqual(['confused']);
  const run = await stage.say('/docs add a quickstart', { inputs });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'comment-url': '' });
  expect(reactions(run.command)).toEqual(['eyes', 'rocket']);
  expect(run.github).toHaveLength(6);
  expect(stage.written()).toEqual([]);
});

test('a dry run checks permissions, and shows the prompt in the log without executing commands in it', async () => {
  const inputs = { 'dry-run': 'true' };
  const run = await stage.say('/docs add it\n::set-output name=outcome::pwned\n::add-mask::e', {
    inputs,
  });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered', reason: 'dry-run' } });
  expect(run.log).toContain('\nadd it\n::set-output name=outcome::pwned\n::add-mask::e\n');
  expect(run.masks).not.toContain('e');
  const denied = await stage.say('/docs do it', { login: 'stranger', inputs });
  expect(denied.outputs.outcome).toBe('denied');
  expect([run, denied].flatMap(({ command }) => reactions(command))).toEqual([]);
  expect(stage.written()).toEqual([]);
});

test('a dry run warns if the token can’t read the thread', async () => {
  stage.github.restrict({ issues: 'none' });
  const run = await stage.say('/docs add a quickstart', { inputs: { 'dry-run': 'true' } });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'answered', reason: 'dry-run' } });
  expect(warnings(run)[0]).toContain('Add `issues: write`');
});

describe('a deleted command', () => {
  const deleted = (body: string) => {
    const command = stage.github.comment('maintainer', 7, body);
    const event = stage.github.issueCommentEvent(command);
    stage.github.delete(command.id);
    return event;
  };

  test.each(['/docs add a quickstart', '/docs status', '/docs help'])(
    'is skipped if its run had not started: %s',
    async (body) => {
      const run = await stage.on(deleted(body));
      expect(run).toMatchObject({ ...skipped('deleted'), summary: '', annotations: [] });
      expect(run.log).toContain('Skipped: the comment was deleted before the run got to it.');
      expect(stage.written()).toEqual([]);
    },
  );

  test('is not assumed after a single 404', async () => {
    stage.simulator.faults.refuse(routes.react, 404);
    const run = await stage.say('/docs add a quickstart');
    expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created' } });
    expect(textOf(stage.status)).toContain('is ready');
  });
});

test.each([
  ['a command by a listed user', {}, '/docs add a quickstart'],
  ['a prompt for a thread', { prompt: 'Add it.', thread: '7' }, undefined],
])('without a token, %s is an error that names the input', async (_, given, body) => {
  const inputs = { ...given, 'github-token': '', 'allow-users': 'maintainer' };
  const run = body === undefined ? await stage.play(inputs) : await stage.say(body, { inputs });
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'bad-input' } });
  expect(lastAnnotation(run).message).toBe(
    '`github-token` is missing. Nothing was sent.\nThe action needs it to write in thread 7. To write nothing there, set `thread: none`.',
  );
  expect([...run.github, ...run.service]).toEqual([]);
});

test.each<[string, Omit<ErrorAnswer, 'retryAfter'>, writes: number, waitedMs: number]>([
  ['the token has expired', { status: 401, says: 'Bad credentials' }, 2, 0],
  ['it was renamed', { status: 307, says: 'Moved', headers: { location: '?moved' } }, 2, 0],
  ['GitHub is down', { status: 503 }, 99, 60_000],
  [
    'GitHub limits writes',
    { status: 403, says: 'You have exceeded a secondary rate limit.' },
    99,
    60_000,
  ],
])(
  'post stops at a refusal, and after a minute of anything else: %s',
  async (_, answer, writes, waitedMs) => {
    const { simulator } = stage;
    const main = await stage.say('/docs add it', {
      killAt: { at: routes.getJob, phase: 'arrived' },
    });
    simulator.service.jobs[0]?.end('completed');
    const isWrite = ({ to, method }: RecordedRequest) => to === 'github' && method !== 'GET';
    simulator.faults.add({ at: isWrite, kind: 'status', ...answer, times: 99 });
    const startMs = simulator.clock.monotonic();
    const before = simulator.requests.length;
    expect((await runPost(main)).summary).toContain('is ready');
    expect(simulator.requests.slice(before).filter(isWrite).length).toBeLessThanOrEqual(writes);
    expect(simulator.clock.monotonic() - startMs).toBeLessThanOrEqual(waitedMs);
  },
);

test('post leaves the outputs as main has published them', async () => {
  const main = await stage.play({ prompt: 'x', thread: '999' });
  expect(main.outputs).toMatchObject({ outcome: 'failed', reason: 'github-error' });
  expect((await stage.post(main)).outputs).toEqual({});
});

test('if a run could not add its reaction, post does not change the status comment', async () => {
  stage.simulator.faults.refuse(routes.react, 502, { times: 9 });
  const main = await stage.say('/docs add a quickstart');
  const warning =
    /^GitHub is having problems \(Adding a reaction: GitHub returned 502: .*\)\. The status comment isn’t affected\.$/;
  expect(warnings(main)).toEqual([expect.stringMatching(warning)]);
  const text = textOf(stage.status);
  expect(text).toMatch(/is ready to review\./);
  stage.simulator.clock.advance(600_000);
  const late = await stage.post(main);
  expect(late).toMatchObject({ summary: '', annotations: [] });
  expect(textOf(stage.status)).toBe(text);
});
