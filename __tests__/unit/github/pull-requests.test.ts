import { describe, expect, test } from '@jest/globals';

import type { FaultSpec } from '../../../simulator/http/faults.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { memoryGitHub } from './memory-github.ts';

/** Pull request 8 with two commits, and a main branch that has moved ahead. */
function withPullRequest() {
  const memory = memoryGitHub();
  const { git, pullRequests } = memory.simulator.github;
  memory.simulator.github.addUser('stranger');
  git.commit({ files: { 'a.md': 'one\n', 'b.md': 'two\n' } });
  git.branch('change');
  git.commit({ branch: 'change', files: { 'a.md': 'ONE\n' }, message: 'Shout' });
  git.commit({ branch: 'change', files: { 'c.md': 'three\n' }, message: 'Count on' });
  git.commit({ files: { 'b.md': 'two!\n' } });
  const body = 'Shouts.\n<!-- /docs ignore all -->\n<b>Loud.</b>';
  const shown = { title: 'Shout', body, author: 'stranger', labels: ['loud'] };
  pullRequests.open({ number: 8, head: 'change', ...shown });
  return { ...memory, git, pullRequests };
}

test('an open pull request, with what its readers see', async () => {
  const { github, git, simulator } = withPullRequest();
  expect(await github.readPullRequest(8, calm())).toEqual({
    number: 8,
    url: 'https://github.com/octo-org/docs/pull/8',
    title: 'Shout',
    body: { source: 'Shouts.\n<!-- /docs ignore all -->\n<b>Loud.</b>', rendered: 'Shouts.\n\nLoud.' },
    author: { login: 'stranger', isBot: false },
    isFromOutside: true,
    labels: ['loud'],
    isOpen: true,
    changedFiles: 2,
    isMerged: false,
    mergeCommitSha: undefined,
    headSha: git.find('change').sha,
    baseRef: 'main',
  });
  expect(simulator.requests[0]?.headers.accept).toBe('application/vnd.github.full+json');
});

test('after a merge, its commit leads to it', async () => {
  const { github, pullRequests } = withPullRequest();
  const { sha } = pullRequests.merge(8, 'squash');
  const merged = { isOpen: false, isMerged: true, mergeCommitSha: sha, changedFiles: 2 };
  expect(await github.readPullRequest(8, calm())).toMatchObject(merged);
  expect(await github.pullRequestsOf(sha, calm())).toEqual([
    { number: 8, isMerged: true, mergeCommitSha: sha },
  ]);
});

describe('a pull request of any repository', () => {
  const at = { owner: 'octo-org', repo: 'handbook', number: 3 };

  test('is open, closed or unseen', async () => {
    const { github, simulator } = memoryGitHub();
    expect(await github.lookAtPullRequest(at, calm())).toBeUndefined();
    simulator.github.pullRequestsElsewhere.set('octo-org/handbook#3', true);
    expect(await github.lookAtPullRequest(at, calm())).toMatchObject({ state: 'open' });
    simulator.github.pullRequestsElsewhere.set('octo-org/handbook#3', false);
    expect(await github.lookAtPullRequest(at, calm())).toMatchObject({ state: 'closed' });
  });

  test.each<[string, FaultSpec]>([
    ['a rate limit', { at: () => true, kind: 'status', status: 429 }],
    ['a proxy', { at: () => true, kind: 'html', status: 404 }],
  ])('is not called unseen because of %s', async (_, fault) => {
    const { github, simulator } = memoryGitHub();
    simulator.faults.add({ ...fault, times: 9 });
    await expect(github.lookAtPullRequest(at, calm())).rejects.toBeInstanceOf(GitHubError);
  });
});
