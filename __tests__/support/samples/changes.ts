import type { BlockOptions } from '../../../src/agent/context/block.ts';
import type { Change } from '../../../src/agent/context/change.ts';
import { createClean } from '../../../src/agent/context/clean.ts';
import type { ChangedFile, Issue, PullRequest, Release } from '../../../src/github/changes.ts';
import { plain } from '../plain.ts';

const repository = { name: 'octo-org/docs', url: 'https://github.com/octo-org/docs' };

/** A modified file with one changed line. */
export function file(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  const patch = '@@ -1 +1 @@\n-a\n+b';
  return {
    path,
    oldPath: undefined,
    status: 'modified',
    lines: { added: 1, removed: 1 },
    patch,
    ...over,
  };
}

/** Text whose source and rendered form are the same. */
export const written = (text: string) => ({ source: text, rendered: text });

export function issue(over: Partial<Issue> = {}): Issue {
  return {
    number: 7,
    url: `${repository.url}/issues/7`,
    isPullRequest: false,
    title: 'Retries are not documented',
    body: written('What happens after a timeout?'),
    author: { login: 'octocat', isBot: false },
    isFromOutside: false,
    labels: [],
    commentCount: 0,
    ...over,
  };
}

export function pullRequest(over: Partial<PullRequest> = {}): PullRequest {
  return {
    ...issue({
      number: 12,
      url: `${repository.url}/pull/12`,
      isPullRequest: true,
      title: 'Retry after a timeout',
    }),
    createdAtMs: 0,
    isFromFork: false,
    changedFiles: 1,
    state: 'merged',
    mergeCommitSha: 'c'.repeat(40),
    headSha: 'a'.repeat(40),
    headRef: 'retry',
    baseRef: 'main',
    isIntoDefault: true,
    ...over,
  };
}

export function release(over: Partial<Release> = {}): Release {
  return {
    tag: 'v2',
    name: 'Version 2',
    url: `${repository.url}/releases/tag/v2`,
    notes: written('Retries.'),
    author: { login: 'octocat', isBot: false },
    isPrerelease: false,
    publishedAtMs: 0,
    ...over,
  };
}

/** A change with only these fields. */
export const change = (over: Partial<Change> = {}): Change => ({ topic: '', ...over });

/** Includes all files, with the usual size limit and a fixed token. */
export const blockOptions: BlockOptions = {
  repository,
  limitBytes: 48 * 1024,
  isChosen: () => true,
  clean: createClean(plain),
  withPatches: true,
  token: 'TOKEN',
};
