import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { isCommentEvent, parseEvent } from '../../src/github/event.ts';

const { github } = createInMemorySimulator();
github.addThread({ number: 7 });

test('a comment event is read as GitHub sends it', () => {
  const comment = github.comment('maintainer', 7, '/docs x');
  const { name, payload } = github.issueCommentEvent(comment);
  expect(parseEvent(name, payload)).toEqual({
    kind: 'comment',
    action: 'created',
    thread: { number: 7, comments: expect.any(Number) },
    comment: { id: comment.id, body: '/docs x', author: { login: 'maintainer', isBot: false } },
  });
});

test('a comment of a deleted account, of a bot, and one without text', () => {
  const event = (comment: object) =>
    parseEvent('issue_comment', { action: 'created', comment: { id: 1, ...comment }, issue: { number: 2 } });
  expect(event({ user: null, body: null })).toMatchObject({
    comment: { body: '', author: { login: 'ghost', isBot: false } },
  });
  expect(event({ body: 'x', user: { login: 'renovate[bot]', type: 'Bot' } })).toMatchObject({
    comment: { author: { login: 'renovate[bot]', isBot: true } },
  });
});

test.each<[string, unknown, object]>([
  ['issues', { issue: { number: 3, comments: 2 } }, { kind: 'thread', thread: { number: 3, comments: 2 } }],
  [
    'pull_request',
    { pull_request: { number: 4 } },
    { kind: 'thread', thread: { number: 4, comments: undefined } },
  ],
  ['pull_request_target', { pull_request: { number: 4 } }, { kind: 'thread' }],
  [
    'pull_request_review_comment',
    { pull_request: { number: 4 }, comment: { body: '/docs x' } },
    { kind: 'other-comment' },
  ],
  ['pull_request_review', { pull_request: { number: 4 } }, { kind: 'other-comment' }],
  ['discussion_comment', { comment: { body: '/docs x' } }, { kind: 'other-comment' }],
  ['push', { ref: 'refs/heads/main' }, { kind: 'other', name: 'push' }],
  ['schedule', {}, { kind: 'other', name: 'schedule' }],
  ['workflow_dispatch', { inputs: null }, { kind: 'other' }],
])('%s %j', (name, payload, event) => {
  expect(parseEvent(name, payload)).toMatchObject(event);
  expect(isCommentEvent(name)).toBe('kind' in event && event.kind === 'other-comment');
});

test('a payload that is not as documented is never a command', () => {
  fc.assert(
    fc.property(fc.constantFrom('issue_comment', 'push', 'issues', ''), fc.jsonValue(), (name, payload) => {
      expect(parseEvent(name, payload).kind).toMatch(/^(other|thread)$/);
    }),
  );
  expect(isCommentEvent('issue_comment')).toBe(true);
});
