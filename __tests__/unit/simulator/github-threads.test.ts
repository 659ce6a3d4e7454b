import { beforeEach, expect, test } from '@jest/globals';

import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import { GitHubClient, REPO } from './github-client.ts';

const WRITE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

let simulator: InMemorySimulator;
let call: GitHubClient['call'];
let post: GitHubClient['post'];
beforeEach(() => {
  const client = new GitHubClient();
  simulator = client.simulator;
  call = client.call.bind(client);
  post = client.post.bind(client);
});

/** The ids of thread 7's comments, as its list has them. */
async function listed(query = ''): Promise<number[]> {
  const { body } = await call('GET', `${REPO}/issues/7/comments${query}`);
  return (body as { id: number }[]).map(({ id }) => id);
}

test('comments are written, edited with their history kept, read and deleted', async () => {
  const created = await post(7, { body: 'one' });
  expect(created).toMatchObject({
    status: 201,
    body: {
      body: 'one',
      user: { login: 'github-actions[bot]', type: 'Bot' },
      created_at: '2026-01-05T09:00:00Z',
      html_url: expect.stringMatching(/\/octo-org\/docs\/issues\/7#issuecomment-\d+$/),
    },
  });
  const { id } = created.body as { id: number };
  simulator.clock.advance(1_000);
  const edited = await call('PATCH', `${REPO}/issues/comments/${id}`, { body: { body: 'two' } });
  expect(edited).toMatchObject({ status: 200, body: { body: 'two', updated_at: '2026-01-05T09:00:01Z' } });
  expect(simulator.github.findComment(id).history.map(({ body }) => body)).toEqual(['one', 'two']);
  expect(await call('GET', `${REPO}/issues/comments/${id}`)).toMatchObject({ body: { body: 'two' } });
  expect(await call('GET', `${REPO}/issues/7`)).toMatchObject({ body: { number: 7, comments: 1 } });
  expect(await call('DELETE', `${REPO}/issues/comments/${id}`)).toMatchObject({
    status: 204,
    body: undefined,
  });
  expect((await call('GET', `${REPO}/issues/comments/${id}`)).status).toBe(404);
  expect(simulator.violations).toEqual([]);
});

test('lists come in pages, ascending, with absolute links that can be followed', async () => {
  for (let made = 1; made <= 250; made += 1) simulator.github.comment('maintainer', 7, `c${made}`);
  const first = await call('GET', `${REPO}/issues/7/comments?per_page=100`);
  const list = `${simulator.githubUrl}/repositories/790000001/issues/7/comments?per_page=100`;
  expect(first.headers.link).toBe(`<${list}&page=2>; rel="next", <${list}&page=3>; rel="last"`);
  const last = await call('GET', `/repositories/790000001/issues/7/comments?per_page=100&page=3`);
  expect(last.body).toHaveLength(50);
  expect((last.body as { body: string }[])[49]?.body).toBe('c250');
  expect(last.headers.link).toBe(`<${list}&page=2>; rel="prev", <${list}&page=1>; rel="first"`);
  expect((await call('GET', `${REPO}/issues/8/comments`)).headers.link).toBeUndefined();
  simulator.clock.advance(60_000);
  simulator.github.edit((last.body as { id: number }[])[0]?.id ?? 0, 'edited');
  const since = await call('GET', `${REPO}/issues/7/comments?since=2026-01-05T09:00:30Z`);
  expect(since.body).toMatchObject([{ body: 'edited' }]);
  expect(simulator.violations).toEqual([]);
  await call('GET', `${REPO}/issues/7/comments?direction=desc`);
  expect(simulator.violations).toHaveLength(1);
});

test('a reaction is new once', async () => {
  const { id } = simulator.github.comment('maintainer', 7, '/docs x');
  const react = (content: unknown) =>
    call('POST', `${REPO}/issues/comments/${id}/reactions`, { body: { content } });
  expect(await react('eyes')).toMatchObject({ status: 201, body: { content: 'eyes' } });
  expect((await react('eyes')).status).toBe(200);
  expect((await react('rocket')).status).toBe(201);
  expect((await react('nod')).status).toBe(422);
  expect(simulator.github.findComment(id).reactions.map(({ content }) => content)).toEqual([
    'eyes',
    'rocket',
  ]);
  const onThread = await call('POST', `${REPO}/issues/7/reactions`, { body: { content: '+1' } });
  expect(onThread.status).toBe(201);
});

test('comment ids only ever grow, and a deleted comment is gone for every request', async () => {
  const ids: number[] = [];
  for (const body of ['one', 'two', 'three']) ids.push(((await post(7, { body })).body as { id: number }).id);
  const [first, second, third] = ids;
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  expect((await call('DELETE', `${REPO}/issues/comments/${third}`)).status).toBe(204);
  const gone = `${REPO}/issues/comments/${third}`;
  expect(await call('GET', gone)).toMatchObject({ status: 404, body: { message: 'Not Found' } });
  expect((await call('PATCH', gone, { body: { body: 'again' } })).status).toBe(404);
  expect((await call('DELETE', gone)).status).toBe(404);
  expect((await call('POST', `${gone}/reactions`, { body: { content: 'eyes' } })).status).toBe(404);
  expect(await listed()).toEqual([first, second]);
  expect(((await post(7, { body: 'four' })).body as { id: number }).id).toBeGreaterThan(third ?? 0);
  expect(simulator.violations).toEqual([]);
});

test('lists can lag: a comment is read by its id at once and shows later, before higher ids or after', async () => {
  const { github, clock } = simulator;
  github.listLagMs = ({ body }) => (body === 'slow' ? 5_000 : 0);
  const { id: slow } = (await post(7, { body: 'slow' })).body as { id: number };
  const { id: quick } = (await post(7, { body: 'quick' })).body as { id: number };
  expect((await call('GET', `${REPO}/issues/comments/${slow}`)).status).toBe(200);
  expect(await listed()).toEqual([quick]);
  clock.advance(4_999);
  expect(await listed('?per_page=1&since=2026-01-05T09:00:00Z')).toEqual([quick]);
  clock.advance(1);
  expect(await listed()).toEqual([slow, quick]);
  const held = github.comment('maintainer', 7, 'held back by the test');
  held.listedAt = Number.POSITIVE_INFINITY;
  expect(await listed()).toEqual([slow, quick]);
});

test('a comment may be stored although its POST was answered 502', async () => {
  simulator.faults.add({ at: WRITE, kind: 'status', status: 502, when: 'after-handled' });
  expect((await post(7, { body: 'x' })).status).toBe(502);
  expect(simulator.github.commentsOf(7).map(({ body }) => body)).toEqual(['x']);
  expect(simulator.requests).toMatchObject([{ route: WRITE, status: 201, fault: 'status' }]);
});

test('reactions are listed in pages, and everybody takes back his own', async () => {
  const { id } = simulator.github.comment('maintainer', 7, '/docs x');
  const comment = simulator.github.findComment(id);
  simulator.github.react(comment, 'eyes', 'maintainer');
  const list = `${REPO}/issues/comments/${id}/reactions`;
  const own = (await call('POST', list, { body: { content: 'eyes' } })).body as { id: number };
  await call('POST', list, { body: { content: 'rocket' } });
  const all = (await call('GET', list)).body as { id: number }[];
  expect(all).toMatchObject([
    { content: 'eyes', user: { login: 'maintainer' } },
    { content: 'eyes', user: { login: 'github-actions[bot]' } },
    { content: 'rocket' },
  ]);
  expect((await call('GET', `${list}?content=eyes`)).body).toHaveLength(2);
  const first = await call('GET', `${list}?per_page=2`);
  expect(first.body).toHaveLength(2);
  expect(first.headers.link).toContain('page=2>; rel="next"');
  expect(await call('DELETE', `${list}/${own.id}`)).toMatchObject({ status: 204, body: undefined });
  expect((await call('DELETE', `${list}/${own.id}`)).status).toBe(404);
  expect((await call('DELETE', `${list}/${all[0]?.id}`)).status).toBe(403);
  expect(comment.reactions.map(({ content, login }) => [content, login])).toEqual([
    ['eyes', 'maintainer'],
    ['rocket', 'github-actions[bot]'],
  ]);
  expect(simulator.violations).toEqual([]);
});

test('a comment is by whoever the token belongs to: an app’s bot, or a person through no app', async () => {
  const { github } = simulator;
  github.addUser('helper[bot]', { type: 'Bot' });
  github.addToken('ghs_fake_helper', {}, 'helper[bot]');
  github.addToken('ghp_fake_person', {}, 'maintainer');
  const write = (token?: string) =>
    call('POST', `${REPO}/issues/7/comments`, { body: { body: 'x' }, ...(token ? { token } : {}) });
  expect((await write()).body).toMatchObject({
    user: { login: 'github-actions[bot]', type: 'Bot' },
    performed_via_github_app: { slug: 'github-actions' },
  });
  expect((await write('ghs_fake_helper')).body).toMatchObject({
    user: { login: 'helper[bot]' },
    performed_via_github_app: { slug: 'helper' },
  });
  expect((await write('ghp_fake_person')).body).toMatchObject({
    user: { login: 'maintainer', type: 'User' },
    performed_via_github_app: null,
  });
});

test('locked threads take comments of people with write access only, archived repositories none, closed threads all', async () => {
  simulator.github.addThread({ number: 9, locked: true });
  simulator.github.addThread({ number: 10, state: 'closed' });
  expect(await post(9, { body: 'x' })).toMatchObject({
    status: 403,
    body: { message: 'Unable to create comment because issue is locked.' },
  });
  const { id } = simulator.github.comment('maintainer', 9, '/docs x');
  const reactions = `${REPO}/issues/comments/${id}/reactions`;
  expect((await call('POST', reactions, { body: { content: 'eyes' } })).status).toBe(403);
  simulator.github.addToken('ghp_fake_person', {}, 'maintainer');
  const byPerson = { body: { body: 'x' }, token: 'ghp_fake_person' };
  expect((await call('POST', `${REPO}/issues/9/comments`, byPerson)).status).toBe(201);
  expect((await post(10, { body: 'x' })).status).toBe(201);
  simulator.github.repository.archived = true;
  expect((await post(10, { body: 'x' })).status).toBe(403);
  expect((await post(404, { body: 'x' })).status).toBe(404);
});

test.each<[string, unknown, number]>([
  ['an unknown field', { body: 'x', draft: true }, 422],
  ['a body that is no string', { body: 1 }, 422],
  ['a blank body', { body: '  ' }, 422],
  ['65,537 characters', { body: 'x'.repeat(65_537) }, 422],
  ['no body', undefined, 400],
])('refuses %s and calls it a violation', async (_, body, status) => {
  expect((await post(7, body)).status).toBe(status);
  expect(simulator.violations).toHaveLength(1);
  expect(simulator.github.commentsOf(7)).toHaveLength(0);
});

test('65,536 characters are allowed', async () => {
  expect((await post(7, { body: 'x'.repeat(65_536) })).status).toBe(201);
});
