import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GitEdit } from '../../../simulator/github/repository/git.ts';
import {
  isSamePullRequest,
  isSameRepository,
  parseFileCommit,
  parsePullRequest,
  parseRepository,
  parseRunId,
  pullRequestUrl,
} from '../../../src/core/address.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { pullUrlOf } from '../../../src/requests/card/pull.ts';
import { card, completed, is } from '../../support/samples/cards.ts';
import { answeredBy, manyFiles, memoryGitHub, thread } from './memory-github.ts';

describe('changed files', () => {
  const prose = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

  /** Opens pull request 8 with these edits, in a repository with the files in `before`. */
  async function filesOf(before: Record<string, GitEdit>, edits: Record<string, GitEdit>) {
    const { github, simulator } = memoryGitHub();
    const { git, pullRequests, listLimits } = simulator.github;
    git.commit({ files: before });
    git.branch('change');
    git.commit({ branch: 'change', files: edits });
    pullRequests.open({ number: 8, head: 'change' });
    const read = async (changedFiles?: number) => {
      const { changedFiles: counted = 0, headSha = '' } = (await github.readPullRequest(8)) ?? {};
      return github.readPullRequestFiles({
        number: 8,
        changedFiles: changedFiles ?? counted,
        headSha,
      });
    };
    return { simulator, listLimits, read };
  }

  test('every kind of change is read, and a rename with both names', async () => {
    const { read } = await filesOf(
      {
        'edit.md': prose,
        'gone.md': 'bye\n',
        'moved.md': prose.toUpperCase(),
        'i.png': { binary: '1' },
      },
      {
        'edit.md': prose.replace('five', 'FIVE'),
        'gone.md': null,
        'new.md': 'hello\n',
        'moved.md': null,
        'to/moved.md': prose.toUpperCase(),
        'i.png': { binary: '2' },
      },
    );
    const { files, isWhole } = await read();
    expect(isWhole).toBe(true);
    expect(files).toMatchSnapshot();
  });

  test.each<[count: number, requests: number]>([
    [100, 1],
    [101, 2],
    [3_000, 30],
  ])('%i files take %i requests', async (count, requests) => {
    const { simulator, read } = await filesOf({}, manyFiles(count));
    const { files, isWhole } = await read();
    expect({ count: files.length, isWhole }).toEqual({ count, isWhole: true });
    expect(new Set(files.map(({ path }) => path)).size).toBe(count);
    const asked = simulator.requests.filter(({ path }) => path.endsWith('/files'));
    expect(asked.map(({ query }) => query)).toEqual(
      Array.from({ length: requests }, (_, index) => ({ per_page: '100', page: `${index + 1}` })),
    );
  });

  test('a file that appears on two pages counts once, and the list may be incomplete', async () => {
    const { simulator, read } = await filesOf({}, manyFiles(150));
    simulator.once(
      { at: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files', phase: 'handled' },
      () => {
        simulator.github.git.commit({ branch: 'change', files: { 'a-first.md': 'x\n' } });
        simulator.github.pullRequests.update(8);
      },
    );
    const { files, isWhole } = await read(151);
    expect(files).toHaveLength(150);
    expect(isWhole).toBe(false);
  });

  test('a file that GitHub lists without counts has an unknown size, not zero', async () => {
    const six = 'x\n'.repeat(6);
    const { listLimits, read } = await filesOf({}, { 'a.md': six, 'b.md': six, 'c.md': 'x\n' });
    listLimits.patchLines = 10;
    const { files, isWhole } = await read();
    expect(
      files.map(({ path, lines, patch }) => [path, lines?.added, patch !== undefined]),
    ).toEqual([
      ['a.md', 6, true],
      ['b.md', undefined, false],
      ['c.md', undefined, false],
    ]);
    expect(isWhole).toBe(true);
  });

  test('patches are kept up to four megabytes, and all file names are kept', async () => {
    const { read } = await filesOf({}, manyFiles(500, 'x'.repeat(9_000)));
    const { files, isWhole } = await read();
    const kept = files.filter(({ patch }) => patch !== undefined);
    expect([kept.length, files.length, isWhole]).toEqual([441, 500, true]);
  });

  test.each([
    ['octo-org/docs', 'blob/notes.md', true],
    ['octo-org/blob', 'notes.md', true],
    ['blob/docs', 'notes.md', true],
    ['blob/blob', 'blob/notes.md', true],
    ['octo-org/beta', 'blob/beta/notes.md', false],
  ])(
    'in %s, the commit of %s is taken from the right place',
    async (repository, path, isOfHead) => {
      const [headSha, otherSha] = ['beta', 'a1b2'];
      const sha = isOfHead ? headSha : otherSha;
      const blob_url = `https://github.com/${repository}/blob/${sha}/${path}`;
      const file = { filename: path, status: 'added', additions: 1, deletions: 0, blob_url };
      const github = answeredBy(() => ({ body: [file] }));
      const files = await github.readPullRequestFiles({ number: 8, changedFiles: 1, headSha });
      expect(files.isOfHead).toBe(isOfHead);
    },
  );

  describe('a comparison with more files than GitHub lists (300)', () => {
    /** Creates a tag, `base`, then adds this many files on the main branch, and makes a few other changes. */
    function withFiles(count: number) {
      const memory = memoryGitHub();
      const { git } = memory.simulator.github;
      const before = {
        'docs/old-name.md': 'renamed\n',
        'zz/gone.md': 'gone\n',
        'zz/kept.md': 'kept\n',
      };
      git.commit({ files: before });
      git.tag('base');
      git.commit({ files: manyFiles(count, 'x\n') });
      git.commit({
        files: { 'docs/old-name.md': null, 'docs/-new-name.md': 'renamed\n', 'zz/gone.md': null },
      });
      git.commit({
        files: {
          'zz/submodule': { submodule: '1' },
          'zz/kept.md': { text: 'kept\n', mode: '100755' },
        },
      });
      return memory;
    }

    test('gets the other files from the two Git trees', async () => {
      const { github, simulator } = withFiles(400);
      const { files = [], isWhole } = (await github.compare('base', 'main')) ?? {};
      expect(isWhole).toBe(true);
      expect(files).toHaveLength(404);
      expect(new Set(files.map(({ path }) => path)).size).toBe(404);
      // GitHub lists only 300 files with their changes. For the others, the trees contain only names.
      const renamed = { path: 'docs/-new-name.md', oldPath: 'docs/old-name.md', status: 'renamed' };
      expect(files[0]).toMatchObject(renamed);
      expect(files[299]).toMatchObject({ path: 'docs/00298.md', lines: { added: 2, removed: 0 } });
      const others = files.slice(300);
      expect(others.every(({ lines, patch }) => lines === undefined && patch === undefined)).toBe(
        true,
      );
      const last = others.filter(({ path }) => path.startsWith('zz/'));
      expect(last.map(({ path, status }) => [path, status])).toEqual([
        ['zz/gone.md', 'removed'],
        ['zz/kept.md', 'modified'],
        ['zz/submodule', 'added'],
      ]);
      expect(simulator.requests.map(({ route }) => route?.split('{repo}/')[1])).toEqual([
        'compare/{basehead}',
        'git/trees/{tree_sha}',
        'git/trees/{tree_sha}',
      ]);
      expect(simulator.violations).toEqual([]);
    });

    test('needs no trees for 299 files', async () => {
      const { github, simulator } = withFiles(295);
      expect(await github.compare('base', 'main')).toMatchObject({ isWhole: true });
      expect(simulator.requests).toHaveLength(1);
    });
  });
});

describe('a repository', () => {
  describe('the comments in all threads', () => {
    /** Writes this many comments, one per second, alternating between two threads. */
    function withComments(count: number) {
      const memory = memoryGitHub();
      const { github, clock } = memory.simulator;
      github.addThread({ number: 8, isPullRequest: true });
      const comments = Array.from({ length: count }, (_, index) => {
        clock.advance(1_000);
        return github.comment('maintainer', index % 2 === 0 ? thread : 8, `${index}`);
      });
      return { ...memory, comments };
    }

    test('are read with their threads, the last edited comment first', async () => {
      const { github, simulator, comments } = withComments(4);
      simulator.clock.advance(1_000);
      simulator.github.edit(comments[1]?.id ?? 0, 'edited');
      const read = await github.readRepositoryComments({ sinceMs: 0, maxPages: 30 });
      expect(read.isWhole).toBe(true);
      expect(read.comments.map(({ body, thread, unedited }) => [body, thread, unedited])).toEqual([
        ['edited', 8, false],
        ['3', 8, true],
        ['2', 7, true],
        ['0', 7, true],
      ]);
      expect(simulator.violations).toEqual([]);
    });

    test.each<[count: number, maxPages: number, read: number, isWhole: boolean, requests: number]>([
      [0, 2, 0, true, 1],
      [100, 2, 100, true, 1],
      [201, 2, 200, false, 2],
      [201, 3, 201, true, 3],
    ])(
      '%i comments, at most %i pages: reads %i (complete: %p) in %i requests',
      async (count, maxPages, ...ends) => {
        const { github, simulator } = withComments(count);
        const { comments, isWhole } = await github.readRepositoryComments({ sinceMs: 0, maxPages });
        expect([comments.length, isWhole, simulator.requests.length]).toEqual(ends);
      },
    );

    test('are read only once if a new comment moves them to the next page', async () => {
      const { github, simulator } = withComments(150);
      simulator.once({ at: 'GET /repos/{owner}/{repo}/issues/comments', phase: 'handled' }, () => {
        simulator.clock.advance(1_000);
        simulator.github.comment('maintainer', thread, 'late');
      });
      const { comments } = await github.readRepositoryComments({ sinceMs: 0, maxPages: 30 });
      expect(new Set(comments.map(({ id }) => id)).size).toBe(comments.length);
      expect(comments).toHaveLength(150);
    });
  });

  describe('the comments in a thread', () => {
    async function idsNewestFirst(github: GitHub): Promise<number[][]> {
      const pages: number[][] = [];
      for await (const page of github.readNewestFirst(thread)) pages.push(page.map(({ id }) => id));
      return pages;
    }

    test.each([
      [0, [1]],
      [100, [1]],
      [101, [1, 2]],
      [350, [1, 4, 3, 2]],
    ])('%i comments are read once each, from pages %j', async (count, asked) => {
      const { github, simulator } = memoryGitHub();
      const write = () => simulator.github.comment('maintainer', thread, 'x').id;
      const ids = Array.from({ length: count }, write);
      expect((await idsNewestFirst(github)).toReversed().flat()).toEqual(ids);
      expect(simulator.requests.map(({ query }) => Number(query.page))).toEqual(asked);
    });

    test.each([
      ['octo-org/docs', '3'],
      ['octo-org/other', '1'],
    ])('in %s are first read from page %s, if the event’s thread has 250', async (name, page) => {
      const { simulator, options } = memoryGitHub();
      const event = { number: thread, commentCount: 250 };
      const github = createGitHub({ ...options, thread: event });
      const [owner = '', repo = ''] = name.split('/');
      const first = github.at({ owner, repo }).readNewestFirst(thread).next();
      await first.catch(() => undefined);
      expect(simulator.requests[0]?.query.page).toBe(page);
    });

    test('are read to the end if GitHub links a next page but no last page', async () => {
      const times = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
      const urls = { html_url: 'https://x.test', issue_url: 'https://x.test/7' };
      const github = answeredBy((path) => {
        const page = Number(new URL(path, 'http://x').searchParams.get('page'));
        const link = `<http://x/?page=${page + 1}>; rel="next"`;
        return {
          body: [{ id: page, body: 'x', ...urls, ...times }],
          ...(page < 3 && { headers: { link } }),
        };
      });
      expect(await idsNewestFirst(github)).toEqual([[3], [2], [1]]);
    });
  });

  test('the pull requests of a commit are those of this repository, without those into forks', async () => {
    const into = (full_name: string, number: number) => ({
      number,
      html_url: `https://x.test/${full_name}/pull/${number}`,
      created_at: '2026-01-01T00:00:00Z',
      merged_at: '2026-01-02T00:00:00Z',
      merge_commit_sha: 'a'.repeat(40),
      state: 'closed',
      base: { ref: 'main', repo: { full_name } },
    });
    const body = [into('guest/docs', 4), into('Octo-Org/docs', 22), into('octo-org/docs-2', 9)];
    const pulls = await answeredBy(() => ({ body })).pullRequestsOf('a'.repeat(40));
    expect(pulls.map(({ number }) => number)).toEqual([22]);
  });

  test('the pull requests of a commit are found with a former name of the repository, too', async () => {
    const { simulator, github } = memoryGitHub();
    const { git, pullRequests } = simulator.github;
    git.commit({ files: { 'index.md': 'Home.\n' } });
    git.branch('guide');
    git.commit({ branch: 'guide', files: { 'guide.md': 'One.\n' } });
    pullRequests.open({ head: 'guide', number: 8 });
    const { sha } = pullRequests.merge(8);
    simulator.github.rename('guides');
    const pulls = await github.pullRequestsOf(sha);
    expect(pulls.map(({ number }) => number)).toEqual([8]);
  });

  test('merged pull requests are those merged since a time, whenever they were last updated', async () => {
    const day = (date: number) => `2026-01-${String(date).padStart(2, '0')}T00:00:00Z`;
    const pull = (number: number, merged: number | undefined, updated: number) => ({
      number,
      html_url: `https://x.test/pull/${number}`,
      user: { login: 'maintainer', type: 'User' },
      merged_at: merged === undefined ? null : day(merged),
      updated_at: day(updated),
    });
    const body = [pull(1, 7, 20), pull(2, 3, 19), pull(3, undefined, 18), pull(4, 9, 17)];
    const { pulls, isWhole } = await answeredBy(() => ({ body })).readMerged(
      'main',
      Date.parse(day(5)),
    );
    expect(isWhole).toBe(true);
    expect(pulls.map(({ number, mergedAtMs }) => [number, mergedAtMs])).toEqual([
      [4, Date.parse(day(9))],
      [1, Date.parse(day(7))],
    ]);
  });
});

describe('addresses', () => {
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
          expect(pull && `${pull.owner}/${pull.repo}#${pull.number}`).toBe(
            `${repository}#${number}`,
          );
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

    test.each(['https://github.com/', 'https://github.com/octo-org', 'no URL'])(
      'is not %j',
      (url) => expect([parseRepository(url), parseRunId(url)]).toEqual([undefined, undefined]),
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
});
