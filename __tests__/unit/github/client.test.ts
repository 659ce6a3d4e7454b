import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CLOCK_START_MS } from '../../../simulator/clock/clock.ts';
import type { ErrorAnswer, FaultSpec } from '../../../simulator/http/faults.ts';
import { explain } from '../../../src/core/errors.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { connect, createLimits } from '../../../src/github/connection.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { createTime } from '../../../src/github/time.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import {
  answeredBy,
  debugged,
  endOf,
  type Fault,
  failAt,
  type MemoryGitHub,
  memoryGitHub,
  thread,
  token,
} from './memory-github.ts';

describe('the client', () => {
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
    ['pullRequestsOf', (github) => github.pullRequestsOf('main'), pulls, 'an error'],
    ['compare', (github) => github.compare('v1.0', 'main'), '`contents: read`'],
    ['readCommit', (github) => github.readCommit('main'), '`contents: read`', 'an error'],
    [
      'lastCommitBefore',
      (github) => github.lastCommitBefore('main', 0),
      '`contents: read`',
      'an error',
    ],
    ['readRelease', (github) => github.readRelease('v1.0'), '`contents: read`'],
    ['readReleases', (github) => github.readReleases(1), '`contents: read`', 'an error'],
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
      simulator.github.addToken(token, {
        contents: 'none',
        issues: 'none',
        'pull-requests': 'none',
      });
      const refused = await endOf(read(github));
      expect(refused).toMatchObject({
        status: 403,
        hint: expect.stringContaining(`Add ${needs} to`),
      });
    });

    test('treats a 404 or 410 from GitHub as missing, unless the run came from it, and a 404 from a proxy as an error', async () => {
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
    comments: 0,
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
    [
      'only code',
      { body: '```\n\nmermaid\n```', body_text: '%% x' },
      { body: { rendered: '%% x' } },
    ],
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
});

describe('failures', () => {
  /** Reads a comment while this many requests fail. */
  async function read(fault: Fault, times = 99) {
    const { simulator, github } = memoryGitHub();
    const { id } = simulator.github.comment('maintainer', thread, 'hello');
    failAt(simulator, 'GET', { ...fault, times });
    const end = await endOf(github.readComment(id));
    expect(simulator.otherOrigin.requests).toEqual([]);
    return { end, sent: simulator.requests.length, waitedMs: simulator.clock.monotonic() };
  }

  const moved: Fault = { kind: 'status', status: 301, headers: { location: '#moved' } };

  describe('a permanent fault', () => {
    test.each<[status: number, what: string, sent: number]>([
      [400, 'GitHub refused this request', 1],
      [401, 'The `github-token` is wrong or has expired', 1],
      [404, 'GitHub can’t find what this run asked for, or the token can’t see it', 1],
      [500, 'GitHub is having problems', 4],
    ])('%i (%s) is tried %i times, and the error quotes GitHub', async (status, what, sent) => {
      const played = await read({ kind: 'status', status });
      expect(played).toMatchObject({
        end: { reason: 'github-error', status, what, limitMs: undefined },
        sent,
      });
      const details = `Reading the comment: GitHub returned ${status}: Simulated fault`;
      expect(explain(played.end)).toMatchObject({
        title: what,
        text: expect.stringContaining(details),
      });
    });

    const malformed = /doesn’t match its documentation/;

    test.each<[string, Fault, RegExp]>([
      ['a reset', { kind: 'reset' }, /can’t be reached \(Reading the comment: other side closed/],
      ['half a response', { kind: 'reset', when: 'half-answer' }, /can’t be reached/],
      ['no response', { kind: 'hang' }, /can’t be reached/],
      ['a page', { kind: 'html' }, malformed],
      ['truncated JSON', { kind: 'truncated-json', when: 'after-handled' }, malformed],
      ['JSON labeled as text', { kind: 'wrong-content-type', when: 'after-handled' }, malformed],
      [
        'an unknown content type',
        { ...moved, status: 503, headers: { 'content-type': 'x/y' } },
        /returned 503/,
      ],
    ])('%s is tried four times', async (_, fault, says) => {
      const { end, sent } = await read(fault);
      expect(sent).toBe(4);
      expect(String(end)).toMatch(says);
    });
  });

  test('no part of a token is left, wherever GitHub’s text is cut', async () => {
    const { simulator, options } = memoryGitHub();
    const ends = fc.record({
      length: fc.integer({ min: 20, max: 1_000 }),
      before: fc.integer({ min: 0, max: 1_000 }),
    });
    await fc.assert(
      fc.asyncProperty(ends, async ({ length, before }) => {
        const secret = Array.from({ length }, (_, at) => 'Ab1.-_'[(at * 7) % 6] ?? '').join('');
        const github = createGitHub({ ...options, token: secret, scrub: createScrub([secret]) });
        simulator.faults.clear();
        simulator.faults.refuse(() => true, 403, {
          says: `${'x '.repeat(before / 2)}${secret} is not valid`,
        });
        const end = await endOf(github.readComment(1));
        expect(end).toMatchObject({
          status: 403,
          said: expect.stringMatching(/^[x ]*\*{0,3}[a-z ]*…?$/),
        });
        const texts = [String(end), ...Object.values(explain(end))].join('\n');
        expect(texts).not.toContain(secret.slice(0, 12));
      }),
    );
  });

  test('no comment is written with a token, whether it is new or edited', async () => {
    const { simulator, github } = memoryGitHub();
    const { id } = await github.createComment(thread, `New: ${token}`);
    await github.updateComment(id, `Edited: ${token}`);
    const [comment] = simulator.github.commentsOf(thread);
    expect(comment?.history).toMatchObject([{ body: 'New: ***' }, { body: 'Edited: ***' }]);
  });

  const because = 'because the repository was renamed, or the thread was transferred';

  test('the redirect of a renamed repository is followed once', async () => {
    expect(await read(moved, 1)).toMatchObject({ end: { body: 'hello' }, sent: 2 });
    const transferred = { status: 301, isRefusal: true, what: expect.stringContaining(because) };
    expect(await read(moved)).toMatchObject({ end: transferred, sent: 2, waitedMs: 0 });
  });

  test('a write that GitHub redirects fails at once', async () => {
    const { simulator, github } = memoryGitHub();
    failAt(simulator, 'POST', moved);
    const end = await endOf(github.createComment(thread, 'A report.'));
    expect(end).toMatchObject({ status: 301, what: expect.stringContaining(because) });
    expect([simulator.requests.length, simulator.clock.monotonic()]).toEqual([1, 0]);
  });

  test.each<[string, Fault]>([
    ['to another server', { kind: 'redirect' }],
    ['to nowhere', { ...moved, headers: { location: 'http://[' } }],
  ])('a redirect %s is neither followed nor tried again', async (_, fault) => {
    const { end, sent, waitedMs } = await read(fault);
    expect([sent, waitedMs]).toEqual([1, 0]);
    const what = 'GitHub redirects this request to another server';
    expect(end).toMatchObject({ what, isRefusal: false });
  });

  const bug = () => {
    throw new TypeError('x is not a function');
  };
  test.each<[string, given: object, sent: number]>([
    ['sends a request', { request: { fetch: bug } }, 0],
    ['reads the response', {}, 1],
  ])(
    'a bug of ours while it %s is reported as ours, and nothing is tried again',
    async (_, given, sent) => {
      const { simulator, options } = memoryGitHub();
      const connection = connect(options, createLimits(), createTime(options.clock));
      const params = { issue_number: thread, ...given };
      const reading = connection.read('Reading an issue', connection.rest.issues.get, params, bug);
      const error = await reading.catch((error: unknown) => error);
      expect(explain(error)).toMatchObject({ reason: 'internal', text: 'x is not a function' });
      expect([simulator.requests.length, simulator.clock.monotonic()]).toEqual([sent, 0]);
    },
  );

  describe('limits', () => {
    const readUnder = (limit: ErrorAnswer, times = 1) =>
      read({ kind: 'status', says: 'No.', ...limit }, times);
    const minute = 60_000;
    const inWords = { status: 403, says: 'You have exceeded a secondary rate limit.' };
    const primary = (status: number, ms: number): ErrorAnswer => {
      const reset = String((CLOCK_START_MS + ms) / 1000);
      return { status, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } };
    };

    test.each<[string, ErrorAnswer, waitedMs: number]>([
      ['secondary, with a wait', { status: 403, retryAfter: 30 }, 30_000],
      ['primary, 403', primary(403, minute), minute],
      ['primary, three minutes', primary(403, 3 * minute), 3 * minute],
      ['secondary, named only in the message', inWords, minute],
      ['429 without a message', { status: 429, says: '' }, minute],
      ['primary, 429', primary(429, 2 * minute), 2 * minute],
      [
        'abuse detection',
        { status: 403, says: 'You have triggered an abuse detection mechanism.' },
        minute,
      ],
      ['a wait until a date', { status: 429, retryAfter: 'Mon, 05 Jan 2026 09:00:45 GMT' }, 45_000],
    ])('%s: the request waits as long as GitHub asks', async (_, limit, waitedMs) => {
      expect(await readUnder(limit)).toMatchObject({ end: { body: 'hello' }, sent: 2, waitedMs });
    });

    test.each<[string, ErrorAnswer, limitMs: number]>([
      ['primary, one hour', primary(403, 60 * minute), 60 * minute],
      ['secondary, more than three minutes', { status: 403, retryAfter: 181 }, 181_000],
    ])(
      '%s: the request fails immediately, and the error is a limit, not a missing permission',
      async (_, limit, limitMs) => {
        const { end, sent, waitedMs } = await readUnder(limit);
        expect({ sent, waitedMs }).toEqual({ sent: 1, waitedMs: 0 });
        expect(end).toMatchObject({ limitMs, lacks: undefined, isRefusal: false });
      },
    );

    test.each([
      ['Resource not accessible by integration', 'permission', 'Add `issues: write`'],
      [
        'Resource not accessible by personal access token',
        'permission',
        'Give the token in `github-token` the permission `issues',
      ],
      ['Unable to create comment because issue is locked.', 'unlocked thread', ''],
      ['Your account is locked.', undefined, ''],
    ])('a 403 without a limit is a refusal: %s', async (says, lacks, hint) => {
      const { end, sent } = await readUnder(
        { status: 403, says, headers: { 'x-ratelimit-remaining': '42' } },
        9,
      );
      expect({ end, sent }).toMatchObject({
        end: { status: 403, isRefusal: true, lacks },
        sent: 1,
      });
      expect(explain(end).text).toContain(hint);
    });

    test('a repeated limit is waited for three times', async () => {
      const played = await readUnder(inWords, 9);
      expect(played).toMatchObject({ end: { limitMs: minute }, sent: 4, waitedMs: 3 * minute });
    });
  });

  describe('a new comment', () => {
    const body = 'A status comment.';

    const sentBy = ({ simulator }: MemoryGitHub) => simulator.requests.map(({ method }) => method);
    const writtenIn = ({ simulator }: MemoryGitHub) => simulator.github.commentsOf(thread);

    // GitHub may have written the comment in spite of the error, so the thread is read before every retry.
    test.each<[string, Fault, string[]]>([
      ['a lost request', { kind: 'reset' }, ['POST', 'GET', 'POST']],
      ['a lost response', { kind: 'reset', when: 'after-handled' }, ['POST', 'GET']],
      ['half a response', { kind: 'reset', when: 'half-answer' }, ['POST', 'GET']],
      ['a 502', { kind: 'status', status: 502, when: 'after-handled' }, ['POST', 'GET']],
      ['a page from a proxy', { kind: 'html' }, ['POST', 'GET', 'POST']],
    ])('appears once after %s', async (_, fault, sent) => {
      const memory = memoryGitHub();
      failAt(memory.simulator, 'POST', fault);
      const { id } = await memory.github.createComment(thread, body);
      expect(writtenIn(memory)).toMatchObject([{ id, body }]);
      expect(sentBy(memory)).toEqual(sent);
    });

    test('is not confused with an older one that has the same text', async () => {
      const memory = memoryGitHub();
      const old = memory.simulator.github.comment('maintainer', thread, body);
      memory.simulator.clock.advance(120_000);
      failAt(memory.simulator, 'POST', { kind: 'reset' });
      const { id } = await memory.github.createComment(thread, body);
      expect(id).not.toBe(old.id);
      expect(writtenIn(memory)).toHaveLength(2);
    });

    test('appears once even if a rate limit follows a lost response before the list has it', async () => {
      const memory = memoryGitHub();
      memory.simulator.github.listLagMs = () => 20_000;
      failAt(memory.simulator, 'POST', { kind: 'reset', when: 'after-handled' });
      failAt(memory.simulator, 'POST', { kind: 'status', status: 429, retryAfter: 30, nth: 2 });
      const { id } = await memory.github.createComment(thread, body);
      expect(writtenIn(memory)).toMatchObject([{ id, body }]);
      expect(sentBy(memory)).toEqual(['POST', 'GET', 'POST', 'GET']);
    });

    test('is not sent again if the thread can’t be read', async () => {
      const memory = memoryGitHub();
      failAt(memory.simulator, 'POST', { kind: 'reset', when: 'after-handled' });
      failAt(memory.simulator, 'GET', { kind: 'status', status: 401, times: 99 });
      await expect(memory.github.createComment(thread, body)).rejects.toMatchObject({
        status: 401,
      });
      expect(sentBy(memory)).toEqual(['POST', 'GET']);
    });

    test('is sent again after a rate limit without reading the thread first', async () => {
      const memory = memoryGitHub();
      memory.simulator.faults.refuse(() => true, 403, { retryAfter: 30 });
      await memory.github.createComment(thread, body);
      expect(writtenIn(memory)).toHaveLength(1);
      expect(sentBy(memory)).toEqual(['POST', 'POST']);
    });
  });
});

describe('GitHub’s time', () => {
  const second = 1_000;
  /** A response that was sent for at one time by the machine's clock, dated, and received at another time. */
  const rows: [
    what: string,
    sent: number,
    date: number | undefined,
    received: number,
    now: number,
  ][] = [
    ['a right clock', 0, 0, 0, 0],
    ['a slow response', 0, 9, 10, 10],
    ['a clock that is ahead', 600, 0, 601, 1],
    ['a clock that is behind', 0, 600, 1, 600],
    ['a machine that was paused before the request arrived', 0, 5_400, 0, 5_400],
    ['a machine that was paused after GitHub’s response', 0, 0, 5_400, 5_400],
    ['a response without a date', 600, undefined, 600, 600],
  ];
  test.each(rows)('%s', (_, sent, date, received, now) => {
    let local = sent * second;
    const time = createTime({ now: () => local });
    const headers = date === undefined ? {} : { date: new Date(date * second).toUTCString() };
    const sentAtMs = time.now();
    local = received * second;
    time.update({ status: 200, headers, text: '' }, sentAtMs);
    expect(time.now()).toBe(now * second);
    local += 60 * second;
    expect(time.now()).toBe((now + 60) * second);
  });
});
