import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isSamePullRequest,
  isSameRepository,
  parseFileCommit,
  parsePullRequest,
  parseRepository,
  parseRunId,
  pullRequestUrl,
} from '../../src/core/address.ts';
import { pullUrlOf } from '../../src/requests/card/pull.ts';
import { card, completed, is } from '../support/samples/cards.ts';

const server = 'https://github.com';

/** Names that look like another part of an address, or begin with each other. */
const name = fc.oneof(
  fc.constantFrom(
    'actions',
    'transactions',
    'my-actions',
    'pull',
    'pulls',
    'runs',
    'issues',
    'blob',
    '7',
  ),
  fc.constantFrom('docs', 'docs-site', 'docs.', '.docs', 'docs.github.io', 'Docs'),
  fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}$/),
);
const repository = fc.tuple(name, name).map((names) => names.join('/'));
const number = fc.integer({ min: 1, max: 999_999 });
const tab = fc.constantFrom('', '/', '/files', '/files#diff-1', '?w=1', '#issuecomment-1');
const pullOf = (repository: string, number: number) => `${server}/${repository}/pull/${number}`;
const runOf = (repository: string, id: number) => `${server}/${repository}/actions/runs/${id}`;
const otherCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

describe('the address of a pull request', () => {
  test('in a repository with any name is taken apart and put together again', () => {
    fc.assert(
      fc.property(repository, number, tab, (repository, number, tab) => {
        const pull = parsePullRequest(pullOf(repository, number) + tab);
        expect(pull && `${pull.owner}/${pull.repo}#${pull.number}`).toBe(`${repository}#${number}`);
        expect(pull && pullRequestUrl(pull)).toBe(pullOf(repository, number));
      }),
    );
  });

  test('is the same as another one only for the same repository and number', () => {
    fc.assert(
      fc.property(repository, repository, number, number, tab, (one, other, nth, mth, tab) => {
        const isSame = one.toLowerCase() === other.toLowerCase() && nth === mth;
        const url = pullOf(one, nth);
        expect(isSamePullRequest(url, pullOf(other, mth) + tab)).toBe(isSame);
        expect(isSamePullRequest(url, pullOf(otherCase(one), nth))).toBe(true);
      }),
    );
  });

  test.each([
    'https://github.com/octo-org/docs/pull/12abc',
    'https://github.com/octo-org/docs/pull/0',
    'https://github.com/octo-org/docs/pulls/12',
    'https://github.com/octo-org/docs/issues/12',
    'https://github.com/octo-org/pull/12',
    'https://gitlab.com/group/docs/-/merge_requests/12',
    'https://me:secret@github.com/octo-org/docs/pull/12',
    'octo-org/docs/pull/12',
    '',
    undefined,
  ])('is not %s', (url) => {
    expect(parsePullRequest(url)).toBeUndefined();
    expect(isSamePullRequest(url, url)).toBe(false);
  });
});

describe('the address of a run', () => {
  test('names its repository and itself, whatever the repository’s name is', () => {
    fc.assert(
      fc.property(repository, number, (repository, id) => {
        const { owner, repo } = parseRepository(runOf(repository, id)) ?? {};
        expect(`${owner}/${repo}`).toBe(repository);
        for (const part of ['', '/job/5', '/attempts/2'])
          expect(parseRunId(runOf(repository, id) + part)).toBe(`${id}`);
      }),
    );
  });

  test.each(['https://github.com/', 'https://github.com/octo-org', 'no URL'])('is not %j', (url) =>
    expect([parseRepository(url), parseRunId(url)]).toEqual([undefined, undefined]),
  );
});

test('the address of a file names its commit, whatever the repository’s and the folders’ names are', () => {
  fc.assert(
    fc.property(repository, name, repository, (repository, sha, path) => {
      const url = `${server}/${repository}/blob/${sha}/${path}`;
      expect(parseFileCommit(url)).toBe(sha);
      expect(parseFileCommit(`${server}/${repository}/tree/${sha}/${path}`)).toBeUndefined();
    }),
  );
});

test('only the pull request of a card in the run’s own repository moves with the repository', () => {
  fc.assert(
    fc.property(repository, repository, repository, number, (ofRun, ofPull, now, number) => {
      const prLink = pullOf(ofPull, number);
      const state = is.ended('pr', { ...completed, prLink });
      const url = pullUrlOf(card({ state, runUrl: runOf(ofRun, 1) }), {
        repositoryUrl: `${server}/${now}`,
      });
      const isOwn = ofRun.toLowerCase() === ofPull.toLowerCase();
      expect(url).toBe(isOwn ? pullOf(now, number) : prLink);
    }),
  );
});

test('repositories on two servers are not the same', () => {
  const [one, other] = [`${server}/a/b`, 'https://git.example/a/b'].map(parseRepository);
  expect(one && other && isSameRepository(one, other)).toBe(false);
});
