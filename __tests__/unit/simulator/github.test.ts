import { beforeEach, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/core';
import { fetch as undiciFetch } from 'undici';

import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import { type CallOptions, GitHubClient, REPO } from './github-client.ts';

let simulator: InMemorySimulator;
let call: GitHubClient['call'];
let post: GitHubClient['post'];
beforeEach(() => {
  const client = new GitHubClient();
  simulator = client.simulator;
  call = client.call.bind(client);
  post = client.post.bind(client);
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

test('a path that GitHub does not have is a violation', async () => {
  expect((await call('GET', `${REPO}/issues/seven/comments`)).status).toBe(404);
  expect((await call('GET', `${REPO}/labels`)).status).toBe(404);
  expect(simulator.violations).toHaveLength(2);
});

test.each<[string, CallOptions, number]>([
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
