import { beforeEach, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/core';
import { request, fetch as undiciFetch } from 'undici';

import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';

let simulator: InMemorySimulator;
beforeEach(() => {
  simulator = createInMemorySimulator();
  simulator.github.addThread({ number: 7 });
  simulator.github.addThread({ number: 8, isPullRequest: true });
});

const REPO = '/repos/octo-org/docs';

interface Options {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function call(method: Method, path: string, { body, token = DEFAULT_TOKEN, headers }: Options = {}) {
  const response = await request(simulator.githubUrl + path, {
    method,
    dispatcher: simulator.dispatcher,
    headers: {
      'user-agent': 'test',
      ...(token === null ? {} : { authorization: `token ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.statusCode, headers: response.headers, body: parsed };
}

const post = (number: number, body: unknown) => call('POST', `${REPO}/issues/${number}/comments`, { body });

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

test('permissions, with built-in and custom roles', async () => {
  simulator.github.addUser('keeper', { permission: 'write', roleName: 'maintain' });
  simulator.github.addUser('writer', { permission: 'write', roleName: 'docs-writer' });
  simulator.github.addUser('robot[bot]', { type: 'Bot' });
  const permission = (login: string) =>
    call('GET', `${REPO}/collaborators/${encodeURIComponent(login)}/permission`);
  expect(await permission('maintainer')).toMatchObject({ body: { permission: 'admin', role_name: 'admin' } });
  expect(await permission('keeper')).toMatchObject({ body: { permission: 'write', role_name: 'maintain' } });
  expect(await permission('writer')).toMatchObject({
    body: { role_name: 'docs-writer', user: { login: 'writer' } },
  });
  expect(await permission('robot[bot]')).toMatchObject({ status: 404 });
  expect(await permission('nobody')).toMatchObject({ status: 404 });
});

test('a run tells when it was created', async () => {
  simulator.github.addRun(42, 'schedule');
  expect(await call('GET', `${REPO}/actions/runs/42`)).toMatchObject({
    body: { id: 42, created_at: '2026-01-05T09:00:00Z' },
  });
  expect((await call('GET', `${REPO}/actions/runs/43`)).status).toBe(404);
});

test('tokens are refused what they may not do', async () => {
  const notAccessible = { status: 403, body: { message: 'Resource not accessible by integration' } };
  simulator.github.restrict({ issues: 'read' });
  expect(await post(7, { body: 'x' })).toMatchObject(notAccessible);
  expect((await post(8, { body: 'x' })).status).toBe(201);
  expect((await call('GET', `${REPO}/issues/7/comments`)).status).toBe(200);
  simulator.github.restrict({ 'pull-requests': 'none', metadata: 'none', actions: 'none' });
  expect(await call('GET', `${REPO}/issues/8/comments`)).toMatchObject(notAccessible);
  expect(await call('GET', `${REPO}/collaborators/maintainer/permission`)).toMatchObject(notAccessible);
  expect(await call('GET', `${REPO}/actions/runs/1`)).toMatchObject(notAccessible);
  expect(await call('GET', `${REPO}/issues/7`, { token: 'ghs_fake_wrong' })).toMatchObject({ status: 401 });
  expect(simulator.violations).toEqual([]);
});

test('locked threads and archived repositories take no comments; closed threads do', async () => {
  simulator.github.addThread({ number: 9, locked: true });
  simulator.github.addThread({ number: 10, state: 'closed' });
  expect((await post(9, { body: 'x' })).status).toBe(403);
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

test.each<[string, Options, number]>([
  ['no user agent', { headers: { 'user-agent': '' } }, 403],
  ['no token', { token: null }, 401],
  ['an API version of the future', { headers: { 'x-github-api-version': '2099-01-01' } }, 400],
])('refuses %s and calls it a violation', async (_, options, status) => {
  expect((await call('GET', `${REPO}/issues/7`, options)).status).toBe(status);
  expect(simulator.violations).toHaveLength(1);
});

test('limits and outages', async () => {
  const ask = () => call('GET', `${REPO}/issues/7`);
  expect((await ask()).headers).toMatchObject({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4999',
  });
  simulator.github.limits.secondary({ retryAfterSeconds: 60 });
  simulator.github.limits.secondary();
  expect(await ask()).toMatchObject({
    status: 403,
    headers: { 'retry-after': '60' },
    body: { message: expect.stringContaining('secondary rate limit') },
  });
  expect((await ask()).headers['retry-after']).toBeUndefined();
  simulator.github.limits.fail({ status: 502, when: ({ method }) => method === 'POST' });
  expect((await ask()).status).toBe(200);
  expect((await post(7, { body: 'x' })).status).toBe(502);
  simulator.github.limits.exhaust({ resetInMs: 60_000, status: 429 });
  const reset = String(simulator.clock.now() / 1000 + 60);
  expect(await ask()).toMatchObject({
    status: 429,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
  });
  simulator.clock.advance(60_000);
  expect((await ask()).status).toBe(200);
});

test('webhook payloads agree with the API', () => {
  const { github } = simulator;
  const comment = github.comment('stranger', 8, 'hello');
  expect(github.issueCommentEvent(comment)).toMatchObject({
    name: 'issue_comment',
    actor: 'stranger',
    payload: {
      action: 'created',
      comment: {
        id: comment.id,
        body: 'hello',
        author_association: 'NONE',
        user: { login: 'stranger', type: 'User' },
      },
      issue: { number: 8, comments: 1, pull_request: { html_url: expect.stringContaining('/pull/8') } },
      repository: { id: 790_000_001, full_name: 'octo-org/docs', owner: { login: 'octo-org' }, name: 'docs' },
      sender: { login: 'stranger' },
    },
  });
  expect(github.issuesEvent(7).payload.issue).not.toHaveProperty('pull_request');
  expect(github.pullRequestEvent(8).payload).toMatchObject({ number: 8, pull_request: { number: 8 } });
  expect(github.pushEvent().payload).toMatchObject({ ref: 'refs/heads/main' });
  expect(github.scheduleEvent().payload).toMatchObject({ schedule: '0 6 * * 1' });
  expect(github.workflowDispatchEvent({ a: 'b' }).payload).toMatchObject({ inputs: { a: 'b' } });
});

test('Octokit is at home here', async () => {
  const octokit = new Octokit({
    auth: DEFAULT_TOKEN,
    baseUrl: simulator.githubUrl,
    request: {
      fetch: (url: string, options: Parameters<typeof undiciFetch>[1]) =>
        undiciFetch(url, { ...options, dispatcher: simulator.dispatcher }),
    },
  });
  const { data, status } = await octokit.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      owner: 'octo-org',
      repo: 'docs',
      issue_number: 7,
      body: 'Grüße 🚀',
    },
  );
  expect({ status, body: data.body }).toEqual({ status: 201, body: 'Grüße 🚀' });
  const missing = octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
    owner: 'octo-org',
    repo: 'docs',
    issue_number: 404,
  });
  await expect(missing).rejects.toMatchObject({ status: 404 });
  expect(simulator.violations).toEqual([]);
});
