import { describe, expect, test } from '@jest/globals';

import type { GitHub } from '../../../src/github/client.ts';
import { missingReadPermission, type ReadPermission } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { answering } from './answering.ts';
import { memoryGitHub, thread, token } from './memory-github.ts';

/** Every read of the repository, the permission that it takes, and what it makes of a 404. */
const reads: [
  name: string,
  read: (github: GitHub) => Promise<unknown>,
  needs?: ReadPermission,
  gone?: unknown,
][] = [
  ['readPullRequest', (github) => github.readPullRequest(8, calm()), 'pull-requests: read'],
  ['readIssue', (github) => github.readIssue(thread, calm()), 'issues: read'],
  [
    'readPullRequestFiles',
    (github) => github.readPullRequestFiles({ number: 8, changedFiles: 1 }, calm()),
    'pull-requests: read',
    'an error',
  ],
  ['pullRequestsOf', (github) => github.pullRequestsOf('main', calm()), 'pull-requests: read', []],
  ['compare', (github) => github.compare('v1.0', 'main', calm()), 'contents: read'],
  ['readCommit', (github) => github.readCommit('main', calm()), 'contents: read'],
  [
    'lastCommitBefore',
    (github) => github.lastCommitBefore('main', Date.UTC(2027, 0), calm()),
    'contents: read',
  ],
  ['readRelease', (github) => github.readRelease('v1.0', calm()), 'contents: read'],
  ['readReleases', (github) => github.readReleases(calm()), 'contents: read', 'an error'],
  [
    'readRepositoryComments',
    (github) => github.readRepositoryComments({ sinceMs: 0, maxPages: 1 }, calm()),
    'issues: read',
    'an error',
  ],
];

/** What a call comes to, errors included. */
async function endOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}

describe.each(reads)('%s', (_, read, needs, gone) => {
  test('names the permission that it was refused for', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.github.addToken(token, { contents: 'none', issues: 'none', 'pull-requests': 'none' });
    const refused = await endOf(read(github));
    expect(refused).toMatchObject({ status: 403, forbidden: true });
    expect(missingReadPermission(refused)).toBe(needs);
  });

  test('a 404 in GitHub’s own words means that it is not there; in any other it is an error', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.github.limits.fail({ status: 404 });
    const end = await endOf(read(github));
    if (gone === 'an error') expect(end).toMatchObject({ status: 404 });
    else expect(end).toEqual(gone);
    simulator.faults.add({ at: () => true, kind: 'html', status: 404 });
    expect(await endOf(read(github))).toMatchObject({ status: 404, isOwnWords: false });
  });
});

const calls: [name: string, call: (github: GitHub) => Promise<unknown>][] = [
  ...reads.map(([name, read]): [string, typeof read] => [name, read]),
  ['permissionOf', (github) => github.permissionOf('maintainer', calm())],
  ['react', (github) => github.react(1, 'eyes', calm())],
  ['unreact', (github) => github.unreact(1, 'eyes', 'maintainer', calm())],
  ['readNewestFirst', (github) => github.readNewestFirst({ number: 7, comments: 1 }, calm()).next()],
  ['readCommentsSince', (github) => github.readCommentsSince(thread, 0, calm())],
  ['readComment', (github) => github.readComment(1, calm())],
  ['createComment', (github) => github.createComment(thread, 'x', calm())],
  ['updateComment', (github) => github.updateComment(1, 'x', calm())],
  ['deleteComment', (github) => github.deleteComment(1, calm())],
  [
    'isPullRequestOpen',
    (github) => github.isPullRequestOpen({ owner: 'octo-org', repo: 'docs', number: 8 }, calm()),
  ],
  ['readRunCreatedAt', (github) => github.readRunCreatedAt('42', calm())],
];

describe.each(calls)('%s does not take for GitHub’s', (_, call) => {
  test.each<[string, unknown, type: string]>([
    ['an empty object', {}, 'application/json'],
    ['a page', '<!doctype html>', 'text/html'],
    ['null', null, 'application/json'],
    ['a picture', 'x', 'image/png'],
  ])('%s', async (_, body, type) => {
    const { error, asked } = await answering(200, body, call, type);
    expect(error).toMatchObject({
      reason: 'github-error',
      message: expect.stringMatching(/^[A-Z][^:]+: GitHub’s answer is not in the form it documents: /),
      hint: expect.stringMatching(/a proxy or a login page/),
    });
    expect(asked).toBeGreaterThanOrEqual(4);
  });
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
  ['unknown fields', { node_id: 'x', performed_via_github_app: null }, {}],
  ['a body that is null', { body: null }, { body: '' }],
  ['a user who is gone', { user: null }, { login: 'ghost' }],
])('a comment with %s is read', async (_, extra, read) => {
  const use = (github: GitHub) => github.readComment(1, calm());
  expect(await answering(200, { ...comment, ...extra }, use)).toMatchObject({ value: read, asked: 1 });
});

test.each(['id', 'body', 'html_url', 'created_at', 'updated_at'])(
  'a comment without `%s` is an error that names it',
  async (field) => {
    const use = (github: GitHub) => github.readComment(1, calm());
    const { error } = await answering(200, { ...comment, [field]: undefined }, use);
    expect(error).toMatchObject({ said: `\`${field}\` is missing` });
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
  ['a contributor for its author', { author_association: 'CONTRIBUTOR' }, { isFromOutside: true }],
])('an issue with %s is read', async (_, extra, read) => {
  const use = (github: GitHub) => github.readIssue(7, calm());
  expect(await answering(200, { ...issue, ...extra }, use)).toMatchObject({ value: read, asked: 1 });
});

test('a body without what its readers see of it is refused: no one knows what is hidden in it', async () => {
  const answer = { ...issue, body_text: undefined };
  const { error } = await answering(200, answer, (github) => github.readIssue(7, calm()));
  expect(error).toMatchObject({ said: '`body_text` is missing' });
});

test('an issue that was deleted is not there', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.limits.fail({ status: 410, message: 'This issue was deleted' });
  expect(await github.readIssue(thread, calm())).toBeUndefined();
});

test('the error names what was being read', async () => {
  const { error } = await answering(200, {}, (github) => github.readRelease('v2', calm()));
  expect(error).toMatchObject({ message: expect.stringMatching(/^Reading the release `v2`: /) });
});

test('a comparison without its files is not one that changes none', async () => {
  const commit = {
    sha: 'a',
    parents: [],
    commit: { message: '', committer: { date: '2026-01-05' }, tree: { sha: 't' } },
  };
  const answer = { status: 'ahead', merge_base_commit: commit, commits: [commit], total_commits: 1 };
  const { error } = await answering(200, answer, (github) => github.compare('a', 'b', calm()));
  expect(error).toMatchObject({ said: '`files` is missing' });
});

test('no error contains the token', async () => {
  for (const [status, body] of [
    [200, 'no comment'],
    [403, { message: 'Resource not accessible by integration' }],
    [500, { message: 'Oops' }],
  ] as const) {
    const { error } = await answering(status, body, (github) => github.readComment(1, calm()));
    const shown =
      error instanceof Error ? { ...error, message: error.message, cause: error.cause } : undefined;
    expect(shown?.cause).toBeUndefined();
    expect(JSON.stringify(shown)).not.toContain(token);
  }
});
