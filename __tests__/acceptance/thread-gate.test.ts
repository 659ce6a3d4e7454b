import { describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import {
  denied,
  headlines,
  lastAnnotation,
  reactions,
  Stage,
  skipped,
} from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

test('each stranger gets a 😕 reaction per command and one reply, and the step succeeds', async () => {
  const first = await stage.say('/docs mine bitcoin', { login: 'stranger' });
  const second = await stage.say('/docs please', { login: 'stranger' });
  const other = await stage.say('/docs status', { login: 'passer-by' });
  for (const run of [first, second, other]) {
    expect(run).toMatchObject(denied());
    expect(reactions(run.command)).toEqual(['confused']);
  }
  const why = 'it takes `write` permission, and they have `read`.';
  const replies = ['stranger', 'passer-by'].map(
    (login) => `🚫 **\`${login}\` can’t use \`/docs\` here:** ${why}`,
  );
  expect(stage.written().map(textOf)).toEqual(replies);
  expect(first.summary).toContain('it takes `write` permission');
  expect(first.annotations).toMatchObject([{ level: 'notice' }]);
});

test('each command by a stranger costs at most eight requests, even in a thread of 5,000 comments', async () => {
  for (let n = 0; n < 5_000; n += 1) stage.github.comment('maintainer', 7, `comment ${n}`);
  for (const words of ['/docs one', '/docs two']) {
    const { github, outputs } = await stage.say(words, { login: 'stranger' });
    expect(outputs.outcome).toBe('denied');
    expect(github.length).toBeLessThanOrEqual(8);
  }
  expect(stage.written()).toHaveLength(1);
});

test('`allow-users` works without a permission check, and ignores case', async () => {
  const run = await stage.say('/docs status', {
    login: 'Stranger',
    inputs: { 'allow-users': '@stranger' },
  });
  expect(run.outputs.outcome).toBe('answered');
  expect(run.github[0]?.route).toBe(routes.react);
});

test('an unlisted bot is ignored, and a listed one can use commands', async () => {
  const login = 'renovate[bot]';
  stage.github.addUser(login, { type: 'Bot', permission: 'write' });
  const allowing = (users: string) =>
    stage.say('/docs update the versions', { login, inputs: { 'allow-users': users } });
  const unlisted = await allowing('renovate');
  expect(unlisted).toMatchObject({
    ...skipped('unlisted-bot'),
    github: [],
    summary: '',
    annotations: [],
  });
  expect(unlisted.stdout).toMatch(/^(::add-mask::.*\n)*Skipped: [^\n]+\n$/);
  expect((await allowing(login)).outputs.outcome).toBe('pr-created');
  expect(textOf(stage.status)).toContain('Asked by `renovate[bot]`');
});

describe('a review sends no request', () => {
  const comment = (body: string, login = 'maintainer') => {
    const place = { path: 'docs/quickstart.md', hunk: '@@ -0,0 +1 @@\n+# Quickstart', line: 1 };
    return stage.github.reviewCommentEvent(
      stage.github.reviews.comment(login, 7, { ...place, body }),
    );
  };
  const review = (text: string, action?: 'edited' | 'dismissed') =>
    stage.github.reviewEvent(stage.github.reviews.submit('maintainer', 7, text, []), action);

  test.each<[string, () => WebhookEvent, string]>([
    ['if it has no text', () => review(''), 'no-command'],
    ['if its comment is not a command', () => comment('Nice.'), 'no-command'],
    ['if it was edited', () => review('/docs x', 'edited'), 'not-created'],
    ['if it was dismissed', () => review('/docs x', 'dismissed'), 'not-created'],
    ['if a bot commented', () => comment('/docs x', 'docs-agent[bot]'), 'unlisted-bot'],
  ])('%s', async (_, say, reason) => {
    stage.threadIs({ isPullRequest: true });
    stage.github.addUser('docs-agent[bot]', { type: 'Bot' });
    const run = await stage.on(say());
    expect(run).toMatchObject({ ...skipped(reason), github: [] });
  });
});

describe('a prompt on an event that anyone can trigger', () => {
  const causes = (login: string, name: string, more: object = {}): WebhookEvent => {
    const { json } = stage.github;
    const payload = { action: 'started', repository: json.repository(), ...more };
    return { name, actor: login, payload: { ...payload, sender: json.user(login) } };
  };
  const play = (event: WebhookEvent, inputs: Record<string, string> = {}) =>
    stage.on(event, { prompt: 'Document it.', ...inputs });
  /** A workflow run that this actor triggered in this repository, and that started another one. */
  const runOf = (
    actor: object | null,
    head_repository: object | null = stage.github.json.repository(),
  ) => causes('maintainer', 'workflow_run', { workflow_run: { actor, head_repository } });

  test.each(['watch', 'issues'])(
    'is sent on %s for someone with write permission, and silently skipped for a stranger',
    async (name) => {
      const about = name === 'issues' ? stage.github.issuesEvent(7).payload : {};
      // Strangers must not see an error about a missing file, because their pull request may have removed it.
      const stranger = await play(causes('stranger', name, about), {
        prompt: '',
        'prompt-file': 'gone.md',
      });
      expect(stranger).toMatchObject({ ...skipped('not-allowed'), summary: '', annotations: [] });
      expect(stranger.github.map(({ route }) => route)).toEqual([routes.lookUpPermission]);
      expect(stranger.log).toMatch(
        /Skipped: `stranger` triggered this run, but can’t send requests: it takes `write` .* `none`\./,
      );
      expect(stage.written()).toEqual([]);
      expect((await play(causes('maintainer', name, about))).outputs.outcome).toBe('pr-created');
    },
  );

  test('is skipped without any request for a fork’s run and for an event that no one sent', async () => {
    const maintainer = stage.github.json.user('maintainer');
    const events = [
      ...[{ full_name: 'maintainer/docs' }, null].map((fork) => runOf(maintainer, fork)),
      runOf(null),
      { name: 'watch', actor: 'maintainer', payload: { action: 'started', sender: null } },
    ];
    for (const event of events) {
      const run = await play(event, { allow: 'read' });
      expect(run).toMatchObject({ ...skipped('not-allowed'), github: [] });
    }
  });

  test('is judged on `workflow_run` by the login that triggered the first run', async () => {
    const following = (login: string) => play(runOf(stage.github.json.user(login)));
    expect(await following('stranger')).toMatchObject(skipped('not-allowed'));
    expect((await following('maintainer')).outputs.outcome).toBe('pr-created');
  });
});

describe('a missing prompt file', () => {
  const inputs = { 'prompt-file': 'gone.md' };

  test('fails no step for a stranger', async () => {
    const run = await stage.say('hello', { login: 'stranger', inputs });
    expect(run).toMatchObject(denied());
  });

  test('is reported to people with permission, in the thread, too', async () => {
    const run = await stage.say('hello', { inputs });
    expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'bad-input' } });
    const says = '`prompt-file` (`gone.md`) can’t be used: there is no such file.';
    const how = 'Is there an `actions/checkout` step before this one?';
    const message = `${says} Nothing was sent.\n${how}`;
    expect(run.annotations).toEqual([expect.objectContaining({ level: 'error', message })]);
    expect(textOf(stage.status)).toMatch(/^❌ \*\*`prompt-file` /);
    expect(textOf(stage.status).replaceAll('**', '')).toContain(message.replace('\n', '\n\n'));
    expect(run.service).toEqual([]);
  });
});

describe('bad inputs', () => {
  test.each<[string, Record<string, string>, replies: number]>([
    ['no key', { 'api-key': '' }, 0],
    ['no key, and no thread', { 'api-key': '', thread: 'none' }, 0],
    ['an unknown mode', { mode: 'agnet' }, 1],
    ['those of the check', { allow: 'reader', 'allow-users': 'stranger!', command: 'docs' }, 1],
    ['a command of two words', { command: '/docs ask' }, 1],
    ['several', { 'api-key': 'mint_dsc_fake', 'project-id': '..', 'timeout-minutes': 'soon' }, 0],
  ])('(%s) never fail a stranger’s command, but a permitted one', async (_, inputs, replies) => {
    const denial = await stage.say('/docs one', { login: 'stranger', inputs });
    expect(denial).toMatchObject(denied());
    expect(reactions(denial.command)).toEqual(['confused']);
    expect(denial.github.length).toBeLessThanOrEqual(8);
    expect(stage.written()).toHaveLength(replies);
    const run = await stage.say('/docs three', { inputs });
    expect(run).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' }, service: [] });
    expect(run.annotations).toMatchObject([{ level: 'error' }]);
    expect(reactions(run.command)).toEqual(['confused']);
    const [answer, ...more] = stage.written().slice(replies);
    expect(more).toEqual([]);
    expect(answer && textOf(answer).replace(/runs\/\d+/, 'runs/N')).toMatchSnapshot();
    // Without a key, the comment can't be signed.
    expect(answer?.body.startsWith('<!--') ?? false).toBe(replies > 0);
  });

  test('without a key, get only one reply, however often the run is repeated', async () => {
    const run = await stage.say('/docs one', { inputs: { 'api-key': '' } });
    const again = await stage.again(run);
    expect(again).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' } });
    expect(stage.written()).toHaveLength(1);
  });

  test('never fail an event of a stranger', async () => {
    const outcome = async (login: string) => {
      const { payload, ...event } = stage.github.issuesEvent(7);
      const caused = { ...event, payload: { ...payload, sender: stage.github.json.user(login) } };
      const { exitCode, outputs } = await stage.on(caused, { prompt: 'x', wait: 'maybe' });
      return [exitCode, outputs.reason];
    };
    expect(await outcome('stranger')).toEqual([0, 'not-allowed']);
    expect(await outcome('maintainer')).toEqual([1, 'bad-input']);
    expect(stage.requests).toEqual([]);
  });
});

test.each([
  ['ghost is not a user', 'permission', 'it takes `write` permission, and they have `none`.'],
  [
    'Not Found',
    'permission-unknown',
    'GitHub has no record of them, or the token can’t see this repository.',
  ],
])('a 404 for the permission (%s) is a no, and the reply says why', async (says, reason, why) => {
  stage.simulator.faults.refuse(routes.lookUpPermission, 404, { says });
  const run = await stage.say('/docs do it');
  expect(run).toMatchObject(denied(reason));
  expect(textOf(stage.status)).toContain(why);
});

test.each([
  ['the permission lookup', routes.lookUpPermission],
  ['everything', ({ to }: RecordedRequest) => to === 'github'],
])('a secondary limit on %s delays turning a stranger away by at most a minute', async (_, at) => {
  const { clock, faults } = stage.simulator;
  faults.refuse(at, 403, { says: 'You have exceeded a secondary rate limit.', times: 99 });
  const run = await stage.say('/docs mine bitcoin', { login: 'stranger' });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'denied' }, service: [] });
  expect(clock.monotonic()).toBeLessThanOrEqual(60_000);
});

test('someone with permission is not turned away by a secondary limit of a minute', async () => {
  stage.simulator.faults.refuse(routes.lookUpPermission, 403, { retryAfter: 60 });
  stage.simulator.faults.refuse(routes.writeComment, 403, { retryAfter: 60, times: 2 });
  expect((await stage.say('/docs add it')).outputs.outcome).toBe('pr-created');
});

test.each([
  [500, 'Oops'],
  [403, 'Resource not accessible by integration'],
])(
  'a permission check that fails with %i denies the command, and the reply says why',
  async (status, says) => {
    stage.simulator.faults.refuse(routes.lookUpPermission, status, { says, times: 9 });
    const run = await stage.say('/docs do it');
    expect(run).toMatchObject(denied('permission-unknown'));
    expect(textOf(stage.status)).toMatchSnapshot();
    expect(lastAnnotation(run).message).toMatchSnapshot();
    expect(reactions(run.command)).toEqual(['confused']);
    expect(run.summary).toContain('couldn’t be checked');
    // The reply says that the log has details.
    expect(run.log).toContain('Looking up the permission of `maintainer`');
  },
);

test('without a token, every command is denied', async () => {
  const run = await stage.say('/docs do it', { inputs: { 'github-token': '' } });
  expect(run).toMatchObject({ ...denied('permission-unknown'), github: [] });
  expect(run.summary).toContain('The workflow doesn’t give this step a `github-token`.');
});

test('an edit after the event does not count', async () => {
  const command = stage.github.comment('maintainer', 7, '/docs fix the typo');
  const event = stage.github.issueCommentEvent(command);
  stage.github.edit(command.id, '/docs delete everything');
  await stage.on(event);
  expect(stage.requests).toEqual([['fix the typo']]);
});

test('commands work in a closed thread, too', async () => {
  stage.threadIs({ state: 'closed' });
  const run = await stage.say('/docs document the fix');
  expect(run.outputs.outcome).toBe('pr-created');
  expect(headlines(stage.status)).toHaveLength(4);
});
