import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inputKey, prepareRequest } from '../../src/agent/prepare.ts';
import { readTrigger } from '../../src/agent/trigger.ts';
import type { Deps } from '../../src/deps.ts';
import { isUnrelatedComment } from '../../src/front-door.ts';
import { parseEvent } from '../../src/github/event.ts';
import { folderPerTest } from '../support/folder.ts';
import { context } from '../support/samples/cards.ts';
import { agentConfig } from '../support/samples/config.ts';

type Inputs = Record<string, string>;
const config = (inputs: Inputs = {}) => agentConfig(inputs, { needsPrompt: false });
/** What starts the run, and what the run is asked to do. */
const on = async (name: string, payload: object, inputs: Inputs = { prompt: 'x' }) => {
  const [given, event] = [await config(inputs), parseEvent(name, payload)];
  const trigger = readTrigger(given, event);
  if (trigger.kind === 'skip') return trigger;
  const { card, plan } = await prepareRequest(trigger, given, { event, context } as Deps);
  const { key, contextInputs, thread, isCommand, removed } = card;
  const { context: sent, pullRequest } = plan;
  const ask = { ...plan.ask, sendsContext: sent !== undefined, removed };
  return { ...trigger, key, contextInputs, thread, isCommand, pullRequest, ask };
};

const maintainer = { login: 'maintainer', type: 'User' };
const bot = { login: 'renovate[bot]', type: 'Bot' };
const ownAllowed = { prompt: 'x', 'allow-users': 'maintainer' };
const ours = '<!-- docs-agent:v1 x.y -->\nDone.';
const payloadOf = (
  body: unknown,
  { action = 'created', user = maintainer as object | null } = {},
) => ({
  action,
  comment: { id: 40, body, user },
  issue: { number: 7 },
});
const comment = (body: string, inputs: Inputs = {}, over: Parameters<typeof payloadOf>[1] = {}) =>
  on('issue_comment', payloadOf(body, over), inputs);

const thread = 7;
/** The prompt or job from the inputs. */
const given = { prompt: 'x', jobId: undefined };
const ask = {
  prompt: 'add it',
  jobId: undefined,
  continues: 'thread',
  sendsContext: true,
  wait: true,
  removed: 0,
};

describe('a comment', () => {
  const origin = { key: 'comment:40', thread, isCommand: true, pullRequest: undefined };
  test.each<[string, Inputs, object]>([
    ['/docs add it', {}, { kind: 'ask', ...origin, ask }],
    ['/docs --new --no-wait add it', {}, { ask: { ...ask, continues: 'never', wait: false } }],
    ['/docs add it', { wait: 'false' }, { ask: { ...ask, wait: false } }],
    ['/docs add it', { continue: 'repository' }, { ask: { ...ask, continues: 'repository' } }],
    ['/docs add it', { continue: 'never' }, { ask: { ...ask, continues: 'never' } }],
    ['/docs add\u{e0041}\u200b it', {}, { ask: { ...ask, removed: 2 } }],
    ['/docs --new \u200b\u{e0041}', {}, { kind: 'help', because: 'The prompt is empty.' }],
    ['/docs status', {}, { kind: 'status', ...origin }],
    ['/docs status', { 'job-id': 'job_1' }, { ask: { prompt: undefined, jobId: 'job_1' } }],
  ])('%j with %j', async (body, inputs, expected) => {
    expect(await comment(body, inputs)).toMatchObject(expected);
  });

  test('is a request for the unchanged `prompt` input, and each prompt and job has its own key', async () => {
    const prompt = '/docs --new\u200b x';
    const key = inputKey('comment:40', { ...given, prompt });
    const ask = { prompt, continues: 'never', removed: 0 };
    expect(await comment('talk', { prompt })).toMatchObject({
      kind: 'inputs',
      key,
      isCommand: false,
      ask,
    });
    const others = [given, { ...given, jobId: 'j' }].map((inputs) =>
      inputKey('comment:40', inputs),
    );
    expect(new Set([key, ...others]).size).toBe(3);
  });

  test.each<[string, string, string, Inputs, object]>([
    ['that was edited', 'not-created', '/docs add it', {}, { action: 'edited' }],
    ['that was edited', 'not-created', 'x', { prompt: 'x' }, { action: 'edited' }],
    ['without text', 'no-command', '', {}, {}],
    ['with our status', 'no-command', ours, {}, {}],
    ['with our status, by a listed login', 'own-comment', ours, ownAllowed, {}],
    ['by a bot', 'unlisted-bot', 'x', { prompt: 'x' }, { user: bot }],
  ])('%s is skipped: %s', async (_, reason, body, inputs, over) => {
    expect(await comment(body, inputs, over)).toMatchObject({ kind: 'skip', reason });
  });
});

describe('the status comment goes to the right thread', () => {
  const choices = { auto: thread, none: undefined, 8: 8 };
  test.each(Object.entries(choices))('with `thread: %s`', async (choice, expected) => {
    expect(await comment('/docs add it', { thread: choice })).toHaveProperty('thread', expected);
  });

  test.each([
    ['pull_request', { sender: maintainer, pull_request: { number: 9 } }, 9],
    ['issues', { sender: maintainer, issue: { number: 9 } }, 9],
    ['push', { ref: 'refs/heads/main' }, undefined],
    ['workflow_dispatch', { inputs: {} }, undefined],
  ])('for a prompt on %s', async (name, payload, expected) => {
    const key = inputKey('run:7000000001:docs.__action', given);
    const ask = { ...given, continues: 'never', sendsContext: false, wait: true, removed: 0 };
    const contextInputs = expect.any(String);
    const origin = { key, contextInputs, thread: expected, isCommand: false };
    expect(await on(name, payload)).toEqual({ kind: 'inputs', ...origin, ask });
  });
});

test('a prompt on a pull request that is closed without being merged is skipped', async () => {
  const payload = { action: 'closed', pull_request: { number: 9, merged: false } };
  expect(await on('pull_request', payload)).toMatchObject({ kind: 'skip', reason: 'not-merged' });
});

test.each(['watch', 'issues', 'one_that_is_new'])(
  'an unlisted bot’s prompt on %s is skipped',
  async (name) => {
    const thread = { issue: { number: 9 } };
    expect(await on(name, { ...thread, sender: maintainer })).toMatchObject({ kind: 'inputs' });
    const ofBot = { ...thread, sender: bot };
    expect(await on(name, ofBot)).toMatchObject({ kind: 'skip', reason: 'unlisted-bot' });
    const listed = { prompt: 'x', 'allow-users': 'renovate[bot]' };
    expect(await on(name, ofBot, listed)).toMatchObject({ kind: 'inputs' });
  },
);

test('a command in a discussion, or in a review that can’t be read, is skipped', async () => {
  for (const name of ['pull_request_review', 'discussion_comment'])
    expect(await on(name, payloadOf('/docs add it'), {})).toMatchObject({ reason: 'wrong-event' });
});

describe('a prompt on a commit comment or discussion', () => {
  const sender = { login: 'stranger', type: 'User' };

  const places = {
    commit_comment: 'comment',
    discussion_comment: 'comment',
    discussion: 'discussion',
  };
  test.each(Object.entries(places))(
    '%s: the comment is the key, and its author is checked, not the sender',
    async (name, place) => {
      const by = (user: object, body = 'x') => ({
        action: 'created',
        sender,
        [place]: { id: 9, body, user },
      });
      const asked = {
        kind: 'inputs',
        thread: undefined,
        key: inputKey(`${name}:9`, given),
        isCommand: false,
      };
      expect(await on(name, by({ login: 'author' }))).toMatchObject(asked);
      expect(await on(name, by(bot))).toMatchObject({ kind: 'skip', reason: 'unlisted-bot' });
      expect(await on(name, by({ login: 'author' }, ours))).toMatchObject({
        reason: 'own-comment',
      });
    },
  );

  test.each(['deleted', 'edited', 'dismissed', ''])(
    'is skipped for the action %j',
    async (action) => {
      const payload = { action, sender, comment: { body: 'x', user: { login: 'stranger' } } };
      for (const name of ['commit_comment', 'discussion', 'issue_comment'])
        expect(await on(name, payload)).toMatchObject({ kind: 'skip', reason: 'not-created' });
    },
  );
});

describe('the front door', () => {
  const folder = folderPerTest();
  const path = () => join(folder(), 'event.json');
  const isTurnedAway = (body: unknown, inputs: Inputs = {}, name = 'issue_comment') => {
    const { comment } = payloadOf(body);
    writeFileSync(
      path(),
      JSON.stringify(name === 'pull_request_review' ? { review: comment } : { comment }),
    );
    for (const [key, value] of Object.entries(inputs))
      process.env[`INPUT_${key.toUpperCase()}`] = value;
    Object.assign(process.env, { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path() });
    return isUnrelatedComment();
  };
  const environment = { ...process.env };
  afterEach(() => {
    process.env = { ...environment };
  });

  test('turns away exactly the comments without a command', async () => {
    const ready = await config();
    const first = fc.constantFrom(
      ...['/docs', '/DOCS', ' /docs', '> /docs', '/docsx', '\ufeff/docs', '`/docs`', '\n/docs', ''],
    );
    fc.assert(
      fc.property(first, fc.string({ unit: 'binary' }), (head, tail) => {
        const event = parseEvent('issue_comment', payloadOf(head + tail));
        const trigger = readTrigger(ready, event);
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
  ])('turns away (%p) %j with %j', (expected, body, inputs, name = 'issue_comment') => {
    expect(isTurnedAway(body, inputs, name)).toBe(expected);
  });

  test('lets an unreadable event in', () => {
    expect(isTurnedAway(null)).toBe(false);
    writeFileSync(path(), '{');
    expect(isUnrelatedComment()).toBe(false);
    delete process.env.GITHUB_EVENT_PATH;
    expect(isUnrelatedComment()).toBe(false);
  });
});
