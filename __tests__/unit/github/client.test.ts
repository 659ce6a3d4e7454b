import { describe, expect, test } from '@jest/globals';

import type { GitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { debugged, endOf, memoryGitHub, thread, token, withServer } from './memory-github.ts';

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
    unedited: true,
  });
  const { id } = created;
  simulator.clock.advance(1_000);
  const edited = { ...created, body: 'two', unedited: false };
  expect(await github.updateComment(id, 'two', calm())).toEqual(edited);
  expect(await github.readComment(id, calm())).toMatchObject({ body: 'two' });
  await github.react({ kind: 'comment', id }, 'rocket', calm());
  expect(simulator.github.findComment(id).reactions).toMatchObject([{ content: 'rocket' }]);
  expect(await github.readCommentsSince(thread, now + 1_000, calm())).toMatchObject([{ id }]);
  expect(await github.readCommentsSince(thread, now + 2_000, calm())).toEqual([]);
  await github.deleteComment(id, calm());
  expect(await github.readComment(id, calm())).toBeUndefined();
  expect(await github.readRunCreatedAt('42', calm())).toBe(now);
  expect(simulator.violations).toEqual([]);
});

test('the permission of a collaborator, of no collaborator, and none without an answer', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addUser('keeper', { permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('keeper', calm())).toEqual({ permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('nobody[at]/../all', calm())).toBeUndefined();
  simulator.faults.refuse(() => true, 401);
  await expect(github.permissionOf('keeper', calm())).rejects.toMatchObject({ status: 401 });
});

type Call = (github: GitHub, signal: AbortSignal) => Promise<unknown>;

/** Every read of the repository, the permission it needs, and its result for a 404. */
const reads: [name: string, read: Call, needs: string, gone?: unknown][] = [
  ['readPullRequest', (github, signal) => github.readPullRequest(8, signal), 'pull-requests: read'],
  ['readIssue', (github, signal) => github.readIssue(thread, signal), 'issues: read'],
  [
    'readPullRequestFiles',
    (github, signal) => github.readPullRequestFiles({ number: 8, changedFiles: 1, headSha: '' }, signal),
    'pull-requests: read',
    'an error',
  ],
  ['pullRequestsOf', (github, signal) => github.pullRequestsOf('main', signal), 'pull-requests: read', []],
  ['compare', (github, signal) => github.compare('v1.0', 'main', signal), 'contents: read'],
  ['readCommit', (github, signal) => github.readCommit('main', signal), 'contents: read'],
  ['lastCommitBefore', (github, signal) => github.lastCommitBefore('main', 0, signal), 'contents: read'],
  ['readRelease', (github, signal) => github.readRelease('v1.0', signal), 'contents: read'],
  ['readReleases', (github, signal) => github.readReleases(signal), 'contents: read', 'an error'],
  [
    'readRepositoryComments',
    (github, signal) => github.readRepositoryComments({ sinceMs: 0, maxPages: 1 }, signal),
    'issues: read',
    'an error',
  ],
];

describe.each(reads)('%s', (_, read, needs, gone) => {
  test('names the permission that it was refused for', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.github.addToken(token, { contents: 'none', issues: 'none', 'pull-requests': 'none' });
    const refused = await endOf(read(github, calm()));
    expect(refused).toMatchObject({ status: 403, hint: expect.stringContaining(`add \`${needs}\``) });
  });

  test('a 404 in GitHub’s own words means that it is not there; in any other it is an error', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.faults.refuse(() => true, 404);
    const end = await endOf(read(github, calm()));
    if (gone === 'an error') expect(end).toMatchObject({ status: 404 });
    else expect(end).toEqual(gone);
    simulator.faults.add({ at: () => true, kind: 'html', status: 404 });
    expect(await endOf(read(github, calm()))).toMatchObject({ status: 404, isFromGitHub: false });
  });
});

const elsewhere = { owner: 'octo-org', repo: 'docs', number: 8 };
const calls: [name: string, call: Call][] = [
  ...reads.map(([name, read]): [string, Call] => [name, read]),
  ['permissionOf', (github, signal) => github.permissionOf('maintainer', signal)],
  ['unreact', (github, signal) => github.unreact({ kind: 'comment', id: 1 }, 'eyes', 'maintainer', signal)],
  ['readNewestFirst', (github, signal) => github.readNewestFirst(7, signal).next()],
  ['readCommentsSince', (github, signal) => github.readCommentsSince(thread, 0, signal)],
  ['readComment', (github, signal) => github.readComment(1, signal)],
  ['createComment', (github, signal) => github.createComment(thread, 'x', signal)],
  ['updateComment', (github, signal) => github.updateComment(1, 'x', signal)],
  ['lookAtPullRequest', (github, signal) => github.lookAtPullRequest(elsewhere, signal)],
  ['readRunCreatedAt', (github, signal) => github.readRunCreatedAt('42', signal)],
];

/** The result of a call if GitHub gives the same response to everything. */
function answering<T>(
  status: number,
  body: unknown,
  use: (github: GitHub) => Promise<T>,
  type = 'application/json',
) {
  return withServer(
    (_, response) => response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body)),
    (github) => endOf(use(github)),
  );
}

describe.each(calls)('%s', (_, call) => {
  test('carries the token, our name and the version of the API, and ends with the reason of an abort', async () => {
    const { simulator, github } = memoryGitHub();
    const controller = new AbortController();
    simulator.faults.refuse(() => true, 500, { times: 99 });
    simulator.onBoundary(() => controller.abort(new Error('cancelled')));
    await expect(call(github, controller.signal)).rejects.toThrow('cancelled');
    await expect(call(github, controller.signal)).rejects.toThrow('cancelled');
    expect(simulator.requests.map(({ headers }) => headers)).toMatchObject([
      {
        authorization: `token ${token}`,
        'user-agent': expect.stringMatching(/^docs-agent-action /),
        'x-github-api-version': '2022-11-28',
      },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test.each<[string, unknown, type: string]>([
    ['an empty object', {}, 'application/json'],
    ['a page', '<!doctype html>', 'text/html'],
    ['a picture', 'x', 'image/png'],
  ])('does not take %s for GitHub’s', async (_, body, type) => {
    expect(await answering(200, body, (github) => call(github, calm()), type)).toMatchObject({
      reason: 'github-error',
      message: expect.stringMatching(/^[A-Z][^:]+: GitHub’s response doesn’t match its documentation$/),
      hint: expect.stringMatching(/a proxy or a login page/),
    });
  });
});

const readComment = (github: GitHub) => github.readComment(1, calm());
const comment = {
  id: 1,
  body: 'x',
  html_url: 'https://github.com/o/r/issues/7#issuecomment-1',
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  user: { login: 'somebody' },
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['unknown fields', { node_id: 'x', performed_via_github_app: null }, {}],
  ['a body that is null', { body: null }, { body: '' }],
  ['a user who is gone', { user: null }, { login: 'ghost' }],
])('a comment with %s', async (_, extra, read) => {
  expect(await answering(200, { ...comment, ...extra }, readComment)).toMatchObject(read);
});

test.each(['id', 'html_url', 'created_at', 'updated_at'])(
  'a comment without `%s`: the error says what was read, and the debug log the field',
  async (field) => {
    debugged.length = 0;
    const what = 'Reading the comment: GitHub’s response doesn’t match its documentation';
    const end = await answering(200, { ...comment, [field]: undefined }, readComment);
    expect(end).toMatchObject({ message: what });
    expect(debugged[0]).toBe(`Reading the comment: \`${field}\` is missing`);
  },
);

const issue = {
  number: 7,
  html_url: 'https://github.com/o/r/issues/7',
  title: 'x',
  body: 'x',
  body_text: 'x',
  user: { login: 'somebody', type: 'User' },
  author_association: 'NONE',
  labels: [],
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['an author who is gone', { user: null }, { author: { login: 'ghost', isBot: false } }],
  ['labels as texts', { labels: ['a', { name: 'b' }, { name: null }] }, { labels: ['a', 'b', ''] }],
  ['no text at all', { body: null, body_text: null }, { body: { source: '', rendered: '' } }],
  ['only a comment', { body: '<!-- -->', body_text: '' }, { body: { source: '<!-- -->', rendered: '' } }],
  ['a member for its author', { author_association: 'MEMBER' }, { isFromOutside: false }],
  // We can't know what is hidden in it.
  ['a body, but not what its readers see of it', { body_text: undefined }, { reason: 'github-error' }],
])('an issue with %s', async (_, extra, read) => {
  const answer = { ...issue, ...extra };
  expect(await answering(200, answer, (github) => github.readIssue(7, calm()))).toMatchObject(read);
});

test('an issue that was deleted is not there', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.faults.refuse(() => true, 410);
  expect(await github.readIssue(thread, calm())).toBeUndefined();
});

test('a comparison without its files is not one that changes none', async () => {
  const inner = { message: '', committer: { date: '2026-01-05' }, tree: { sha: 't' } };
  const commit = { sha: 'a', parents: [], commit: inner };
  const answer = { status: 'ahead', merge_base_commit: commit, commits: [commit], total_commits: 1 };
  const end = await answering(200, answer, (github) => github.compare('a', 'b', calm()));
  expect(end).toMatchObject({
    message: expect.stringMatching(/^Comparing `a\.\.\.b`: GitHub’s response doesn’t match/),
  });
});

test('no error contains the token', async () => {
  for (const [status, body] of [
    [200, 'no comment'],
    [403, { message: 'Resource not accessible by integration' }],
    [500, { message: 'Oops' }],
  ] as const) {
    const error = await answering(status, body, readComment);
    if (!(error instanceof GitHubError)) throw new Error('no error');
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain(token);
  }
});
