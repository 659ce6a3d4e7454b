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
      opened: {
        url: 'https://github.com/octo-org/docs/issues/7',
        createdAtMs: Math.floor(github.now() / 1000) * 1000,
      },
      written: {
        title: 'Thread 7',
        body: '',
        author: { login: 'maintainer', isBot: false },
        isFromOutside: false,
      },
    },
    comment: {
      kind: 'comment',
      id: comment.id,
      url: expect.stringMatching(/#issuecomment-/),
      body: '/docs x',
    },
  });
});

test('a review comment and a review are read as GitHub sends them, with where they are', () => {
  github.addThread({ number: 9, isPullRequest: true, author: 'github-actions[bot]' });
  const { reviews } = github;
  const read = (where: object, login = 'maintainer') => {
    const said = { path: 'docs/a.md', hunk: '@@ -1 +1 @@\n+a', body: '/docs x', ...where };
    const comment = reviews.comment(login, 9, said);
    const { name, payload } = github.reviewCommentEvent(comment);
    return { comment, event: parseEvent(name, payload) };
  };
  const { comment, event } = read({ line: 3 });
  const { id, reviewId } = comment;
  expect(event).toMatchObject({
    ...{ name: 'pull_request_review_comment', isTrusted: false, kind: 'comment', action: 'created' },
    actor: { login: 'maintainer', isBot: false },
    thread: { number: 9, isPullRequest: true, written: { author: { isBot: true } } },
    comment: { kind: 'review-comment', id, url: expect.stringContaining(`#discussion_r${id}`) },
    review: { number: 9, id: reviewId, place: { path: 'docs/a.md', conversation: id, hunk: comment.hunk } },
  });
  const linesOf = (where: object) => {
    const { event } = read(where);
    return event.kind === 'comment' ? event.review?.place?.lines : event;
  };
  const lines = { first: 3, last: 3, isOutdated: false, isBefore: false };
  expect(linesOf({ line: 3 })).toEqual(lines);
  expect(linesOf({ line: 3, startLine: 1, side: 'LEFT' })).toEqual({ ...lines, first: 1, isBefore: true });
  expect(linesOf({ line: 3, isOutdated: true })).toEqual({ ...lines, isOutdated: true });
  expect(linesOf({})).toBeUndefined();
  const review = reviews.submit('maintainer', 9, '/docs y');
  const submitted = github.reviewEvent(review);
  expect(parseEvent(submitted.name, submitted.payload)).toMatchObject({
    action: 'submitted',
    comment: { kind: 'review', id: review.id, body: '/docs y' },
    review: { number: 9, id: review.id, place: undefined },
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
  ['pull_request_review', { review: { id: 8 } }, { kind: 'other-comment', actor: { login: 'ghost' } }],
  ['discussion_comment', { comment: { body: '/docs x' } }, { kind: 'other-comment', id: undefined }],
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
