import { describe, expect, test } from '@jest/globals';

import { CLOCK_START_MS } from '../../../simulator/clock/clock.ts';
import type { ErrorAnswer } from '../../../simulator/http/faults.ts';
import { GitHubError, missingPermission } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import {
  endOf,
  type Fault,
  failAt,
  type MemoryGitHub,
  memoryGitHub,
  thread,
  withClient,
} from './memory-github.ts';

/** Reads a comment while every request hits this fault, or this many do. */
async function read(fault: Fault, times = 99) {
  const { simulator, github } = memoryGitHub();
  const { id } = simulator.github.comment('maintainer', thread, 'hello');
  failAt(simulator, 'GET', { ...fault, times });
  const end = await endOf(github.readComment(id, calm()));
  expect(simulator.otherOrigin.requests).toEqual([]);
  return { end, sent: simulator.requests.length, waitedMs: simulator.clock.monotonic() };
}

describe('a fault that stays', () => {
  test.each<[status: number, sent: number]>([
    [400, 1],
    [401, 1],
    [404, 1],
    [500, 4],
  ])('%i is asked %i times, and told with GitHub’s own words', async (status, sent) => {
    const played = await read({ kind: 'status', status });
    expect(played).toMatchObject({ end: { reason: 'github-error', status, limitMs: undefined }, sent });
    expect(String(played.end)).toContain(
      `Reading the comment: GitHub responded with ${status}: Simulated fault`,
    );
  });

  test.each<[string, Fault, RegExp]>([
    ['a reset', { kind: 'reset' }, /can’t be reached: other side closed/],
    ['half a response', { kind: 'reset', when: 'half-answer' }, /can’t be reached/],
    ['no answer', { kind: 'hang' }, /can’t be reached/],
    ['a page', { kind: 'html' }, /doesn’t match its documentation/],
    ['truncated JSON', { kind: 'truncated-json', when: 'after-handled' }, /doesn’t match its documentation/],
    [
      'JSON called text',
      { kind: 'wrong-content-type', when: 'after-handled' },
      /doesn’t match its documentation/,
    ],
    ['a redirect, which is not followed', { kind: 'redirect' }, /a redirect \(302\)/],
  ])('%s is asked again, four times in all', async (_, fault, says) => {
    const { end, sent } = await read(fault);
    expect({ end, sent }).toMatchObject({ end: { status: undefined }, sent: 4 });
    expect(String(end)).toMatch(says);
  });
});

test('a fault that passes is forgotten', async () => {
  expect(await read({ kind: 'status', status: 502 }, 3)).toMatchObject({ end: { body: 'hello' }, sent: 4 });
});

test('no one listens: an error without a status', async () => {
  // Port 1 of the loopback interface.
  const end = await withClient('http://127.0.0.1:1', (github) => endOf(github.readComment(1, calm())));
  expect(end).toMatchObject({ status: undefined, message: expect.stringMatching(/ECONNREFUSED/) });
});

describe('limits', () => {
  /** Reads a comment while GitHub refuses like this, once or several times. */
  async function readUnder({ status, ...limit }: ErrorAnswer, times = 1) {
    const { simulator, github } = memoryGitHub();
    const { id } = simulator.github.comment('maintainer', thread, 'hello');
    simulator.faults.refuse(() => true, status, { ...limit, times });
    const end = await endOf(github.readComment(id, calm()));
    return { end, sent: simulator.requests.length, waitedMs: simulator.clock.monotonic() };
  }
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
    ['secondary, in words only', inWords, minute],
    ['429 without a word', { status: 429, says: '' }, minute],
    ['primary, 429', primary(429, 2 * minute), 2 * minute],
    ['abuse detection', { status: 403, says: 'You have triggered an abuse detection mechanism.' }, minute],
    ['a wait until a date', { status: 429, retryAfter: 'Mon, 05 Jan 2026 09:00:45 GMT' }, 45_000],
  ])('%s: waited for as long as GitHub asks', async (_, limit, waitedMs) => {
    expect(await readUnder(limit)).toMatchObject({ end: { body: 'hello' }, sent: 2, waitedMs });
  });

  test.each<[string, ErrorAnswer, limitMs: number]>([
    ['primary, an hour', primary(403, 60 * minute), 60 * minute],
    ['secondary, more than three minutes', { status: 403, retryAfter: 181 }, 181_000],
  ])('%s: given up at once, as a limit and not as a missing permission', async (_, limit, limitMs) => {
    const { end, sent, waitedMs } = await readUnder(limit);
    expect({ sent, waitedMs }).toEqual({ sent: 1, waitedMs: 0 });
    expect(end).toMatchObject({ limitMs, forbidden: false });
    expect(missingPermission(end)).toBeUndefined();
  });

  test('a 403 without a limit is a missing permission', async () => {
    const { end, sent } = await readUnder({ status: 403, headers: { 'x-ratelimit-remaining': '42' } }, 9);
    expect({ end, sent }).toMatchObject({ end: { status: 403, forbidden: true }, sent: 1 });
    expect(missingPermission(end)).toContain('`issues: write`');
  });

  test('a limit that comes again and again is borne three times', async () => {
    const played = await readUnder(inWords, 9);
    expect(played).toMatchObject({ end: { limitMs: minute }, sent: 4, waitedMs: 3 * minute });
  });
});

describe('a comment that is written', () => {
  const body = 'A status comment.';

  const sentBy = ({ simulator }: MemoryGitHub) => simulator.requests.map(({ method }) => method);
  const writtenIn = ({ simulator }: MemoryGitHub) => simulator.github.commentsOf(thread);

  /** We can't know whether GitHub wrote the comment, so the thread is read before every further try. */
  test.each<[string, Fault]>([
    ['502', { kind: 'status', status: 502 }],
    ['503', { kind: 'status', status: 503 }],
    ['a reset', { kind: 'reset' }],
    ['no answer', { kind: 'hang' }],
    ['a page', { kind: 'html' }],
    ['a redirect', { kind: 'redirect' }],
    ['half a response', { kind: 'reset', when: 'half-answer' }],
    ['truncated JSON', { kind: 'truncated-json', when: 'after-handled' }],
  ])(
    'after %s is one comment, whether GitHub had taken it or not, and none with every try lost',
    async (_, fault) => {
      const taken = { ...fault, when: fault.when ?? 'after-handled' };
      const ends: [Fault, string[]][] = [[taken, ['POST', 'GET']]];
      if (fault.when === undefined) ends.push([fault, ['POST', 'GET', 'POST']]);
      for (const [one, sent] of ends) {
        const memory = memoryGitHub();
        failAt(memory.simulator, 'POST', one);
        const { id } = await memory.github.createComment(thread, body, calm());
        expect(writtenIn(memory)).toMatchObject([{ id, body }]);
        expect(sentBy(memory)).toEqual(sent);
      }
      if (fault.when !== undefined) return;
      const memory = memoryGitHub();
      failAt(memory.simulator, 'POST', { ...fault, times: 99 });
      await expect(memory.github.createComment(thread, body, calm())).rejects.toThrow(GitHubError);
      expect(writtenIn(memory)).toEqual([]);
      expect(sentBy(memory)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST']);
    },
  );

  test('what stood there before is not taken for it', async () => {
    const memory = memoryGitHub();
    const old = memory.simulator.github.comment('maintainer', thread, body);
    memory.simulator.clock.advance(120_000);
    failAt(memory.simulator, 'POST', { kind: 'reset' });
    const { id } = await memory.github.createComment(thread, body, calm());
    expect(id).not.toBe(old.id);
    expect(writtenIn(memory)).toHaveLength(2);
  });

  test('a thread that cannot be asked gets no second try', async () => {
    const memory = memoryGitHub();
    failAt(memory.simulator, 'POST', { kind: 'reset', when: 'after-handled' });
    failAt(memory.simulator, 'GET', { kind: 'status', status: 401, times: 99 });
    await expect(memory.github.createComment(thread, body, calm())).rejects.toMatchObject({ status: 401 });
    expect(sentBy(memory)).toEqual(['POST', 'GET']);
  });

  test('a refusal is plain: nothing was written, so a limit is waited for and nobody is asked', async () => {
    const memory = memoryGitHub();
    memory.simulator.faults.refuse(() => true, 403, { retryAfter: 30 });
    await memory.github.createComment(thread, body, calm());
    expect(writtenIn(memory)).toHaveLength(1);
    expect(sentBy(memory)).toEqual(['POST', 'POST']);
  });
});
