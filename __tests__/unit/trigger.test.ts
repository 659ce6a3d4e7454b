import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inputKey, readTrigger, type Trigger } from '../../src/agent/trigger.ts';
import { InputError } from '../../src/core/errors.ts';
import { isUnrelatedComment, turnAway } from '../../src/front-door.ts';
import { parseEvent } from '../../src/github/event.ts';
import { context } from '../support/samples/cards.ts';
import { agentConfig } from '../support/samples/config.ts';

type Inputs = Record<string, string>;
const config = (inputs: Inputs = {}) => agentConfig(inputs, { needsPrompt: false });
const on = async (name: string, payload: object, inputs: Inputs = { prompt: 'x' }): Promise<Trigger> =>
  readTrigger(await config(inputs), parseEvent(name, payload), context);

const maintainer = { login: 'maintainer', type: 'User' };
const bot = { login: 'renovate[bot]', type: 'Bot' };
const ownAllowed = { prompt: 'x', 'allow-users': 'maintainer' };
const ours = '<!-- docs-agent:v1 x.y -->\nDone.';
const payloadOf = (body: unknown, { action = 'created', user = maintainer as object | null } = {}) => ({
  action,
  comment: { id: 40, body, user },
  issue: { number: 7 },
});
const comment = (body: string, inputs: Inputs = {}, over: Parameters<typeof payloadOf>[1] = {}) =>
  on('issue_comment', payloadOf(body, over), inputs);

const thread = 7;
const ask = {
  prompt: 'add it',
  jobId: undefined,
  continues: 'thread',
  about: expect.objectContaining({ sendsThread: true, change: undefined, isNamed: false, maySkip: false }),
  wait: true,
  removed: 0,
};

describe('a comment', () => {
  test('asks by its command, with its own key', async () => {
    expect(await comment('/docs add it')).toEqual({
      kind: 'ask',
      key: 'comment:40',
      thread,
      isCommand: true,
      ask,
    });
  });

  test.each<[string, Inputs, object]>([
    ['/docs --new --no-wait add it', {}, { ask: { ...ask, continues: 'nowhere', wait: false } }],
    ['/docs add it', { wait: 'false' }, { ask: { ...ask, wait: false } }],
    ['/docs add it', { continue: 'repository' }, { ask: { ...ask, continues: 'repository' } }],
    ['/docs add it', { continue: 'never' }, { ask: { ...ask, continues: 'nowhere' } }],
    ['/docs add\u{e0041}\u200b it', {}, { ask: { ...ask, removed: 2 } }],
    ['/docs --new \u200b\u{e0041}', {}, { kind: 'help', because: 'The prompt is empty.' }],
    ['/docs help', {}, { kind: 'help', because: undefined, isCommand: true }],
    ['/docs status', {}, { kind: 'status', key: 'comment:40' }],
    ['/docs status', { 'job-id': 'job_1' }, { ask: { prompt: undefined, jobId: 'job_1' } }],
  ])('%j with %j', async (body, inputs, expected) => {
    expect(await comment(body, inputs)).toMatchObject(expected);
  });

  test('with an explicit prompt asks for that, unchanged, with a key of its own', async () => {
    const prompt = '/docs --new\u200b x';
    const trigger = await comment('talk', { prompt });
    expect(trigger).toMatchObject({
      kind: 'ask',
      key: inputKey('comment:40', { prompt, jobId: undefined }),
      isCommand: false,
      ask: { prompt, continues: 'nowhere', removed: 0 },
    });
    const keys = [undefined, 'j'].map((jobId) => inputKey('comment:40', { prompt, jobId }));
    expect(new Set([...keys, inputKey('comment:40', { prompt: 'x', jobId: undefined })]).size).toBe(3);
  });

  test.each<[string, string, string, Inputs, object]>([
    ['edited', 'not-created', '/docs add it', {}, { action: 'edited' }],
    ['edited, with a prompt', 'not-created', 'x', { prompt: 'x' }, { action: 'edited' }],
    ['empty', 'no-command', '', {}, {}],
    ['our own', 'no-command', ours, {}, {}],
    ['our own, by a login that is listed', 'own-comment', ours, ownAllowed, {}],
    ['by a bot, with a prompt', 'unlisted-bot', 'x', { prompt: 'x' }, { user: bot }],
  ])('%s is left alone: %s', async (_, reason, body, inputs, over) => {
    expect(await comment(body, inputs, over)).toMatchObject({ kind: 'skip', reason });
  });
});

describe('a review of a pull request', () => {
  const opened = { html_url: 'https://github.com/octo-org/docs/pull/9', created_at: '2026-03-01T00:00:00Z' };
  const pull = { number: 9, title: 'Docs', body: null, user: bot, ...opened };
  const said = (body: string | null, user: object = maintainer) => ({ id: 50, body, user });
  const onLine = (body: string, over: object = {}) => ({
    action: 'created',
    comment: { ...said(body), path: 'a.md', line: 3, diff_hunk: '@@', ...over },
    pull_request: pull,
  });
  const whole = (body: string | null, over: object = {}) => ({
    ...{ action: 'submitted', review: said(body), pull_request: pull },
    ...over,
  });
  const made = { url: opened.html_url, createdAtMs: Date.parse(opened.created_at) };

  test.each<[string, object, string, Inputs, object]>([
    ['pull_request_review_comment', onLine('/docs add it'), 'review-comment:50', {}, made],
    ['pull_request_review', whole('/docs add it'), 'review:50', {}, made],
  ])(
    '%s: a command has its own key, and asks the job that made the pull request',
    async (name, payload, key) => {
      const expected = { kind: 'ask', key, thread: 9, isCommand: true, pullRequest: made };
      expect(await on(name, payload, {})).toMatchObject(expected);
      const others = [{ continue: 'thread' }, { continue: 'never' }, { prompt: 'x' }];
      for (const inputs of others)
        expect(await on(name, payload, inputs)).toMatchObject({ pullRequest: undefined });
      const ofPerson = { ...payload, pull_request: { ...pull, user: maintainer } };
      expect(await on(name, ofPerson, {})).toMatchObject({ kind: 'ask', pullRequest: undefined });
    },
  );

  test.each<[string, string, object]>([
    ['no-command', 'pull_request_review', whole(null)],
    ['no-command', 'pull_request_review_comment', onLine('please /docs it')],
    ['not-created', 'pull_request_review', whole('/docs x', { action: 'edited' })],
    ['not-created', 'pull_request_review', whole('/docs x', { action: 'dismissed' })],
    ['not-created', 'pull_request_review_comment', { ...onLine('/docs x'), action: 'edited' }],
    ['unlisted-bot', 'pull_request_review_comment', onLine('/docs x', { user: bot })],
    ['unlisted-bot', 'pull_request_review', whole('/docs x', { review: said('/docs x', bot) })],
  ])('%s: %s %j', async (reason, name, payload) => {
    expect(await on(name, { ...payload, sender: maintainer }, {})).toMatchObject({ kind: 'skip', reason });
  });
});

describe('where the status comment goes', () => {
  test.each([
    ['auto', thread],
    ['none', undefined],
    ['7', thread],
    ['8', 8],
  ])('thread: %s', async (choice, expected) => {
    expect(await comment('/docs add it', { thread: choice })).toHaveProperty('thread', expected);
  });

  const sender = maintainer;
  test.each([
    ['pull_request', { sender, pull_request: { number: 9 } }, 9],
    ['issues', { sender, issue: { number: 9 } }, 9],
    ['push', { ref: 'refs/heads/main' }, undefined],
    ['workflow_dispatch', { inputs: {} }, undefined],
  ])('a prompt on %s', async (name, payload, expected) => {
    expect(await on(name, payload)).toEqual({
      kind: 'ask',
      key: inputKey('run:7000000001:docs.__action', { prompt: 'x', jobId: undefined }),
      thread: expected,
      isCommand: false,
      ask: { prompt: 'x', jobId: undefined, continues: 'nowhere', about: undefined, wait: true, removed: 0 },
    });
  });
});

describe('a prompt for a change', () => {
  const inputs = { prompt: 'x', context: 'changes' };
  const head = { sha: 'h' };
  const sender = maintainer;
  test.each<[string, object, string]>([
    ['push', { ref: 'refs/heads/main', before: 'a', after: 'b', head_commit: null }, 'change:b'],
    ['release', { action: 'published', release: { tag_name: 'v2' } }, 'change:v2'],
    ['pull_request', { sender, action: 'opened', pull_request: { number: 9, head } }, 'change:h'],
    [
      'pull_request',
      { sender, action: 'closed', pull_request: { number: 9, head, merged: true, merge_commit_sha: 'b' } },
      'change:b',
    ],
  ])('of a %s %j has the key %s', async (name, payload, key) => {
    expect(await on(name, payload, inputs)).toHaveProperty(
      'key',
      inputKey(key, { prompt: 'x', jobId: undefined }),
    );
  });
});

test.each<[string, string, object, Inputs]>([
  ['not-merged', 'pull_request', { action: 'closed', pull_request: { number: 9, merged: false } }, {}],
  ['wrong-event', 'push', { ref: 'refs/tags/v1', before: 'a', after: 'b' }, { context: 'changes' }],
])('%s: a prompt on %s %j is skipped', async (reason, name, payload, inputs) => {
  expect(await on(name, payload, { prompt: 'x', ...inputs })).toMatchObject({ kind: 'skip', reason });
});

describe('a prompt on what anyone can cause', () => {
  test.each(['watch', 'status', 'issues', 'pull_request_target', 'one_that_is_new'])(
    '%s: a bot needs to be listed',
    async (name) => {
      const thread = { issue: { number: 9 } };
      expect(await on(name, { ...thread, sender: maintainer })).toMatchObject({ kind: 'ask' });
      const ofBot = { ...thread, sender: bot };
      expect(await on(name, ofBot)).toMatchObject({ kind: 'skip', reason: 'unlisted-bot' });
      const listed = { prompt: 'x', 'allow-users': 'renovate[bot]' };
      expect(await on(name, ofBot, listed)).toMatchObject({ kind: 'ask' });
    },
  );
});

test('a run without anything to ask is a bad input, and on comments elsewhere skipped', async () => {
  await expect(on('push', {}, {})).rejects.toThrow(InputError);
  for (const name of ['pull_request_review', 'discussion_comment'])
    expect(await on(name, payloadOf('/docs add it'), {})).toMatchObject({ reason: 'wrong-event' });
});

describe('a prompt on a comment elsewhere', () => {
  const sender = { login: 'stranger', type: 'User' };

  test.each([
    ['commit_comment', 'comment', 'created'],
    ['discussion_comment', 'comment', 'created'],
    ['discussion', 'discussion', 'created'],
  ])('%s: its author counts, not the person who acts', async (name, place, action) => {
    const by = (user: object, body = 'x') => ({ action, sender, [place]: { body, user } });
    expect(await on(name, by({ login: 'author' }))).toMatchObject({ kind: 'ask', isCommand: false });
    expect(await on(name, by(bot))).toMatchObject({ kind: 'skip', reason: 'unlisted-bot' });
    expect(await on(name, by({ login: 'author' }, ours))).toMatchObject({ reason: 'own-comment' });
  });

  test('has a key of that comment', async () => {
    const payload = { action: 'created', comment: { id: 9, body: 'x', user: { login: 'author' } } };
    const key = inputKey('commit_comment:9', { prompt: 'x', jobId: undefined });
    expect(await on('commit_comment', payload)).toMatchObject({ thread: undefined, key });
  });

  test.each(['deleted', 'edited', 'dismissed', ''])('%j starts nothing', async (action) => {
    const payload = { action, sender, comment: { body: 'x', user: { login: 'stranger' } } };
    for (const name of ['commit_comment', 'discussion', 'issue_comment'])
      expect(await on(name, payload)).toMatchObject({ kind: 'skip', reason: 'not-created' });
  });
});

describe('the front door', () => {
  const directory = mkdtempSync(join(tmpdir(), 'trigger-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'event.json');
  const isTurnedAway = (body: unknown, inputs: Inputs = {}, name = 'issue_comment') => {
    const payload = payloadOf(body);
    writeFileSync(
      path,
      JSON.stringify(name === 'pull_request_review' ? { review: payload.comment } : payload),
    );
    const given = Object.entries(inputs).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value]);
    return isUnrelatedComment({
      GITHUB_EVENT_NAME: name,
      GITHUB_EVENT_PATH: path,
      ...Object.fromEntries(given),
    });
  };

  test('turns away what is no command, and only that', async () => {
    const ready = await config();
    const first = fc.constantFrom(
      ...['/docs', '/DOCS', ' /docs', '> /docs', '/docsx', '\ufeff/docs', '`/docs`', '\n/docs', ''],
    );
    fc.assert(
      fc.property(first, fc.string({ unit: 'binary' }), (head, tail) => {
        const event = parseEvent('issue_comment', payloadOf(head + tail));
        const trigger = readTrigger(ready, event, context);
        const isUnrelatedComment = trigger.kind === 'skip' && trigger.reason === 'no-command';
        expect(isTurnedAway(head + tail)).toBe(isUnrelatedComment);
      }),
    );
  });

  test.each<[boolean, string | null, Inputs, string?]>([
    [true, '/docs it', { command: '/write' }],
    [false, '/write it', { command: ' /write ' }],
    [false, 'talk', { prompt: 'x' }],
    [false, 'talk', { 'prompt-file': 'x.md' }],
    [false, 'talk', { 'job-id': 'job_1' }],
    [false, 'talk', { mode: 'visitors' }],
    [false, 'talk', {}, 'issues'],
    [true, 'talk', {}, 'pull_request_review_comment'],
    [false, '/docs it', {}, 'pull_request_review_comment'],
    [true, 'talk', {}, 'pull_request_review'],
    [true, null, {}, 'pull_request_review'],
    [false, '/docs it', {}, 'pull_request_review'],
  ])('turns away: %p, %j with %j', (expected, body, inputs, name = 'issue_comment') => {
    expect(isTurnedAway(body, inputs, name)).toBe(expected);
  });

  test('lets in what it cannot read, and needs no file for the outputs', () => {
    expect(isTurnedAway(null)).toBe(false);
    expect(isUnrelatedComment({ GITHUB_EVENT_NAME: 'issue_comment' })).toBe(false);
    writeFileSync(path, '{');
    expect(isUnrelatedComment({ GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: path })).toBe(false);
    expect(() => turnAway({})).not.toThrow();
  });
});
