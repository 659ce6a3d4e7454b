import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { type About, chooseAbout, whyNoChange } from '../../src/agent/about.ts';
import { parseCommand } from '../../src/agent/command.ts';
import { isSufficient, permissions, toPermission } from '../../src/agent/permission.ts';
import { inputKey, prepareRequest } from '../../src/agent/prepare.ts';
import { readTrigger } from '../../src/agent/trigger.ts';
import type { Deps } from '../../src/deps.ts';
import { isUnrelatedComment } from '../../src/front-door.ts';
import { type GitHubEvent, isCommentEvent, parseEvent } from '../../src/github/event.ts';
import { folderPerTest } from '../support/folder.ts';
import { plain } from '../support/plain.ts';
import { context } from '../support/samples/cards.ts';
import { agentConfig } from '../support/samples/config.ts';

describe('events', () => {
  const { github } = createInMemorySimulator();
  github.addThread({ number: 7 });

  test('a comment event contains the thread, its author, and the comment', () => {
    const comment = github.comment('maintainer', 7, '/docs x');
    const { name, payload } = github.issueCommentEvent(comment);
    const actor = { login: 'maintainer', isBot: false };
    const createdAtMs = Math.floor(github.now() / 1000) * 1000;
    const written = { title: 'Thread 7', body: '', author: actor, isFromOutside: false };
    const thread = { number: 7, isPullRequest: false, createdAtMs, written };
    const source = { kind: 'comment', id: comment.id };
    const facts = { kind: 'comment', action: 'created', isTrusted: false, actor, body: '/docs x' };
    expect(parseEvent(name, payload)).toMatchObject({ ...facts, thread, source });
  });

  test('a comment can be from a deleted account, from a bot, and without text', () => {
    const event = (comment: object) =>
      parseEvent('issue_comment', {
        action: 'created',
        comment: { id: 1, ...comment },
        issue: { number: 2 },
      });
    const ghost = { login: 'ghost', isBot: false };
    expect(event({ user: null, body: null })).toMatchObject({ body: '', actor: ghost });
    const bot = { login: 'renovate[bot]', isBot: true };
    expect(event({ user: { login: bot.login, type: 'Bot' } })).toMatchObject({ actor: bot });
  });

  const pull = { number: 4, merged: false, created_at: '1970-01-01T00:00:00Z' };
  const rejected = { isRejected: true, isTurned: true, isOpened: false };
  const opened = { thread: { number: 4, createdAtMs: 0 }, isTurned: false, isOpened: true };

  test.each<[string, unknown, object]>([
    ['issues', { issue: { number: 3 } }, { kind: 'thread', thread: { number: 3 } }],
    [
      'pull_request',
      { action: 'closed', pull_request: { ...pull, merged: true } },
      { isRejected: false },
    ],
    ['pull_request', { action: 'closed', pull_request: pull }, rejected],
    ['pull_request', { action: 'opened', pull_request: pull }, opened],
    ['pull_request_target', { pull_request: { number: 4 } }, { kind: 'thread' }],
    [
      'pull_request_review',
      { review: { id: 8 } },
      { kind: 'other-comment', actor: { login: 'ghost' } },
    ],
    [
      'discussion_comment',
      { comment: { body: '/docs x' } },
      { kind: 'other-comment', id: undefined },
    ],
    ['push', { ref: 'refs/heads/main' }, { kind: 'other', name: 'push' }],
    ['schedule', {}, { kind: 'other', name: 'schedule' }],
  ])('%s %j is parsed', (name, payload, event) => {
    expect(parseEvent(name, payload)).toMatchObject(event);
    expect(isCommentEvent(name)).toBe('kind' in event && event.kind === 'other-comment');
  });

  describe('who triggered an event', () => {
    const stranger = { login: 'stranger', isBot: false };
    const ci = { login: 'ci[bot]', isBot: true };

    test.each([
      'push',
      'release',
      'workflow_dispatch',
      'repository_dispatch',
      'schedule',
      'merge_group',
    ])('%s requires permission to push', (name) =>
      expect(parseEvent(name, {}).isTrusted).toBe(true),
    );

    test.each([
      ...[
        'watch',
        'fork',
        'gollum',
        'check_run',
        'status',
        'label',
        'deployment',
        'create',
        'delete',
      ],
      ...['issues', 'pull_request', 'pull_request_target', 'pull_request_review', 'discussion'],
      ...['issue_comment', 'one_that_is_new', 'pushed', ''],
    ])('anyone can trigger %s', (name) => expect(parseEvent(name, {}).isTrusted).toBe(false));

    test.each<[unknown, object | undefined]>([
      [{ login: 'stranger' }, stranger],
      [{ login: 'ci[bot]', type: 'Bot' }, ci],
      [null, undefined],
      [undefined, undefined],
      ['stranger', undefined],
    ])('the sender %j starred the repository', (sender, expected) => {
      expect(parseEvent('watch', { action: 'started', sender }).actor).toEqual(expected);
    });
  });

  test('an undocumented payload is never a command', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('issue_comment', 'push', 'issues', ''),
        fc.jsonValue(),
        (name, payload) => {
          expect(parseEvent(name, payload).kind).toMatch(/^(other|thread|other-comment)$/);
        },
      ),
    );
    expect(isCommentEvent('issue_comment')).toBe(true);
  });
});

describe('triggers', () => {
  type Inputs = Record<string, string>;
  const config = (inputs: Inputs = {}) => agentConfig(inputs, { needsPrompt: false });
  /** What starts the run, and what the run is asked to do. */
  const on = async (name: string, payload: object, inputs: Inputs = { prompt: 'x' }) => {
    const [given, event] = [await config(inputs), parseEvent(name, payload)];
    const trigger = readTrigger(given, event);
    if (trigger.kind === 'skip') return trigger;
    const { card, plan } = await prepareRequest(trigger, given, {
      event,
      context,
      scrub: plain,
    } as Deps);
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
      ['/docs --new \u200b\u{e0041}', {}, { kind: 'help', mistake: 'The prompt is empty.' }],
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
      expect(await on(name, payloadOf('/docs add it'), {})).toMatchObject({
        reason: 'wrong-event',
      });
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
        ...[
          '/docs',
          '/DOCS',
          ' /docs',
          '> /docs',
          '/docsx',
          '\ufeff/docs',
          '`/docs`',
          '\n/docs',
          '',
        ],
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

    test.each<[boolean, object]>([
      [true, { action: 'opened', issue: { body: 'talk' } }],
      [true, { action: 'opened', issue: { body: null } }],
      [false, { action: 'opened', issue: { body: '/docs it' } }],
      [false, { action: 'opened', issue: { body: 'talk' }, changes: { old_issue: {} } }],
      [false, { action: 'labeled', issue: { body: 'talk' } }],
      [false, { action: 'opened' }],
    ])('turns away (%p) the issue event %j', (expected, payload) => {
      writeFileSync(path(), JSON.stringify(payload));
      Object.assign(process.env, { GITHUB_EVENT_NAME: 'issues', GITHUB_EVENT_PATH: path() });
      expect(isUnrelatedComment()).toBe(expected);
    });

    test('lets an unreadable event in', () => {
      expect(isTurnedAway(null)).toBe(false);
      writeFileSync(path(), '{');
      expect(isUnrelatedComment()).toBe(false);
      delete process.env.GITHUB_EVENT_PATH;
      expect(isUnrelatedComment()).toBe(false);
    });
  });
});

describe('commands', () => {
  const parse = (body: string) => parseCommand(body, '/docs');
  const ask = (
    prompt: string,
    flags: { fresh?: boolean; noWait?: boolean; isQuoteCut?: boolean } = {},
  ) => {
    return { kind: 'ask', prompt, fresh: false, noWait: false, isQuoteCut: false, ...flags };
  };
  const help = (mistake?: string) => ({ kind: 'help', mistake });

  describe('a comment isn’t a command', () => {
    test.each([
      ...[
        '> ',
        '    ',
        '\t',
        ' \t',
        '`',
        '```\n',
        '<!-- ',
        '<details>\n',
        '* ',
        '# ',
        '\\',
        '[x]: ',
        '/',
      ],
      ...[
        '\ufeff',
        '\u200b',
        '\u202e',
        '\u{e0041}',
        '\u00a0',
        '@octocat ',
        'On Monday, a wrote:\n> ',
      ],
      '\r\n\t',
    ])('with %j before the command', (text) => {
      expect(parse(`${text}/docs add it`)).toBeUndefined();
    });

    test.each([
      ...[
        '/docsx',
        '/docs-x',
        '/docs/x',
        '/docs:x',
        '/doc s',
        '/ docs',
        '/doc\u017f x',
        '／docs x',
      ],
      ...['&#47;docs x', '', ' \n\t\n'],
    ])('if it is %j', (body) => {
      expect(parse(body)).toBeUndefined();
    });

    test('if its first line doesn’t begin with the command', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (line, rest) => {
          fc.pre(line.trim() !== '' && !/^\s*\/docs(\s|$)/i.test(line));
          expect(parse(`${line}\n${rest}`)).toBeUndefined();
        }),
      );
    });

    test('if the workflow uses a different command', () => {
      expect(parseCommand('/docs x', '/doc')).toBeUndefined();
      expect(parseCommand('/doc.s x', '/docs')).toBeUndefined();
    });
  });

  describe('a command', () => {
    test.each([
      ['/docs add it', ask('add it')],
      ['   /DOCS\tadd it', ask('add it')],
      ['\n \t\n\r\n/docs add it\r\n\r\n', ask('add it')],
      ['/docs\n\nadd\n  it', ask('add\n  it')],
      ['/docs --new add it', ask('add it', { fresh: true })],
      ['/docs --no-wait --new add it', ask('add it', { fresh: true, noWait: true })],
      ['/docs -- --new add it', ask('--new add it')],
      ['/docs --new -- help', ask('help', { fresh: true })],
      ['/docs `a` "b  c" $(d) -- e', ask('`a` "b  c" $(d) -- e')],
      ['/docs help', help()],
      ['/docs', help()],
      ['/docs\u200b', undefined],
      ['/docs status', { kind: 'status' }],
      ['/docs status\u200b', { kind: 'status' }],
      ['/docs --new=1 x', help('There is no flag `--new=1`.')],
      ['/docs -draft x', help('There is no flag `-draft`.')],
      ['/docs ---', help('There is no flag `---`.')],
      ['/docs --new --help', help()],
      ['/docs -- \u200b', help('The prompt is empty.')],
      ['/docs --new \n \n', help('The prompt is empty.')],
    ])('%j is parsed', (body, expected) => {
      expect(parse(body)).toEqual(expected);
    });

    test('keeps every character of the prompt, except line endings and the space around it', () => {
      const text = fc.string({ unit: 'binary' }).filter((it) => !/[\r>]/.test(it));
      fc.assert(
        fc.property(text, (inner) => {
          const prompt = `a${inner}z`;
          expect(parse(`/docs ${prompt}`)).toEqual(ask(prompt));
          expect(parse(`/docs\n${prompt}\n \n`)).toEqual(ask(prompt));
          expect(parse(`/docs --new ${prompt.replaceAll('\n', '\r\n')}`)).toEqual(
            ask(prompt, { fresh: true }),
          );
        }),
      );
    });
  });

  describe('as typed on a phone,', () => {
    test.each([
      ...[
        '—new',
        '–new',
        '‐‐new',
        '−new',
        '-new',
        '―new',
        '\u200f—new',
        '--New',
        '\u00ad--\u00adnew',
      ],
    ])('%j is the flag `--new`', (flag) => {
      expect(parse(`/docs ${flag} add it`)).toEqual(ask('add it', { fresh: true }));
      expect(parse(`/docs –no-wait ${flag} add it`)).toEqual(
        ask('add it', { fresh: true, noWait: true }),
      );
    });

    test.each(['-h', '—help', '--help me', '?', '¿help?', 'help --new', '--new help.', '👍'])(
      '%j gets help',
      (words) => {
        expect(parse(`/docs ${words}\n`)).toEqual(help());
      },
    );

    test.each([
      'status?',
      'Status!',
      'status —no-wait',
      '--new status',
      'status -x --y',
      '**status**',
    ])('%j gets the status', (words) =>
      expect(parse(`/docs ${words}\r\n`)).toEqual({ kind: 'status' }),
    );

    test.each([
      ...[
        '- one\n- two',
        '-5 is below zero',
        '— a thought',
        'add –new it',
        'status - and why',
        'help us!',
      ],
      ...['status\n--new is a flag', 'status\n- one', 're-new it', '数'],
    ])('%j is a prompt', (prompt) => {
      expect(parse(`/docs ${prompt}`)).toEqual(ask(prompt));
      expect(parse(`/docs\n${prompt}`)).toEqual(ask(prompt));
    });

    test('a flag on the line after the command is part of the prompt', () => {
      for (const prompt of ['--new add it', '—new\n- one', '-h'])
        expect(parse(`/docs\n${prompt}`)).toEqual(ask(prompt));
    });
  });

  describe('in an email reply,', () => {
    const from = 'octocat <notifications@github.com>';
    const quote = '> **octocat** wrote\n>\n> /docs --new do it\n';
    const message = '\nSee the **release notes**.\n\n/docs --new do it';
    const long = 'A rather long name that does not fit';

    test.each([
      ['Gmail', `On Mon, Jan 5, 2026 at 9:00 AM ${from} wrote:\n\n${quote}`],
      [
        'Gmail, with a signature',
        `On Mon, Jan 5, 2026 at 9:00 AM ${from} wrote:\n\n${quote}\n\n-- \nAlice\n`,
      ],
      [
        'Outlook, without an address',
        `${'_'.repeat(32)}\nFrom: Bob Smith\nSent: Monday, January 5, 2026 9:00 AM\n\nHi!`,
      ],
      ['Gmail, wrapped', `On Mon, Jan 5, 2026 at 9:00 AM ${from}\nwrote:\n\n${quote}`],
      [
        'Gmail, wrapped in the address',
        `On Mon, Jan 5, 2026 at 9:00 AM ${from.replace('<', '<\n')} wrote:\n${quote}\n\n`,
      ],
      [
        'Gmail, wrapped twice',
        `On Mon, Jan 5, 2026 at 9:00 AM, ${long}\n<\nnotifications@github.com> wrote:\n\n${quote}>`,
      ],
      [
        'Gmail, with an offset',
        `2026-01-05 9:00 GMT+01:00 octocat <\nnotifications@github.com>:\n\n${quote}`,
      ],
      ['Gmail in German', `${from} schrieb am Mo., 5. Jan. 2026\num 09:00 Uhr:\n\n${quote}`],
      [
        'Gmail in German, wrapped in the date',
        `${from} schrieb am Mo., 5.\nJan. 2026 um 09:00 Uhr:\n\n${quote}`,
      ],
      [
        'Gmail in German, wrapped at the bracket',
        `Am 05.01.2026 09:00 schrieb "octocat" <notifications@github.com\n>:\n\n${quote}`,
      ],
      ['Gmail in French', `Le lun. 5 janv. 2026 à 09:00, ${from} a\nécrit :\n\n${quote}`],
      [
        'Gmail in French, in three lines',
        `Le 5 janv. 2026 09:00, "octocat"\n<notifications@github.com>\na écrit\u00a0:\n\n${quote}`,
      ],
      [
        'Gmail in Spanish',
        `El lun, 5 ene 2026 a las 9:00, octocat (<notifications@github.com>)\nescribió:\n\n${quote}`,
      ],
      [
        'Gmail in Portuguese',
        `Em 5 de janeiro de 2026 10:58, octocat <\nnotifications@github.com> escreveu:\n\n${quote}`,
      ],
      [
        'Gmail in Polish',
        `5 sty 2026 21:25 "octocat" <notifications@github.com> napisał(a):\n\n${quote}`,
      ],
      [
        'Gmail in Russian',
        `понедельник, 5 января 2026 г. пользователь octocat написал:\n\n${quote}`,
      ],
      ['Gmail in Finnish', `ma 5. tammikuuta 2026 klo 17.50 ${from} kirjoitti:\n\n${quote}`],
      ['Gmail in Japanese', `2026年1月5日(月) 9:00 ${from}:\n\n${quote}`],
      ['Gmail in Chinese', `${from} 于2026年1月5日周一 09:00写道：\n\n${quote}`],
      ['Thunderbird', `On 1/5/26 9:00 AM, octocat wrote:\n${quote}`],
      ['Thunderbird in German', `Am 05.01.26 um 09:00 schrieb octocat:\n${quote}`],
      ['Thunderbird in French', `Le 05/01/2026 à 09:00, octocat a écrit :\n${quote}`],
      ['Eudora', `At 1/5/2026 09:00 AM, you wrote:\n${quote}`],
      ['Evolution', `On Mon, 2026-01-05 at 09:00 +0530, octocat wrote:\n${quote}`],
      ['Apple Mail', `> On 5 Jan 2026, at 09:00, ${from} wrote:\n> \n${quote}`],
      [
        'Apple Mail, wrapped',
        `> On 5 Jan 2026, at 09:00, octocat\n> <notifications@github.com> wrote:\n> \n${quote}`,
      ],
      ['an iPhone in German', `> Am 05.01.2026 um 09:00 schrieb ${from}:\n> \n> \ufeff\n${quote}`],
      ['an iPhone in French', `> Le 5 janv. 2026 à 09:00, ${from} a écrit :\n> \n${quote}`],
      ['an iPhone in Italian', `> Il 5 gennaio 2026 alle 9.00 ${from} ha scritto:\n>\n${quote}`],
      [
        'an iPhone in Dutch',
        `> Op 5 jan. 2026 om 09:00 heeft ${from} het volgende geschreven:\n> \n${quote}`,
      ],
      [
        'an iPhone in Chinese',
        `> 在 2026年1月5日，上午9:00，${from} 写道：\n> fu.zhang:\n${quote}`,
      ],
      [
        'Zoho',
        ` ---- On Mon, 05 Jan 2026 09:00:00 +0530 ${from} wrote ----\n > See the notes.\n > \n > /docs --new do it`,
      ],
      [
        'Zoho, without the address',
        `---- On Mon, 05 Jan 2026 09:00:00 -0300 octocat  wrote ---\n\n > See the notes. \n >  \n`,
      ],
      [
        'Zoho, in HTML',
        `---- On Mon, 05 Jan 2026 09:00:00 +0530 notifications@github.com wrote ----\n${message}`,
      ],
      [
        'Outlook on the web',
        `________________________________\nFrom: ${from}\nSent: Monday, January 5, 2026 9:00 AM\nTo: acme/docs <docs@noreply.github.com>\nSubject: Re: [acme/docs] Quickstart (Issue #7)\n${message}`,
      ],
      [
        'Outlook for iOS in French',
        `Envoyé à partir de Outlook pour iOS<https://aka.ms/o0ukef>\n________________________________\nDe : ${from}\nEnvoyé : lundi 5 janvier 2026 09:00:00\n${message}`,
      ],
      [
        'Outlook in brackets',
        `________________________________________\nFrom: octocat [notifications@github.com]\nSent: Monday, January 5, 2026 9:00 AM\n${message}`,
      ],
      [
        'Outlook with an original message',
        `-----Original Message-----\nFrom: ${from}\nSent: Monday, January 5, 2026 9:00 AM\n${message}`,
      ],
      [
        'Outlook in German',
        `-----Ursprüngliche Nachricht-----\nVon: ${from} \nGesendet: Montag, 5. Januar 2026 09:00\nAn: acme/docs\n${message}`,
      ],
      [
        'Outlook in German, wrapped',
        `-----Ursprüngliche Nachricht-----\nVon: octocat\n[mailto:notifications@github.com] Im Auftrag von octocat\nGesendet: Montag, 5. Januar 2026 09:00\n${message}`,
      ],
      [
        'a Samsung phone in Danish',
        `-------- Oprindelig besked --------\nFra: ${from}\nDato: 05.01.2026  17.45  (GMT+01:00)\n${message}`,
      ],
      [
        'a Samsung phone in French',
        `-------- Message d'origine --------\nDe : ${from}\nDate : 05/01/2026  10:46  (GMT+01:00)\n${message}`,
      ],
      [
        'a divider before bold fields',
        ` ------------------------------\n\n*From:* ${from}\n*Sent:* 2026-01-05\n${message}`,
      ],
    ])('what %s quotes is cut', (program, mail) => {
      // What a phone adds about itself isn't a quote.
      const [, signature = ''] = /^(Envoyé .*\n)/.exec(mail) ?? [];
      const prompt = `add it\n\n${signature}`.trimEnd();
      const cut = ask(prompt, { isQuoteCut: true });
      expect([program, parse(`/docs add it\n\n${mail}`)]).toEqual([program, cut]);
      expect(parse(`/docs add it\r\n\r\n${mail.replaceAll('\n', '\r\n')}`)).toEqual(cut);
      if (signature === '') expect(parse(`/docs\n${mail}`)).toEqual(help());
      if (signature === '') expect(parse(`/docs status\n\n${mail}`)).toEqual({ kind: 'status' });
    });

    test('the line above a quote can follow the prompt directly', () => {
      const head = 'On Mon, Jan 5, 2026 at 9:00 AM octocat <\nnotifications@github.com> wrote:';
      expect(parse(`/docs\nadd it\nand more\n${head}\n${quote}`)).toEqual(
        ask('add it\nand more', { isQuoteCut: true }),
      );
    });

    test.each([
      'quote this:\n> as it is',
      'On the page, the author wrote:\n> as it is',
      'fix the sentence\nOn the page the author wrote:',
      'On Monday he wrote:\n> a\nand then more',
      'use\nOn the page it is rewrote:\n> a',
      'On a\n\n\n\nwrote:\n> b',
      'replace step 2 with this text:\n> Open the page.',
      'fix it\n\nSince version 2.10.3, section 4 says:\n> Run it.',
      'fix it\n\nThe output of `npm i docs@1.2.3` or `docs@latest` is now:\n> done',
      'fix it\n\nhttp://localhost:3000 and 127.0.0.1:8080 show:\n> Hello.',
      'it\n\nThe release of May 5, 2026\nhas this\nin the docs:\n> Hello.',
      'use this warning\n\n> **Note:**\n> Keys expire after 90 days.',
      'use this\n\n> On 5 Jan 2026, at 09:00, we changed this:\n> Keys expire.',
      'add it\n\n> On 5 Jan 2026, octocat <a@b.example> wrote:',
      '2026 at 9:00 this was right:\n> Hello.',
      'add a header\n---\ntitle: Contact\nemail: a@b.example\n---\n\nText.',
      'add it\n\n----\nQuestions: ask in chat\n',
      'add it\n\n-- \nOcto Cat\noctocat@github.com',
      'a table\n\n| a | b |\n| -------- | -------- |\n| x: | a@b.example |',
    ])('%j is a prompt, not a quote', (prompt) => {
      expect(parse(`/docs ${prompt}\n`)).toEqual(ask(prompt.trimEnd()));
    });
  });

  describe('the longest comment that GitHub accepts is parsed quickly with', () => {
    const long = (head: string, unit: string, tail: string) =>
      head + unit.repeat(65_536).slice(0, 65_536 - head.length - tail.length) + tail;
    const blank = [' ', '\n', ' \n', '\t', '\t \n'];
    const busy = [
      '\u00a0',
      '> \n',
      '>',
      '-',
      '—',
      '?',
      'On ',
      'On x wrote:\n',
      'wrote: ',
      '@',
      'a@b.',
      '-----\n',
      '----- \n\n',
      '1:1',
      'a:\n',
      '> a:\n',
      '--new ',
      '`',
    ];

    test.each([...blank, ...busy])('%j in the prompt, and before the command', (unit) => {
      const body = long('/docs a\nOn x wrote:\n', unit, '\nz');
      expect(parse(body)).toEqual(ask(body.slice('/docs '.length)));
      expect(parse(long('', unit, '\n/docs z'))).toEqual(
        blank.includes(unit) ? ask('z') : undefined,
      );
    });

    test('a mail quote', () => {
      const quoted = long('/docs a\nOn 1/5/26 9:00 AM, x wrote:\n', '>\n\n', '\n>');
      expect(parse(quoted)).toEqual(ask('a', { isQuoteCut: true }));
    });
  });
});

describe('permissions', () => {
  test.each([
    [{ permission: 'admin', roleName: 'admin' }, 'admin'],
    [{ permission: 'write', roleName: 'maintain' }, 'maintain'],
    [{ permission: 'write', roleName: 'docs-editor' }, 'write'],
    [{ permission: 'write', roleName: 'admin' }, 'write'],
    [{ permission: 'read', roleName: 'triage' }, 'triage'],
    [{ permission: 'read', roleName: 'read' }, 'read'],
    [{ permission: 'read', roleName: 'maintain' }, 'read'],
    [{ permission: 'read', roleName: 'write' }, 'read'],
    [{ permission: 'none', roleName: 'admin' }, 'none'],
    [{ permission: 'none', roleName: 'maintain' }, 'none'],
    [{ permission: 'admin', roleName: 'triage' }, 'admin'],
    [{ permission: 'ADMIN', roleName: 'admin' }, 'none'],
    [{ permission: 'owner', roleName: 'owner' }, 'none'],
    [undefined, 'none'],
  ] as const)('%j has %s permission, which includes every lower one', (collaborator, has) => {
    const levels: readonly string[] = ['none', ...permissions];
    for (const needs of permissions) {
      const isEnough = levels.indexOf(has) >= levels.indexOf(needs);
      expect(toPermission(collaborator)).toBe(has);
      expect(isSufficient(has, needs)).toBe(isEnough);
    }
  });
});

describe('what a request is about', () => {
  const [issue, pullRequest] = [
    { number: 7, title: 'A question', body: 'Why?' },
    { number: 9, title: 'A change', body: null, head: { sha: 'h'.repeat(40) } },
  ];
  const comment = { id: 40, body: '/docs add it', user: { login: 'maintainer' } };
  const commented = (issue: object) =>
    parseEvent('issue_comment', { action: 'created', comment, issue });
  const events = {
    'a comment on an issue': commented(issue),
    'a comment on a pull request': commented({ ...pullRequest, pull_request: {} }),
    'an issue': parseEvent('issues', { action: 'opened', issue }),
    'a pull request': parseEvent('pull_request', { action: 'opened', pull_request: pullRequest }),
    'a push': parseEvent('push', {
      ref: 'refs/heads/main',
      before: 'a',
      after: 'b',
      head_commit: null,
    }),
    'a release': parseEvent('release', { action: 'published', release: { tag_name: 'v2' } }),
    'a schedule': parseEvent('schedule', {}),
  } satisfies Record<string, GitHubEvent>;
  type EventName = keyof typeof events;

  const read = async (name: EventName, inputs: Record<string, string>, isCommand = false) => {
    const config = await agentConfig({ prompt: 'x', ...inputs }, { needsPrompt: false });
    return chooseAbout(events[name], config, context.sha, isCommand);
  };

  const ofNine: About['change'] = { kind: 'pull-request', number: 9 };
  const sinceV1: About['change'] = { kind: 'since', since: 'v1', head: context.sha };

  test.each<[string, EventName, object | undefined]>([
    [
      '',
      'a comment on an issue',
      { thread: { number: 7, written: { body: 'Why?' } }, change: undefined },
    ],
    [
      '',
      'a comment on a pull request',
      { thread: { number: 9 }, sendsThread: true, change: ofNine },
    ],
    ['none', 'a comment on a pull request', undefined],
    ['thread', 'a comment on a pull request', { thread: { number: 9 }, change: undefined }],
    ['changes', 'a comment on a pull request', { sendsThread: false, change: ofNine }],
    ['changes', 'a comment on an issue', undefined],
    ['thread\nchanges', 'a comment on an issue', { thread: { number: 7 }, change: undefined }],
  ])('a command with `context` %j, in %s', async (choice, name, expected) => {
    const about = await read(name, { context: choice }, true);
    if (expected === undefined) expect(about).toBeUndefined();
    else expect(about).toMatchObject({ maySkip: false, ...expected });
  });

  describe('a prompt from the inputs', () => {
    test('is sent without context by default', async () => {
      for (const name of Object.keys(events) as EventName[])
        expect(await read(name, {})).toBeUndefined();
    });

    test.each<[string, EventName, object]>([
      ['changes', 'a pull request', { change: ofNine, sendsThread: false, thread: undefined }],
      [
        'thread\nchanges',
        'a pull request',
        { change: ofNine, sendsThread: true, thread: { number: 9 } },
      ],
      ['changes', 'a push', { change: { kind: 'push', push: { after: 'b' } } }],
      ['thread\nchanges', 'a push', { sendsThread: true, thread: undefined }],
      ['changes', 'a release', { change: { kind: 'release', tag: 'v2' } }],
      ['thread', 'an issue', { thread: { number: 7 }, change: undefined }],
    ])('with `context` %j, on %s', async (choice, name, expected) => {
      const about = await read(name, { context: choice });
      expect(about).toMatchObject({ maySkip: true, ...expected });
    });

    test('with `changes-since`, is about everything since then, but a command on a pull request isn’t', async () => {
      const inputs = { context: 'changes', 'changes-since': 'v1' };
      for (const name of ['a schedule', 'a push', 'a pull request'] as const)
        expect(await read(name, inputs)).toMatchObject({ change: sinceV1 });
      expect(await read('a comment on a pull request', inputs, true)).toMatchObject({
        change: ofNine,
      });
    });

    test('is sent with the thread from the inputs, but a run that only follows a job sends nothing', async () => {
      const about = await read('a schedule', { context: 'thread', thread: '12' });
      expect(about).toMatchObject({ thread: { number: 12, written: undefined } });
      expect(
        await read('a push', { prompt: '', 'job-id': 'job_1', context: 'changes' }),
      ).toBeUndefined();
    });

    test.each<[Record<string, string>, EventName, string]>([
      [{ context: 'changes' }, 'a schedule', 'changes-since'],
      [{ context: 'changes' }, 'an issue', 'changes-since'],
      [{ context: 'thread' }, 'a schedule', 'context'],
      [{ paths: 'src/**' }, 'a push', 'paths'],
      [{ 'changes-since': 'v1' }, 'a push', 'changes-since'],
    ])('%j on %s is an error about `%s`', async (inputs, name, input) => {
      expect(await read(name, inputs)).toMatchObject({
        name: 'InputError',
        problems: [{ inputs: [input] }],
      });
    });
  });

  test('a release that is edited has no change to document, unless `changes-since` is set', async () => {
    const event = parseEvent('release', { action: 'edited', release: { tag_name: 'v2' } });
    const whyNot = async (inputs: Record<string, string>) =>
      whyNoChange(event, await agentConfig({ prompt: 'x', ...inputs }));
    expect(await whyNot({ context: 'changes' })).toEqual(expect.any(String));
    expect(await whyNot({ context: 'changes', 'changes-since': '7 days' })).toBeUndefined();
    expect(await whyNot({})).toBeUndefined();
  });
});
