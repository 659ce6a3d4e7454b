import { describe, expect, test } from '@jest/globals';

import type { FaultSpec } from '../../../simulator/http/faults.ts';
import type { GitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { answeredBy, debugged, endOf, memoryGitHub, thread, token } from './memory-github.ts';

const pulls = '`pull-requests: write`';
const issues = '`issues: write` (on a pull request, `pull-requests: write`)';
type Call = (github: GitHub, signal: AbortSignal) => Promise<unknown>;

/** Every read request, the permission that it needs, and its result if GitHub responds with a 404. */
const reads: [name: string, read: Call, needs: string, gone?: unknown][] = [
  ['readPullRequest', (github, signal) => github.readPullRequest(8, signal), pulls],
  ['readIssue', (github, signal) => github.readIssue(thread, signal), issues],
  [
    'readPullRequestFiles',
    (github, signal) =>
      github.readPullRequestFiles({ number: 8, changedFiles: 1, headSha: '' }, signal),
    pulls,
    'an error',
  ],
  ['pullRequestsOf', (github, signal) => github.pullRequestsOf('main', signal), pulls, []],
  ['compare', (github, signal) => github.compare('v1.0', 'main', signal), '`contents: read`'],
  ['readCommit', (github, signal) => github.readCommit('main', signal), '`contents: read`'],
  [
    'lastCommitBefore',
    (github, signal) => github.lastCommitBefore('main', 0, signal),
    '`contents: read`',
  ],
  ['readRelease', (github, signal) => github.readRelease('v1.0', signal), '`contents: read`'],
  ['readReleases', (github, signal) => github.readReleases(signal), '`contents: read`', 'an error'],
  ['readReviewBody', (github, signal) => github.readReviewBody(8, 1, signal), pulls],
  [
    'readReviewComments',
    (github, signal) => github.readReviewComments(8, signal),
    pulls,
    'an error',
  ],
  [
    'readRepositoryComments',
    (github, signal) => github.readRepositoryComments({ sinceMs: 0, maxPages: 1 }, signal),
    issues,
    'an error',
  ],
];

describe.each(reads)('%s', (_, read, needs, gone) => {
  test('names the missing permission if GitHub rejects it', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.github.addToken(token, { contents: 'none', issues: 'none', 'pull-requests': 'none' });
    const refused = await endOf(read(github, calm()));
    expect(refused).toMatchObject({
      status: 403,
      hint: expect.stringContaining(`Add ${needs} to`),
    });
  });

  test('treats a 404 or 410 from GitHub as missing, and a 404 from a proxy as an error', async () => {
    const { simulator, github } = memoryGitHub();
    for (const status of [404, 410]) {
      simulator.faults.refuse(() => true, status);
      const end = await endOf(read(github, calm()));
      if (gone === 'an error') expect(end).toMatchObject({ status });
      else expect(end).toEqual(gone);
    }
    simulator.faults.add({ at: () => true, kind: 'html', status: 404 });
    expect(await endOf(read(github, calm()))).toMatchObject({ status: 404, isFromGitHub: false });
  });
});

const calls: [name: string, call: Call][] = [
  ...reads.map(([name, read]): [string, Call] => [name, read]),
  ['permissionOf', (github, signal) => github.permissionOf('maintainer', signal)],
  [
    'unreact',
    (github, signal) => github.unreact({ kind: 'comment', id: 1 }, 'eyes', 'maintainer', signal),
  ],
  ['readNewestFirst', (github, signal) => github.readNewestFirst(7, signal).next()],
  ['readCommentsSince', (github, signal) => github.readCommentsSince(thread, 0, signal)],
  ['readComment', (github, signal) => github.readComment(1, signal)],
  ['createComment', (github, signal) => github.createComment(thread, 'x', signal)],
  ['updateComment', (github, signal) => github.updateComment(1, 'x', signal)],
  ['readPullRequestState', (github, signal) => github.readPullRequestState(8, signal)],
  ['readRunCreatedAt', (github, signal) => github.readRunCreatedAt('42', signal)],
];

/** The result of a call if GitHub gives this response to every request. */
function answering(body: unknown, call: Call, headers: Record<string, string> = {}) {
  const github = answeredBy(() => ({ body, headers }));
  return endOf(call(github, calm()));
}

describe.each(calls)('%s', (_, call) => {
  test('sends the token, our name, and the API version, and ends with the reason for an abort', async () => {
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
    ['nothing', null, 'application/json'],
    ['a list with nothing in it', [null], 'application/json'],
    ['a page', '<!doctype html>', 'text/html'],
    ['a picture', 'x', 'image/png'],
  ])('rejects %s as a response', async (_, body, type) => {
    expect(await answering(body, call, { 'content-type': type })).toMatchObject({
      reason: 'github-error',
      what: 'GitHub’s response doesn’t match its documentation',
      doing: expect.stringMatching(/^[A-Z][^:]+$/),
      hint: expect.stringMatching(/a proxy or a login page/),
    });
  });
});

const readComment: Call = (github, signal) => github.readComment(1, signal);
const readIssue: Call = (github, signal) => github.readIssue(7, signal);

const comment = {
  id: 1,
  body: 'x',
  html_url: 'https://github.com/o/r/issues/7#issuecomment-1',
  issue_url: 'https://api.github.com/repos/o/r/issues/7',
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  user: { login: 'someone' },
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['unknown fields', { node_id: 'x', performed_via_github_app: null }, {}],
  ['a body that is null', { body: null }, { body: '' }],
  ['a deleted user', { user: null }, { login: 'ghost' }],
])('a comment with %s', async (_, extra, read) => {
  expect(await answering({ ...comment, ...extra }, readComment)).toMatchObject(read);
});

const issue = {
  number: 7,
  html_url: 'https://github.com/o/r/issues/7',
  title: 'x',
  body: 'x',
  body_text: 'x',
  user: { login: 'someone', type: 'User' },
  author_association: 'NONE',
  labels: [],
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a deleted author', { user: null }, { author: { login: 'ghost', isBot: false } }],
  [
    'labels as strings',
    { labels: ['a', { name: 'b' }, { name: null }] },
    { labels: ['a', 'b', ''] },
  ],
  ['no text', { body: null, body_text: null }, { body: { source: '', rendered: '' } }],
  [
    'only a comment',
    { body: '<!-- -->', body_text: '' },
    { body: { source: '<!-- -->', rendered: '' } },
  ],
  // A match never crosses lines, because on many blank lines, that would take seconds.
  [
    'a diagram',
    { body: '```mermaid\n\n%% hidden\nx\n```', body_text: '\n%% hidden\nx' },
    { body: { rendered: '\n\nx' } },
  ],
  ['only code', { body: '```\n\nmermaid\n```', body_text: '%% x' }, { body: { rendered: '%% x' } }],
  ['a member as its author', { author_association: 'MEMBER' }, { isFromOutside: false }],
  // Without the rendered text, we can't know which part of the body is hidden.
  ['a body, but no rendered text', { body_text: undefined }, { reason: 'github-error' }],
])('an issue with %s', async (_, extra, read) => {
  expect(await answering({ ...issue, ...extra }, readIssue)).toMatchObject(read);
});

const compare: Call = (github, signal) => github.compare('a', 'b', signal);
const commit = { sha: 'a', parents: [], commit: { message: '', tree: { sha: 't' } } };
const range = { status: 'ahead', merge_base_commit: commit, commits: [commit], total_commits: 1 };

test.each<[debugged: string, Call, answer: object]>([
  ['Reading the comment: the response has no `id`', readComment, { ...comment, id: undefined }],
  [
    'Reading the comment: the response has no `created_at`',
    readComment,
    { ...comment, created_at: null },
  ],
  ['Reading issue 7: `labels` is not a list', readIssue, { ...issue, labels: {} }],
  ['Reading issue 7: `labels` has no `0`', readIssue, { ...issue, labels: [null] }],
  ['Comparing `a...b`: the response has no `files`', compare, range],
  [
    'Comparing `a...b`: `commit` has no `tree`',
    compare,
    { ...range, files: [], commits: [{ commit: {} }] },
  ],
])('%s: only the debug log names the field', async (line, call, answer) => {
  debugged.length = 0;
  const what = 'GitHub’s response doesn’t match its documentation';
  const hint = expect.stringMatching(/ The debug log names the field\.$/);
  expect(await answering(answer, call)).toMatchObject({
    what,
    hint,
    doing: line.replace(/: .*/, ''),
  });
  expect(debugged[0]).toBe(line);
});

test.each<[string, FaultSpec]>([
  ['a rate limit', { at: () => true, kind: 'status', status: 429 }],
  ['a proxy', { at: () => true, kind: 'html', status: 404 }],
])('%s doesn’t mean that the token can’t see a pull request', async (_, fault) => {
  const { github, simulator } = memoryGitHub();
  simulator.faults.add({ ...fault, times: 9 });
  expect(await endOf(github.readPullRequestState(8, calm()))).toBeInstanceOf(GitHubError);
});
