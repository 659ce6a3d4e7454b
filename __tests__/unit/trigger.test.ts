import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inputKey, readTrigger } from '../../src/agent/request/trigger.ts';
import { InputError } from '../../src/core/errors.ts';
import { isSmallTalk, turnAway } from '../../src/front-door.ts';
import { parseEvent } from '../../src/github/event.ts';
import { card, context, signer } from '../support/samples/cards.ts';
import { agentConfig } from '../support/samples/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'trigger-'));
afterAll(() => rmSync(directory, { recursive: true }));

const config = (inputs: Record<string, string> = {}) => agentConfig(inputs, { needsPrompt: false });

interface Given {
  readonly action?: string;
  readonly user?: unknown;
  readonly issue?: unknown;
}

const payloadOf = (body: unknown, { action = 'created', user, issue }: Given = {}) => ({
  action,
  comment: { id: 40, body, user: user === undefined ? { login: 'maintainer', type: 'User' } : user },
  issue: issue === undefined ? { number: 7, comments: 3 } : issue,
});

const read = async (body: unknown, inputs: Record<string, string> = {}, given: Given = {}) =>
  readTrigger(await config(inputs), parseEvent('issue_comment', payloadOf(body, given)), context);

const thread = { number: 7, comments: 3 };
const ask = {
  prompt: 'add it',
  jobId: undefined,
  continues: 'thread' as const,
  about: expect.objectContaining({ tellsThread: true, change: undefined, isNamed: false, maySkip: false }),
  wait: true,
  removed: 0,
};

describe('a comment', () => {
  test('is asked by its command, under its own key', async () => {
    expect(await read('/docs add it')).toEqual({
      kind: 'ask',
      key: 'comment:40',
      thread,
      source: { commentId: 40, author: { login: 'maintainer', isBot: false }, isCommand: true },
      actor: undefined,
      ask,
    });
    expect(await read('/docs --new --no-wait add it')).toMatchObject({
      ask: { ...ask, continues: 'nowhere', wait: false },
    });
    expect(await read('/docs add it', { wait: 'false' })).toMatchObject({ ask: { ...ask, wait: false } });
    expect(await read('/docs help')).toMatchObject({ kind: 'help', because: undefined });
    expect(await read('/docs status')).toMatchObject({ kind: 'status' });
  });

  test('is freed of what shows nothing, and asks nothing where nothing is left', async () => {
    expect(await read('/docs add\u{e0041}\u200b it')).toMatchObject({ ask: { ...ask, removed: 2 } });
    expect(await read('/docs --new \u200b\u{e0041}')).toMatchObject({
      kind: 'help',
      because: 'The prompt is empty.',
    });
  });

  test('with an explicit prompt has a key of that prompt, the same every time', async () => {
    const keyOf = async (inputs: Record<string, string>) => {
      const trigger = await read('talk', inputs);
      return trigger.kind === 'skip' ? undefined : trigger.key;
    };
    const keys = [
      await keyOf({ prompt: 'x' }),
      await keyOf({ prompt: 'y' }),
      await keyOf({ prompt: 'x', 'job-id': 'j' }),
    ];
    expect(new Set(keys).size).toBe(3);
    expect(await keyOf({ prompt: 'x' })).toBe(keys[0]);
  });

  test('with an explicit prompt is sent that, as given and without the grammar', async () => {
    const prompt = '/docs --new\u200b x';
    expect(await read('talk', { prompt })).toMatchObject({
      kind: 'ask',
      key: expect.stringMatching(/^comment:40:[\w-]{12}$/),
      source: { commentId: 40 },
      ask: { prompt, continues: 'nowhere', removed: 0 },
    });
    expect(await read('/docs status', { 'job-id': 'job_1' })).toMatchObject({
      ask: { prompt: undefined, jobId: 'job_1' },
    });
  });

  test.each<[string, string, string, Record<string, string>, Given]>([
    ['edited', 'not-created', '/docs add it', {}, { action: 'edited' }],
    ['deleted', 'not-created', '/docs add it', {}, { action: 'deleted' }],
    ['edited, with a prompt', 'not-created', 'x', { prompt: 'x' }, { action: 'edited' }],
    ['talk', 'no-command', 'I like /docs', {}, {}],
    ['empty', 'no-command', '', {}, {}],
    ['our own', 'no-command', signer.sign(card()), {}, {}],
    ['our own, with a prompt', 'own-comment', signer.sign(card()), { prompt: 'x' }, {}],
    ['made to look like ours', 'own-comment', '<!-- docs-agent:v1 x', { prompt: 'x' }, {}],
    ['of a bot', 'unlisted-bot', '/docs add it', {}, { user: { login: 'renovate[bot]', type: 'Bot' } }],
    [
      'of a bot, with a prompt',
      'unlisted-bot',
      'x',
      { prompt: 'x' },
      { user: { login: 'renovate[bot]', type: 'Bot' } },
    ],
    [
      'of a bot listed by half its name',
      'unlisted-bot',
      '/docs x',
      { 'allow-users': 'renovate' },
      { user: { login: 'renovate[bot]', type: 'Bot' } },
    ],
  ])('%s is left alone: %s', async (_, reason, body, inputs, given) => {
    expect(await read(body, inputs, given)).toMatchObject({ kind: 'skip', reason });
  });

  test('of a bot listed by its exact login commands', async () => {
    const user = { login: 'Renovate[bot]', type: 'Bot' };
    expect(await read('/docs add it', { 'allow-users': 'renovate[bot]' }, { user })).toMatchObject({
      kind: 'ask',
      ask,
    });
  });

  test('of somebody who is gone has a name that nobody has', async () => {
    expect(await read('/docs add it', {}, { user: null })).toMatchObject({
      source: { author: { login: 'ghost' } },
    });
  });
});

describe('where the status comment goes', () => {
  test.each([
    ['auto', thread],
    ['none', undefined],
    ['7', thread],
    ['8', { number: 8, comments: undefined }],
  ])('thread: %s', async (choice, expected) => {
    expect((await read('/docs add it', { thread: choice })) as { thread: unknown }).toHaveProperty(
      'thread',
      expected,
    );
  });

  const sender = { login: 'maintainer', type: 'User' };
  const actor = { login: 'maintainer', isBot: false };
  test.each([
    ['pull_request', { sender, pull_request: { number: 9, comments: 2 } }, { number: 9, comments: 2 }, actor],
    [
      'pull_request_target',
      { sender, pull_request: { number: 9 } },
      { number: 9, comments: undefined },
      actor,
    ],
    ['issues', { sender, issue: { number: 9, comments: 0 } }, { number: 9, comments: 0 }, actor],
    ['push', { ref: 'refs/heads/main' }, undefined, undefined],
    ['schedule', {}, undefined, undefined],
    ['workflow_dispatch', { inputs: {} }, undefined, undefined],
  ])('a prompt on %s', async (name, payload, expected, whoever) => {
    const trigger = readTrigger(await config({ prompt: 'x' }), parseEvent(name, payload), context);
    expect(trigger).toEqual({
      kind: 'ask',
      key: expect.stringMatching(/^run:7000000001:docs\.__action:[\w-]{12}$/),
      thread: expected,
      source: undefined,
      actor: whoever,
      ask: { prompt: 'x', jobId: undefined, continues: 'nowhere', about: undefined, wait: true, removed: 0 },
    });
  });

  test('a pull request that was closed without being merged is asked nothing of', async () => {
    const event = parseEvent('pull_request', {
      action: 'closed',
      pull_request: { number: 9, merged: false },
    });
    expect(readTrigger(await config({ prompt: 'x' }), event, context)).toMatchObject({
      kind: 'skip',
      reason: 'not-merged',
    });
  });
});

test.each(['pull_request_review', 'pull_request_review_comment', 'commit_comment', 'discussion_comment'])(
  'a command in a %s is left alone',
  async (name) => {
    const event = parseEvent(name, payloadOf('/docs add it'));
    expect(readTrigger(await config(), event, context)).toMatchObject({
      kind: 'skip',
      reason: 'wrong-event',
    });
  },
);

describe('a prompt on a comment elsewhere', () => {
  const on = async (name: string, payload: Record<string, unknown>) =>
    readTrigger(await config({ prompt: 'x' }), parseEvent(name, payload), context);
  const sender = { login: 'stranger', type: 'User' };

  test.each([
    ['pull_request_review', 'review', 'submitted'],
    ['pull_request_review_comment', 'comment', 'created'],
    ['commit_comment', 'comment', 'created'],
    ['discussion_comment', 'comment', 'created'],
    ['discussion', 'discussion', 'created'],
  ])('%s is asked by whoever wrote it, whoever acts', async (name, place, action) => {
    const by = (user: object, body = 'x') => ({ action, sender, [place]: { body, user } });
    expect(await on(name, by({ login: 'author', type: 'User' }))).toMatchObject({
      kind: 'ask',
      source: { commentId: undefined, author: { login: 'author', isBot: false } },
    });
    expect(await on(name, { action })).toMatchObject({ source: { author: { login: 'ghost' } } });
    const bot = { login: 'renovate[bot]', type: 'Bot' };
    expect(await on(name, by(bot))).toMatchObject({ kind: 'skip', reason: 'unlisted-bot' });
    const own = signer.sign(card());
    expect(await on(name, by({ login: 'author' }, own))).toMatchObject({
      kind: 'skip',
      reason: 'own-comment',
    });
  });

  test('is one trigger for all runs that it starts, in the pull request that it stands in', async () => {
    const comment = { id: 9, body: 'x', user: { login: 'author' } };
    const payload = { action: 'created', comment, pull_request: { number: 4 } };
    const ready = await config({ prompt: 'x' });
    for (const runId of ['7000000001', '7000000002']) {
      const event = parseEvent('pull_request_review_comment', payload);
      expect(readTrigger(ready, event, { ...context, runId })).toMatchObject({
        thread: { number: 4 },
        key: inputKey('pull_request_review_comment:9', ready),
      });
    }
    expect(await on('commit_comment', { action: 'created', comment })).toMatchObject({
      thread: undefined,
      key: inputKey('commit_comment:9', ready),
    });
  });

  test.each(['deleted', 'edited', 'dismissed', 'answered', 'labeled', ''])(
    'one that was %s is asked nothing of',
    async (action) => {
      for (const name of [
        'pull_request_review_comment',
        'pull_request_review',
        'discussion',
        'issue_comment',
      ]) {
        const comment = { body: 'x', user: { login: 'stranger' } };
        expect(await on(name, { action, sender, comment })).toMatchObject({ kind: 'skip' });
      }
    },
  );
});

describe('a bot’s act on an issue or pull request', () => {
  const payload = { action: 'opened', issue: { number: 7 }, sender: { login: 'Tidy[bot]', type: 'Bot' } };
  const on = (ready: Awaited<ReturnType<typeof config>>) =>
    readTrigger(ready, parseEvent('issues', payload), context);

  test('asks nothing, whatever permission the bot has', async () => {
    for (const allow of ['read', 'write'])
      expect(on(await config({ prompt: 'x', allow }))).toMatchObject({
        kind: 'skip',
        reason: 'unlisted-bot',
      });
  });

  test('asks where the bot is listed', async () => {
    expect(on(await config({ prompt: 'x', 'allow-users': 'tidy[bot]' }))).toMatchObject({ kind: 'ask' });
  });
});

test('a run that nothing was asked of is told what to set', async () => {
  const ready = await config();
  expect(() => readTrigger(ready, parseEvent('push', {}), context)).toThrow(InputError);
});

describe('the front door', () => {
  const path = join(directory, 'event.json');
  const environment = (inputs: Record<string, string> = {}, name = 'issue_comment') => ({
    GITHUB_EVENT_NAME: name,
    GITHUB_EVENT_PATH: path,
    ...Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value]),
    ),
  });
  const isTurnedAway = (body: unknown, ...given: Parameters<typeof environment>) => {
    writeFileSync(path, JSON.stringify(payloadOf(body)));
    return isSmallTalk(environment(...given));
  };

  test('turns away what is no command, and only that', async () => {
    const ready = await config();
    const first = fc.constantFrom(
      '/docs',
      '/DOCS',
      ' /docs',
      '> /docs',
      '/docsx',
      '\ufeff/docs',
      '`/docs`',
      '\n/docs',
      '',
    );
    fc.assert(
      fc.property(first, fc.string({ unit: 'binary' }), (head, tail) => {
        const body = head + tail;
        const trigger = readTrigger(ready, parseEvent('issue_comment', payloadOf(body)), context);
        expect(isTurnedAway(body)).toBe(trigger.kind === 'skip' && trigger.reason === 'no-command');
      }),
    );
  });

  test('listens to the command configured', () => {
    expect(isTurnedAway('/write it', { command: ' /write ' })).toBe(false);
    expect(isTurnedAway('/docs it', { command: '/write' })).toBe(true);
  });

  test.each<[string, Parameters<typeof environment>]>([
    ['an explicit prompt', [{ prompt: 'x' }]],
    ['a prompt file', [{ 'prompt-file': 'x.md' }]],
    ['a job', [{ 'job-id': 'job_1' }]],
    ['another mode', [{ mode: 'visitors' }]],
    ['another event', [{}, 'issues']],
  ])('lets %s in', (_, given) => {
    expect(isTurnedAway('talk', ...given)).toBe(false);
  });

  test('lets in what it cannot read', () => {
    expect(isTurnedAway(null)).toBe(false);
    writeFileSync(path, '{');
    expect(isSmallTalk(environment())).toBe(false);
    expect(isSmallTalk({ GITHUB_EVENT_NAME: 'issue_comment' })).toBe(false);
  });

  test('needs no file for the outputs', () => {
    expect(() => turnAway({})).not.toThrow();
  });
});
