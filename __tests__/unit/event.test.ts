import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { isCommentEvent, parseEvent } from '../../src/github/event.ts';

const { github } = createInMemorySimulator();
github.addThread({ number: 7 });

test('a comment event contains the thread, its author, and the comment', () => {
  const comment = github.comment('maintainer', 7, '/docs x');
  const { name, payload } = github.issueCommentEvent(comment);
  const actor = { login: 'maintainer', isBot: false };
  const createdAtMs = Math.floor(github.now() / 1000) * 1000;
  const opened = { url: 'https://github.com/octo-org/docs/issues/7', createdAtMs };
  const written = { title: 'Thread 7', body: '', author: actor, isFromOutside: false };
  const thread = { number: 7, isPullRequest: false, opened, written };
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

const opened = 'https://x.test/4';
const pull = { number: 4, merged: false, html_url: opened };
const rejected = { isRejected: true, opened: undefined };

test.each<[string, unknown, object]>([
  ['issues', { issue: { number: 3 } }, { kind: 'thread', thread: { number: 3 } }],
  [
    'pull_request',
    { action: 'closed', pull_request: { ...pull, merged: true } },
    { isRejected: false },
  ],
  ['pull_request', { action: 'closed', pull_request: pull }, rejected],
  ['pull_request', { action: 'opened', pull_request: pull }, { thread: { number: 4 }, opened }],
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
  ])('%s requires permission to push', (name) => expect(parseEvent(name, {}).isTrusted).toBe(true));

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
