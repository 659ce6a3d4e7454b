import { describe, expect, test } from '@jest/globals';

import type { FaultSpec } from '../../../simulator/http/faults.ts';
import type { GitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { answeredBy, debugged, endOf, memoryGitHub, thread, token } from './memory-github.ts';

const pulls = '`pull-requests: write`';
const issues = '`issues: write` (on a pull request, `pull-requests: write`)';
type Call = (github: GitHub) => Promise<unknown>;

/** Every read request, the permission that it needs, and its result if GitHub responds with a 404. */
const reads: [name: string, read: Call, needs: string, gone?: unknown][] = [
  ['readPullRequest', (github) => github.readPullRequest(8), pulls],
  ['readIssue', (github) => github.readIssue(thread), issues],
  [
    'readPullRequestFiles',
    (github) => github.readPullRequestFiles({ number: 8, changedFiles: 1, headSha: '' }),
    pulls,
    'an error',
  ],
  ['pullRequestsOf', (github) => github.pullRequestsOf('main'), pulls, []],
  ['compare', (github) => github.compare('v1.0', 'main'), '`contents: read`'],
  ['readCommit', (github) => github.readCommit('main'), '`contents: read`'],
  ['lastCommitBefore', (github) => github.lastCommitBefore('main', 0), '`contents: read`'],
  ['readRelease', (github) => github.readRelease('v1.0'), '`contents: read`'],
  ['readReleases', (github) => github.readReleases(), '`contents: read`', 'an error'],
  ['readReviewBody', (github) => github.readReviewBody(8, 1), pulls],
  ['readReviewComments', (github) => github.readReviewComments(8), pulls, 'an error'],
  [
    'readRepositoryComments',
    (github) => github.readRepositoryComments({ sinceMs: 0, maxPages: 1 }),
    issues,
    'an error',
  ],
];

describe.each(reads)('%s', (_, read, needs, gone) => {
  test('names the missing permission if GitHub rejects it', async () => {
    const { simulator, github } = memoryGitHub();
    simulator.github.addToken(token, { contents: 'none', issues: 'none', 'pull-requests': 'none' });
    const refused = await endOf(read(github));
    expect(refused).toMatchObject({
      status: 403,
      hint: expect.stringContaining(`Add ${needs} to`),
    });
  });

  test('treats a 404 or 410 from GitHub as missing, and a 404 from a proxy as an error', async () => {
    const { simulator, github } = memoryGitHub();
    for (const status of [404, 410]) {
      simulator.faults.refuse(() => true, status);
      const end = await endOf(read(github));
      if (gone === 'an error') expect(end).toMatchObject({ status });
      else expect(end).toEqual(gone);
    }
    simulator.faults.add({ at: () => true, kind: 'html', status: 404 });
    expect(await endOf(read(github))).toMatchObject({ status: 404, isFromGitHub: false });
  });
});

const calls: [name: string, call: Call][] = [
  ...reads.map(([name, read]): [string, Call] => [name, read]),
  ['permissionOf', (github) => github.permissionOf('maintainer')],
  ['unreact', (github) => github.unreact({ kind: 'comment', id: 1 }, 'eyes', 'maintainer')],
  ['readNewestFirst', (github) => github.readNewestFirst(7).next()],
  ['readCommentsSince', (github) => github.readCommentsSince(thread, 0)],
  ['readComment', (github) => github.readComment(1)],
  ['createComment', (github) => github.createComment(thread, 'x')],
  ['updateComment', (github) => github.updateComment(1, 'x')],
  ['readPullRequestState', (github) => github.readPullRequestState(8)],
  ['readRunCreatedAt', (github) => github.readRunCreatedAt('42')],
];

/** The result of a call if GitHub gives this response to every request. */
function answering(body: unknown, call: Call, headers: Record<string, string> = {}) {
  const github = answeredBy(() => ({ body, headers }));
  return endOf(call(github));
}

describe.each(calls)('%s', (_, call) => {
  test('sends the token, our name, and the API version, and ends with the reason for an abort', async () => {
    const controller = new AbortController();
    const { simulator, github } = memoryGitHub(controller.signal);
    simulator.faults.refuse(() => true, 500, { times: 99 });
    simulator.onBoundary(() => controller.abort(new Error('cancelled')));
    await expect(call(github)).rejects.toThrow('cancelled');
    await expect(call(github)).rejects.toThrow('cancelled');
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

const readComment: Call = (github) => github.readComment(1);
const readIssue: Call = (github) => github.readIssue(7);

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

const compare: Call = (github) => github.compare('a', 'b');
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
  expect(await endOf(github.readPullRequestState(8))).toBeInstanceOf(GitHubError);
});

test('a client that is bound to another signal ends with that one, and shares the limits', async () => {
  const [run, closing] = [new AbortController(), new AbortController()];
  const { simulator, github } = memoryGitHub(run.signal);
  const closer = github.within(closing.signal);
  run.abort(new Error('canceled'));
  await expect(github.readIssue(thread)).rejects.toThrow('canceled');
  expect(await closer.readIssue(thread)).toMatchObject({ number: thread });
  github.waitAtMost(0);
  simulator.faults.refuse(() => true, 500, { times: 9 });
  const sent = simulator.requests.length;
  expect(await endOf(closer.readIssue(thread))).toMatchObject({ status: 500 });
  expect(simulator.requests).toHaveLength(sent + 1);
  closing.abort(new Error('too late'));
  await expect(closer.at({ owner: 'a', repo: 'b' }).readIssue(1)).rejects.toThrow('too late');
});
