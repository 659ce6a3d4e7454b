import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { hasNoSecrets, isCommentEvent, parseEvent } from '../../src/github/event.ts';

const { github } = createInMemorySimulator();
github.addThread({ number: 7 });

test('a comment event is read as GitHub sends it', () => {
  const comment = github.comment('maintainer', 7, '/docs x');
  const { name, payload } = github.issueCommentEvent(comment);
  expect(parseEvent(name, payload)).toEqual({
    name: 'issue_comment',
    isTrusted: false,
    actor: { login: 'maintainer', isBot: false },
    kind: 'comment',
    action: 'created',
    thread: {
      number: 7,
      isPullRequest: false,
      url: 'https://github.com/octo-org/docs/issues/7',
      createdAtMs: Math.floor(github.now() / 1000) * 1000,
      written: {
        title: 'Thread 7',
        body: '',
        author: { login: 'maintainer', isBot: false },
        isFromOutside: false,
      },
    },
    comment: { id: comment.id, body: '/docs x' },
  });
});

test('a comment of a deleted account, of a bot, and one without text', () => {
  const event = (comment: object) =>
    parseEvent('issue_comment', { action: 'created', comment: { id: 1, ...comment }, issue: { number: 2 } });
  expect(event({ user: null, body: null })).toMatchObject({
    comment: { body: '' },
    actor: { login: 'ghost', isBot: false },
  });
  expect(event({ body: 'x', user: { login: 'renovate[bot]', type: 'Bot' } })).toMatchObject({
    actor: { login: 'renovate[bot]', isBot: true },
  });
});

test.each<[string, unknown, object]>([
  [
    'issues',
    { issue: { number: 3 }, sender: { login: 'stranger' } },
    { kind: 'thread', thread: { number: 3 }, actor: { login: 'stranger', isBot: false } },
  ],
  ['pull_request', { action: 'closed', pull_request: { number: 4, merged: true } }, { isRejected: false }],
  [
    'pull_request',
    { action: 'closed', pull_request: { number: 4, merged: false, html_url: 'https://x.test/4' } },
    { isRejected: true, opened: undefined },
  ],
  [
    'pull_request',
    { action: 'opened', pull_request: { number: 4, html_url: 'https://x.test/4' } },
    { kind: 'thread', thread: { number: 4 }, opened: 'https://x.test/4' },
  ],
  ['pull_request_target', { pull_request: { number: 4 } }, { kind: 'thread' }],
  [
    'pull_request_review_comment',
    { pull_request: { number: 4 }, comment: { id: 9, body: '/docs x' } },
    { kind: 'other-comment', id: 9, thread: { number: 4 } },
  ],
  [
    'pull_request_review',
    { pull_request: { number: 4 }, review: { id: 8, body: null } },
    { kind: 'other-comment', id: 8, thread: { number: 4 }, body: '' },
  ],
  [
    'discussion_comment',
    { comment: { body: '/docs x' } },
    { kind: 'other-comment', id: undefined, thread: undefined },
  ],
  ['push', { ref: 'refs/heads/main' }, { kind: 'other', name: 'push' }],
  ['schedule', {}, { kind: 'other', name: 'schedule' }],
  ['workflow_dispatch', { inputs: null }, { kind: 'other' }],
])('%s %j', (name, payload, event) => {
  expect(parseEvent(name, payload)).toMatchObject(event);
  expect(isCommentEvent(name)).toBe('kind' in event && event.kind === 'other-comment');
});

describe('whose act an event is', () => {
  const stranger = { login: 'stranger', isBot: false };

  test.each([...['push', 'release', 'workflow_dispatch', 'repository_dispatch', 'schedule', 'merge_group']])(
    '%s takes the right to push already',
    (name) => {
      expect(parseEvent(name, {}).isTrusted).toBe(true);
    },
  );

  test.each([
    ...[
      'watch',
      'fork',
      'gollum',
      'check_run',
      'check_suite',
      'status',
      'label',
      'milestone',
      'page_build',
      'public',
    ],
    ...['deployment', 'deployment_status', 'registry_package', 'create', 'delete', 'issues', 'pull_request'],
    ...[
      'pull_request_target',
      'pull_request_review',
      'discussion',
      'issue_comment',
      'one_that_is_new',
      'pushed',
      '',
    ],
  ])('%s may be anyone’s', (name) => {
    expect(parseEvent(name, {}).isTrusted).toBe(false);
  });

  test.each<[unknown, object | undefined]>([
    [{ login: 'stranger' }, stranger],
    [
      { login: 'ci[bot]', type: 'Bot' },
      { login: 'ci[bot]', isBot: true },
    ],
    [null, undefined],
    [undefined, undefined],
    ['stranger', undefined],
  ])('the sender %j of a star', (sender, expected) => {
    expect(parseEvent('watch', { action: 'started', sender }).actor).toEqual(expected);
  });

  const own = { full_name: 'octo-org/docs' };
  test.each<[string, object, object | undefined]>([
    ['of the repository itself', { actor: { login: 'stranger' }, head_repository: own }, stranger],
    [
      'of a fork',
      { actor: { login: 'stranger' }, head_repository: { full_name: 'stranger/docs' } },
      undefined,
    ],
    ['of a fork that is gone', { actor: { login: 'stranger' }, head_repository: null }, undefined],
    ['of nobody', { actor: null, head_repository: own }, undefined],
  ])('a run %s, whoever sends its event', (_, workflow_run, expected) => {
    const payload = { repository: own, workflow_run, sender: { login: 'maintainer' } };
    expect(parseEvent('workflow_run', payload).actor).toEqual(expected);
  });
});

test('a payload that is not as documented is never a command', () => {
  fc.assert(
    fc.property(fc.constantFrom('issue_comment', 'push', 'issues', ''), fc.jsonValue(), (name, payload) => {
      expect(parseEvent(name, payload).kind).toMatch(/^(other|thread|other-comment)$/);
    }),
  );
  expect(isCommentEvent('issue_comment')).toBe(true);
});

test.each<[string, unknown, string, boolean]>([
  ['a pull request of a fork', 'octo-org/fork', 'stranger', true],
  ['one whose fork is gone', null, 'stranger', true],
  ['one of the repository itself', 'octo-org/docs', 'maintainer', false],
  ['whatever Dependabot starts', 'octo-org/docs', 'dependabot[bot]', true],
])('%s comes without secrets: %s', (_, full_name, actor, expected) => {
  const repo = full_name === null ? null : { full_name };
  const payload = { repository: { full_name: 'octo-org/docs' }, pull_request: { head: { repo } } };
  expect(hasNoSecrets(payload, actor)).toBe(expected);
  expect(hasNoSecrets({}, 'maintainer')).toBe(false);
});
