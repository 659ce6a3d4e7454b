import { describe, expect, test } from '@jest/globals';

import { GitHubError } from '../../../src/github/errors.ts';
import { calm } from '../../support/in-process/service.ts';
import { type Fault, failAt, type MemoryGitHub, memoryGitHub, thread } from './memory-github.ts';

const body = 'A status comment.';

/** Faults after which nobody can know whether GitHub took the comment. */
const unclear: [string, Fault][] = [
  ['502', { kind: 'status', status: 502 }],
  ['503', { kind: 'status', status: 503 }],
  ['a reset', { kind: 'reset' }],
  ['no answer', { kind: 'hang' }],
  ['a page', { kind: 'html' }],
  ['a redirect', { kind: 'redirect' }],
];

const sentBy = ({ simulator }: MemoryGitHub) => simulator.requests.map(({ method }) => method);
const writtenIn = ({ simulator }: MemoryGitHub) => simulator.github.commentsOf(thread);

describe.each(unclear)('after %s', (_, fault) => {
  test('a comment that was taken is found, and not written again', async () => {
    const memory = memoryGitHub();
    failAt(memory.simulator, ['POST'], { ...fault, when: 'after-handled' });
    const { id } = await memory.github.createComment(thread, body, calm());
    expect(writtenIn(memory)).toMatchObject([{ id, body }]);
    expect(sentBy(memory)).toEqual(['POST', 'GET']);
  });

  test('a comment that was not taken is written after the thread was asked', async () => {
    const memory = memoryGitHub();
    failAt(memory.simulator, ['POST'], fault);
    const { id } = await memory.github.createComment(thread, body, calm());
    expect(writtenIn(memory)).toMatchObject([{ id, body }]);
    expect(sentBy(memory)).toEqual(['POST', 'GET', 'POST']);
  });

  test('and that is asked before every further try', async () => {
    const memory = memoryGitHub();
    failAt(memory.simulator, ['POST'], { ...fault, times: 99 });
    await expect(memory.github.createComment(thread, body, calm())).rejects.toThrow(GitHubError);
    expect(writtenIn(memory)).toEqual([]);
    expect(sentBy(memory)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST']);
  });
});

test.each<[string, Fault]>([
  ['half an answer', { kind: 'reset', when: 'half-answer' }],
  ['truncated JSON', { kind: 'truncated-json', when: 'after-handled' }],
])('after %s the comment is found: GitHub had taken it', async (_, fault) => {
  const memory = memoryGitHub();
  failAt(memory.simulator, ['POST'], fault);
  await memory.github.createComment(thread, body, calm());
  expect(writtenIn(memory)).toHaveLength(1);
  expect(sentBy(memory)).toEqual(['POST', 'GET']);
});

test('what stood there before is not taken for it', async () => {
  const memory = memoryGitHub();
  const old = memory.simulator.github.comment('maintainer', thread, body);
  memory.simulator.clock.advance(120_000);
  failAt(memory.simulator, ['POST'], { kind: 'reset' });
  const { id } = await memory.github.createComment(thread, body, calm());
  expect(id).not.toBe(old.id);
  expect(writtenIn(memory)).toHaveLength(2);
});

test('a thread that cannot be asked gets no second try', async () => {
  const memory = memoryGitHub();
  failAt(memory.simulator, ['POST'], { kind: 'reset', when: 'after-handled' });
  memory.simulator.faults.add({
    at: ({ method }) => method === 'GET',
    times: 99,
    kind: 'status',
    status: 401,
  });
  await expect(memory.github.createComment(thread, body, calm())).rejects.toMatchObject({ status: 401 });
  expect(sentBy(memory)).toEqual(['POST', 'GET']);
});

test('a refusal is plain: nothing was written, so a limit is waited for and nobody is asked', async () => {
  const memory = memoryGitHub();
  memory.simulator.github.limits.secondary({ retryAfterSeconds: 30 });
  await memory.github.createComment(thread, body, calm());
  expect(writtenIn(memory)).toHaveLength(1);
  expect(sentBy(memory)).toEqual(['POST', 'POST']);
});
