import { describe, expect, test } from '@jest/globals';

import type { GitHub } from '../../../src/github/client.ts';
import { calm } from '../../support/in-process/service.ts';
import { memoryGitHub, thread, token } from './memory-github.ts';

test('what is written is read', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addRun(42, 'schedule');
  const now = simulator.clock.now();
  const created = await github.createComment(thread, 'Grüße 🚀', calm());
  expect(created).toEqual({
    id: expect.any(Number),
    body: 'Grüße 🚀',
    login: 'github-actions[bot]',
    url: expect.stringMatching(/\/octo-org\/docs\/issues\/7#issuecomment-\d+$/),
    createdAtMs: now,
    editedAtMs: now,
    unedited: true,
  });
  const { id } = created;
  simulator.clock.advance(1_000);
  const edited = { ...created, body: 'two', editedAtMs: now + 1_000, unedited: false };
  expect(await github.updateComment(id, 'two', calm())).toEqual(edited);
  expect(await github.readComment(id, calm())).toMatchObject({ body: 'two' });
  await github.react(id, 'rocket', calm());
  expect(simulator.github.findComment(id).reactions).toMatchObject([{ content: 'rocket' }]);
  expect(await github.readCommentsSince(thread, now + 1_000, calm())).toMatchObject([{ id }]);
  expect(await github.readCommentsSince(thread, now + 2_000, calm())).toEqual([]);
  await github.deleteComment(id, calm());
  await expect(github.readComment(id, calm())).rejects.toMatchObject({ status: 404 });
  expect(await github.readRunCreatedAt('42', calm())).toBe(now);
  expect(simulator.violations).toEqual([]);
});

test('the permission of a collaborator, of no collaborator, and none without an answer', async () => {
  const { simulator, github } = memoryGitHub();
  simulator.github.addUser('keeper', { permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('keeper', calm())).toEqual({ permission: 'write', roleName: 'maintain' });
  expect(await github.permissionOf('nobody[at]/../all', calm())).toBeUndefined();
  simulator.github.limits.fail({ status: 401 });
  await expect(github.permissionOf('keeper', calm())).rejects.toMatchObject({ status: 401 });
});

const everyCall: [string, (github: GitHub, id: number, signal: AbortSignal) => Promise<unknown>][] = [
  ['permissionOf', (github, _, signal) => github.permissionOf('maintainer', signal)],
  ['react', (github, id, signal) => github.react(id, 'eyes', signal)],
  [
    'readNewestFirst',
    (github, _, signal) => github.readNewestFirst({ number: thread, comments: 1 }, signal).next(),
  ],
  ['readCommentsSince', (github, _, signal) => github.readCommentsSince(thread, 0, signal)],
  ['createComment', (github, _, signal) => github.createComment(thread, 'x', signal)],
  ['deleteComment', (github, id, signal) => github.deleteComment(id, signal)],
  ['readPullRequest', (github, _, signal) => github.readPullRequest(8, signal)],
];

describe.each(everyCall)('%s', (_, call) => {
  test('carries the token, our name and the version of the API', async () => {
    const { simulator, github } = memoryGitHub();
    await call(github, simulator.github.comment('maintainer', thread, 'hello').id, calm());
    expect(simulator.requests.map(({ headers }) => headers)).toMatchObject([
      {
        authorization: `token ${token}`,
        'user-agent': expect.stringMatching(/^docs-agent-action /),
        'x-github-api-version': '2022-11-28',
      },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test('ends with the reason of an abort, and sends nothing more', async () => {
    const { simulator, github } = memoryGitHub();
    const { id } = simulator.github.comment('maintainer', thread, 'hello');
    const controller = new AbortController();
    simulator.github.limits.fail({ status: 500, times: 99 });
    simulator.onBoundary(() => controller.abort(new Error('cancelled')));
    await expect(call(github, id, controller.signal)).rejects.toThrow('cancelled');
    await expect(call(github, id, controller.signal)).rejects.toThrow('cancelled');
    expect(simulator.requests).toHaveLength(1);
  });
});
