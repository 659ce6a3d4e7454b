import { expect, test } from '@jest/globals';

import type { GitHub } from '../../../src/github/client.ts';
import { calm } from '../../support/in-process/service.ts';
import { answering } from './answering.ts';
import { memoryGitHub, thread, token } from './memory-github.ts';

test('what is written is read', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addRun(42, 'schedule');
  const now = simulator.clock.now();
  const created = await github.createComment(thread, 'Grüße 🚀', calm());
  expect(created).toEqual({
    id: expect.any(Number),
    body: 'Grüße 🚀',
    login: 'github-actions[bot]',
    url: expect.stringMatching(/\/octo-org\/docs\/issues\/7#issuecomment-\d+$/),
    createdAtMs: now,
    editedAtMs: now,
    unedited: true,
  });
  const { id } = created;
  simulator.clock.advance(1_000);
  const edited = { ...created, body: 'two', editedAtMs: now + 1_000, unedited: false };
  expect(await github.updateComment(id, 'two', calm())).toEqual(edited);
  expect(await github.readComment(id, calm())).toMatchObject({ body: 'two' });
  await github.react(id, 'rocket', calm());
  expect(simulator.github.findComment(id).reactions).toMatchObject([{ content: 'rocket' }]);
  expect(await github.readCommentsSince(thread, now + 1_000, calm())).toMatchObject([{ id }]);
  expect(await github.readCommentsSince(thread, now + 2_000, calm())).toEqual([]);
  await github.deleteComment(id, calm());
  await expect(github.readComment(id, calm())).rejects.toMatchObject({ status: 404 });
  expect(await github.readRunCreatedAt('42', calm())).toBe(now);
  expect(simulator.violations).toEqual([]);
});

test('who somebody is, and that somebody is nobody', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addUser('keeper', { permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('keeper', calm())).toEqual({ permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('nobody[at]/../all', calm())).toBeUndefined();
  simulator.github.limits.fail({ status: 401 });
  await expect(github.permissionOf('keeper', calm())).rejects.toMatchObject({ status: 401 });
});

const everyCall: [string, (github: GitHub, id: number) => Promise<unknown>][] = [
  ['permissionOf', (github) => github.permissionOf('maintainer', calm())],
  ['react', (github, id) => github.react(id, 'eyes', calm())],
  ['readNewestFirst', (github) => github.readNewestFirst({ number: thread, comments: 1 }, calm()).next()],
  ['readCommentsSince', (github) => github.readCommentsSince(thread, 0, calm())],
  ['readComment', (github, id) => github.readComment(id, calm())],
  ['createComment', (github) => github.createComment(thread, 'x', calm())],
  ['updateComment', (github, id) => github.updateComment(id, 'x', calm())],
  ['deleteComment', (github, id) => github.deleteComment(id, calm())],
  [
    'isPullRequestOpen',
    (github) => github.isPullRequestOpen({ owner: 'octo-org', repo: 'docs', number: thread }, calm()),
  ],
  ['readRunCreatedAt', (github) => github.readRunCreatedAt('42', calm())],
];

test.each(everyCall)('%s carries the token, our name and the version of the API', async (_, call) => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addRun(42, 'schedule');
  await call(github, simulator.github.comment('maintainer', thread, 'hello').id);
  expect(simulator.requests.map(({ headers }) => headers)).toMatchObject([
    {
      authorization: `token ${token}`,
      'user-agent': expect.stringMatching(/^docs-agent-action /),
      'x-github-api-version': '2022-11-28',
    },
  ]);
  expect(simulator.violations).toEqual([]);
});

const comment = {
  id: 1,
  body: 'x',
  html_url: 'https://github.com/o/r/issues/7#issuecomment-1',
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  user: { login: 'somebody' },
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['fields that nobody knows', { node_id: 'x', performed_via_github_app: null }, {}],
  ['no body', { body: undefined }, { body: '' }],
  ['a body that is null', { body: null }, { body: '' }],
  ['a user who is gone', { user: null }, { login: 'ghost' }],
])('a comment with %s is taken', async (_, extra, read) => {
  const use = (github: GitHub) => github.readComment(1, calm());
  expect(await answering(200, { ...comment, ...extra }, use)).toMatchObject({ value: read, asked: 1 });
});

test.each<[string, unknown]>([
  ['a string for an id', { ...comment, id: '1' }],
  ['no address', { ...comment, html_url: undefined }],
  ['no times', { ...comment, created_at: undefined }],
  ['a user without a login', { ...comment, user: {} }],
  ['a list', [comment]],
  ['nothing', null],
])('a comment in a wrong shape is not: %s', async (_, body) => {
  const { error, asked } = await answering(200, body, (github) => github.readComment(1, calm()));
  expect(error).toMatchObject({ reason: 'github-error', message: expect.stringMatching(/not in the form/) });
  expect(asked).toBe(4);
});

test('an answer that is no text is in no form either', async () => {
  const read = (github: GitHub) => github.readComment(1, calm());
  for (const status of [200, 404]) {
    const { error } = await answering(status, comment, read, 'image/png');
    expect(error).toMatchObject({
      message: expect.stringMatching(status === 200 ? /not in the form/ : /GitHub answered 404$/),
    });
  }
});

test('a refusal without words is told by its number', async () => {
  const { error } = await answering(404, 'gone', (github) => github.readComment(1, calm()));
  expect(error).toMatchObject({ message: 'Reading the comment: GitHub answered 404' });
});

test('nothing of an error tells the token', async () => {
  for (const [status, body] of [
    [200, 'no comment'],
    [403, { message: 'Resource not accessible by integration' }],
    [500, { message: 'Oops' }],
  ] as const) {
    const { error } = await answering(status, body, (github) => github.readComment(1, calm()));
    const told =
      error instanceof Error ? { ...error, message: error.message, cause: error.cause } : undefined;
    expect(told?.cause).toBeUndefined();
    expect(JSON.stringify(told)).not.toContain(token);
  }
});

test('an aborted call ends with the reason of the abort, and sends nothing more', async () => {
  const { simulator, github } = memoryGitHub();
  const controller = new AbortController();
  simulator.github.limits.fail({ status: 500, times: 99 });
  simulator.onBoundary(() => controller.abort(new Error('cancelled')));
  await expect(github.createComment(thread, 'x', controller.signal)).rejects.toThrow('cancelled');
  await expect(github.readComment(1, controller.signal)).rejects.toThrow('cancelled');
  expect(simulator.requests).toHaveLength(1);
});
