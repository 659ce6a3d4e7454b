import { describe, expect, test } from '@jest/globals';

import type { GitHub } from '../../../src/github/client.ts';
import { missingReadPermission, type ReadPermission } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { answering } from './answering.ts';
import { failAt, memoryGitHub, thread, token } from './memory-github.ts';

type Read = (github: GitHub, signal?: AbortSignal) => Promise<unknown>;

/** Every read of the repository, the permission that it takes, and what it makes of a 404. */
const reads: [name: string, read: Read, needs: ReadPermission, gone?: unknown][] = [
  ['readPullRequest', (github, signal = calm()) => github.readPullRequest(8, signal), 'pull-requests: read'],
  ['readIssue', (github, signal = calm()) => github.readIssue(thread, signal), 'issues: read'],
  [
    'readPullRequestFiles',
    (github, signal = calm()) => github.readPullRequestFiles({ number: 8, changedFiles: 1 }, signal),
    'pull-requests: read',
    'an error',
  ],
  [
    'pullRequestsOf',
    (github, signal = calm()) => github.pullRequestsOf('main', signal),
    'pull-requests: read',
    [],
  ],
  ['compare', (github, signal = calm()) => github.compare('v1.0', 'main', signal), 'contents: read'],
  ['readCommit', (github, signal = calm()) => github.readCommit('main', signal), 'contents: read'],
  [
    'lastCommitBefore',
    (github, signal = calm()) => github.lastCommitBefore('main', Date.UTC(2027, 0), signal),
    'contents: read',
  ],
  ['readRelease', (github, signal = calm()) => github.readRelease('v1.0', signal), 'contents: read'],
  ['readReleases', (github, signal = calm()) => github.readReleases(signal), 'contents: read', 'an error'],
  [
    'readRepositoryComments',
    (github, signal = calm()) => github.readRepositoryComments({ sinceMs: 0, maxPages: 1 }, signal),
    'issues: read',
    'an error',
  ],
];

/** A GitHub with something for every read. */
function filled() {
  const memory = memoryGitHub();
  const { github } = memory.simulator;
  github.git.commit({ files: { 'a.md': 'a\n' } });
  github.releases.add({ tag: 'v1.0' });
  github.git.branch('change');
  github.git.commit({ branch: 'change', files: { 'a.md': 'b\n' } });
  github.pullRequests.open({ number: 8, head: 'change' });
  github.comment('maintainer', thread, 'hello');
  return memory;
}

/** What a call comes to, errors included. */
async function endOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}

describe.each(reads)('%s', (_, read, needs, gone) => {
  test('carries the token, our name and the version of the API', async () => {
    const { simulator, github } = filled();
    await read(github);
    expect(simulator.requests.map(({ headers }) => headers)).toMatchObject([
      {
        authorization: `token ${token}`,
        'user-agent': expect.stringMatching(/^docs-agent-action /),
        'x-github-api-version': '2022-11-28',
      },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test('names the permission that it was refused for', async () => {
    const { simulator, github } = filled();
    simulator.github.addToken(token, { contents: 'none', issues: 'none', 'pull-requests': 'none' });
    const refused = await endOf(read(github));
    expect(refused).toMatchObject({ status: 403, forbidden: true });
    expect(missingReadPermission(refused)).toBe(needs);
    expect(simulator.requests).toHaveLength(1);
  });

  test('does with that permission and no other', async () => {
    const { simulator, github } = filled();
    const none = { contents: 'none', issues: 'none', 'pull-requests': 'none' } as const;
    simulator.github.addToken(token, { ...none, [needs.split(':')[0] ?? '']: 'read' });
    expect(await endOf(read(github))).not.toBeInstanceOf(Error);
  });

  test('does not take a limit for a missing permission', async () => {
    const { simulator, github } = filled();
    simulator.github.limits.exhaust();
    expect(missingReadPermission(await endOf(read(github)))).toBeUndefined();
  });

  test.each([500, 502, 503, 504, 408])('is sent again after a %i', async (status) => {
    const { simulator, github } = filled();
    failAt(simulator, ['GET'], { kind: 'status', status, times: 3 });
    expect(await endOf(read(github))).not.toBeInstanceOf(Error);
    expect(simulator.requests).toHaveLength(4);
  });

  test('a 404 in GitHub’s own words means that it is not there; in any other it is an error', async () => {
    const { simulator, github } = filled();
    simulator.github.limits.fail({ status: 404 });
    const end = await endOf(read(github));
    if (gone === 'an error') expect(end).toMatchObject({ status: 404 });
    else expect(end).toEqual(gone);
    simulator.faults.add({ at: () => true, kind: 'html', status: 404 });
    expect(await endOf(read(github))).toMatchObject({ status: 404, isOwnWords: false });
  });

  test('ends with the reason of an abort, and sends nothing more', async () => {
    const { simulator, github } = filled();
    const controller = new AbortController();
    simulator.github.limits.fail({ status: 500, times: 99 });
    simulator.onBoundary(() => controller.abort(new Error('cancelled')));
    await expect(read(github, controller.signal)).rejects.toThrow('cancelled');
    expect(simulator.requests).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['a list of nothing known', [{}]],
    ['a text', 'gone fishing'],
    ['null', null],
  ])('takes no other form: %s', async (_, body) => {
    const { error } = await answering(200, body, (github) => read(github));
    expect(error).toMatchObject({ message: expect.stringMatching(/not in the form/) });
  });
});

const person = { login: 'somebody', type: 'User' };
const issue = {
  number: 7,
  html_url: 'https://github.com/o/r/issues/7',
  title: 'x',
  body: 'x',
  body_text: 'x',
  user: person,
  author_association: 'NONE',
  labels: [],
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['an author who is gone', { user: null }, { author: { login: 'ghost', isBot: false } }],
  [
    'labels that are plain texts',
    { labels: ['a', { name: 'b' }, { name: null }] },
    { labels: ['a', 'b', ''] },
  ],
  ['no text at all', { body: null, body_text: null }, { body: { source: '', rendered: '' } }],
  ['an empty text', { body: '', body_text: undefined }, { body: { source: '', rendered: '' } }],
  [
    'nothing but a comment',
    { body: '<!-- -->', body_text: '' },
    { body: { source: '<!-- -->', rendered: '' } },
  ],
  ['fields that nobody knows', { type: { name: 'Bug' } }, { number: 7 }],
])('an issue with %s is taken', async (_, extra, read) => {
  const use = (github: GitHub) => github.readIssue(7, calm());
  expect(await answering(200, { ...issue, ...extra }, use)).toMatchObject({ value: read, asked: 1 });
});

test('a body without what its readers see of it is not taken: nobody knows what is hidden in it', async () => {
  const answer = { ...issue, body_text: undefined };
  const { error } = await answering(200, answer, (github) => github.readIssue(7, calm()));
  expect(error).toMatchObject({ message: expect.stringMatching(/not in the form/) });
});

test.each<[string, boolean]>([
  ['OWNER', false],
  ['MEMBER', false],
  ['COLLABORATOR', false],
  ['CONTRIBUTOR', true],
  ['FIRST_TIME_CONTRIBUTOR', true],
  ['NONE', true],
  ['SOMETHING_NEW', true],
])('%s is from outside: %p', async (association, isFromOutside) => {
  const answer = { ...issue, author_association: association };
  const use = (github: GitHub) => github.readIssue(7, calm());
  expect(await answering(200, answer, use)).toMatchObject({ value: { isFromOutside } });
});

test('an issue that was deleted is not there', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.limits.fail({ status: 410, message: 'This issue was deleted' });
  expect(await github.readIssue(thread, calm())).toBeUndefined();
});

test('a file of a status that nobody knows has changed', async () => {
  const file = { filename: 'a.md', status: 'teleported', additions: 1, deletions: 0, patch: null };
  const use = (github: GitHub) => github.readPullRequestFiles({ number: 8, changedFiles: 1 }, calm());
  expect(await answering(200, [file], use)).toMatchObject({
    value: { files: [{ path: 'a.md', status: 'changed', lines: { added: 1 }, patch: undefined }] },
  });
});

test('a comparison without its files is not taken for one that changes none', async () => {
  const commit = {
    sha: 'a',
    commit: { message: '', committer: { date: '2026-01-05T09:00:00Z' }, tree: { sha: 't' } },
  };
  const answer = { status: 'ahead', merge_base_commit: commit, commits: [commit], total_commits: 1 };
  const { error } = await answering(200, answer, (github) => github.compare('a', 'b', calm()));
  expect(error).toMatchObject({ message: expect.stringMatching(/not in the form/) });
});
