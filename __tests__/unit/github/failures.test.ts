import { describe, expect, test } from '@jest/globals';

import { GitHubError, missingPermission } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { clientOf } from './answering.ts';
import { type Fault, failAt, memoryGitHub, thread } from './memory-github.ts';

/** What became of a call: `done`, or its error. */
async function endOf(call: Promise<unknown>): Promise<GitHubError | 'done'> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof GitHubError) return error;
    throw error;
  }
}

/** Reads a comment while every request meets this fault, or so many do. */
async function read(fault: Fault, times = 99) {
  const { simulator, github } = memoryGitHub();
  const { id } = simulator.github.comment('maintainer', thread, 'hello');
  failAt(simulator, ['GET'], { ...fault, times });
  const end = await endOf(github.readComment(id, calm()));
  expect(simulator.otherOrigin.requests).toEqual([]);
  return { end, sent: simulator.requests.length, waitedMs: simulator.clock.monotonic() };
}

describe('a fault that stays', () => {
  test.each<[status: number, sent: number]>([
    [400, 1],
    [401, 1],
    [404, 1],
    [408, 4],
    [422, 1],
    [500, 4],
    [503, 4],
  ])('%i is asked %i times, and told with GitHub’s own words', async (status, sent) => {
    const played = await read({ kind: 'status', status });
    expect(played).toMatchObject({ end: { reason: 'github-error', status, limitMs: undefined }, sent });
    expect(String(played.end)).toContain(`Reading the comment: GitHub answered ${status}: Simulated fault`);
  });

  test.each<[string, Fault, RegExp]>([
    ['a reset', { kind: 'reset' }, /could not be reached: other side closed/],
    ['half an answer', { kind: 'reset', when: 'half-answer' }, /could not be reached/],
    ['no answer', { kind: 'hang' }, /could not be reached/],
    ['a page', { kind: 'html' }, /not in the form it documents/],
    ['truncated JSON', { kind: 'truncated-json', when: 'after-handled' }, /not in the form it documents/],
    ['JSON called text', { kind: 'wrong-content-type', when: 'after-handled' }, /not in the form/],
    ['a redirect, which nobody follows', { kind: 'redirect' }, /answered 302, a redirect/],
  ])('%s is asked again, four times in all', async (_, fault, says) => {
    const { end, sent } = await read(fault);
    expect({ end, sent }).toMatchObject({ end: { status: undefined }, sent: 4 });
    expect(String(end)).toMatch(says);
  });
});

test('a fault that passes is forgotten', async () => {
  expect(await read({ kind: 'status', status: 502 }, 3)).toMatchObject({ end: 'done', sent: 4 });
});

test('no one listens: an error without a status', async () => {
  // Port 1 of the loopback interface.
  const { github, close } = clientOf('http://127.0.0.1:1');
  const end = await endOf(github.readComment(1, calm()));
  expect(end).toMatchObject({ status: undefined, message: expect.stringMatching(/ECONNREFUSED/) });
  await close();
});

describe('limits', () => {
  /** Reads a comment under a limit that lasts for one answer. */
  async function readUnder(limit: (limits: Limits) => void) {
    const { simulator, github } = memoryGitHub();
    const { id } = simulator.github.comment('maintainer', thread, 'hello');
    limit(simulator.github.limits);
    const end = await endOf(github.readComment(id, calm()));
    return { end, sent: simulator.requests.length, waitedMs: simulator.clock.monotonic() };
  }
  type Limits = ReturnType<typeof memoryGitHub>['simulator']['github']['limits'];
  const minute = 60_000;

  test.each<[string, (limits: Limits) => void, waitedMs: number]>([
    ['secondary, with a wait', (limits) => limits.secondary({ retryAfterSeconds: 30 }), 30_000],
    ['primary, 403', (limits) => limits.exhaust({ resetInMs: minute }), minute],
    ['primary, 429', (limits) => limits.exhaust({ resetInMs: 2 * minute, status: 429 }), 2 * minute],
    ['primary, three minutes', (limits) => limits.exhaust({ resetInMs: 3 * minute }), 3 * minute],
    ['secondary, in words only', (limits) => limits.secondary(), minute],
    ['429 without a word', (limits) => limits.fail({ status: 429, message: '' }), minute],
    [
      'abuse detection, as it was called',
      (limits) => limits.fail({ status: 403, message: 'You have triggered an abuse detection mechanism.' }),
      minute,
    ],
    [
      'a wait until a date',
      (limits) => limits.fail({ status: 429, headers: { 'retry-after': 'Mon, 05 Jan 2026 09:00:45 GMT' } }),
      45_000,
    ],
  ])('%s: waited for as long as GitHub asks', async (_, limit, waitedMs) => {
    expect(await readUnder(limit)).toEqual({ end: 'done', sent: 2, waitedMs });
  });

  test.each<[string, (limits: Limits) => void, limitMs: number]>([
    ['primary, an hour', (limits) => limits.exhaust(), 60 * minute],
    ['secondary, more than three minutes', (limits) => limits.secondary({ retryAfterSeconds: 181 }), 181_000],
  ])('%s: given up at once, as a limit and not as a missing permission', async (_, limit, limitMs) => {
    const { end, sent, waitedMs } = await readUnder(limit);
    expect({ sent, waitedMs }).toEqual({ sent: 1, waitedMs: 0 });
    expect(end).toMatchObject({ limitMs, forbidden: false });
    expect(missingPermission(end)).toBeUndefined();
  });

  test('a 403 without a limit is a missing permission', async () => {
    const { end, sent } = await readUnder((limits) => limits.fail({ status: 403, times: 9 }));
    expect({ end, sent }).toMatchObject({ end: { status: 403, forbidden: true }, sent: 1 });
    expect(missingPermission(end)).toContain('`issues: write`');
  });

  test('a limit that comes again and again is borne three times', async () => {
    const { end, sent, waitedMs } = await readUnder((limits) => limits.secondary({ times: 9 }));
    expect({ end, sent, waitedMs }).toMatchObject({
      end: { limitMs: minute },
      sent: 4,
      waitedMs: 3 * minute,
    });
  });
});
