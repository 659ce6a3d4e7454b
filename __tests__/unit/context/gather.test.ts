import { describe, expect, test } from '@jest/globals';
import type { About } from '../../../src/agent/about.ts';
import { type Gathering, gather } from '../../../src/agent/context/gather.ts';
import { commitTo, openPullRequest } from '../../support/in-process/changes.ts';
import { calm } from '../../support/in-process/service.ts';
import { memoryGitHub, thread } from '../github/memory-github.ts';

const dayMs = 86_400_000;

/** A repository with one commit. `about` reads the context for a request. */
function repository() {
  const { simulator, github: client } = memoryGitHub();
  const { clock, github } = simulator;
  commitTo(github, 'main', { 'README.md': '# Retry\n' }, 'First');
  const nothing = { thread: undefined, sendsThread: false, change: undefined, review: undefined };
  const gathering: Gathering = {
    about: { ...nothing, isNamed: true, maySkip: true },
    github: client,
    clock,
    signal: calm(),
    pushed: undefined,
    isOwn: async () => false,
  };
  return {
    simulator,
    github,
    about: (about: Partial<About>) => gather({ ...gathering, about: { ...gathering.about, ...about } }),
  };
}

describe('a pull request', () => {
  test('has the message of its merge commit, or before the merge, of its newest commit', async () => {
    const { github, about } = repository();
    const number = openPullRequest(github);
    commitTo(github, 'branch-101', {}, 'Tidy [skip docs]');
    github.pullRequests.update(number);
    const change = { kind: 'pull-request', number } as const;
    expect((await about({ change })).headMessage).toBe('Tidy [skip docs]');
    github.pullRequests.merge(number, 'squash', 'Retry');
    expect((await about({ change })).headMessage).toBe('Retry');
  });
});

describe('the text of a thread', () => {
  const author = { login: 'guest', isBot: false };
  const written = { title: 'Retries', body: 'Three?', author, isFromOutside: true };

  async function read({ title, body }: { readonly title: string; readonly body: string }) {
    const { github, about } = repository();
    Object.assign(github.thread(thread), { title, body });
    return about({ thread: { number: thread, written }, sendsThread: true });
  }

  test('has the same version until it changes', async () => {
    const { head } = await read(written);
    expect((await read(written)).head).toBe(head);
    expect((await read({ ...written, body: 'Four?' })).head).not.toBe(head);
  });
});

describe('a release', () => {
  test('is compared with at most five others before it counts as having no base', async () => {
    const { simulator, github, about } = repository();
    for (const tag of ['v1', 'v1.1', 'v1.2', 'v1.3', 'v1.4', 'v1.5', 'v2']) {
      simulator.clock.advance(dayMs);
      const branch = tag.includes('.') ? `branch-of-${tag}` : 'main';
      if (branch !== 'main') github.git.branch(branch);
      commitTo(github, branch, { [`${tag}.ts`]: `${tag}\n` });
      github.git.tag(tag, branch);
      github.releases.add({ tag });
    }
    const change = await about({ change: { kind: 'release', tag: 'v2' } });
    expect(change).toMatchObject({ hasBase: false, happened: 'release v2 was published.' });
  });

  test('is not compared with a later release of an older commit', async () => {
    const { simulator, github, about } = repository();
    for (const [tag, of] of [['v1'], ['v2'], ['v1.1', 'v1']] as const) {
      simulator.clock.advance(dayMs);
      if (of === undefined) commitTo(github, 'main', { [`${tag}.ts`]: `${tag}\n` });
      github.git.tag(tag, of);
      github.releases.add({ tag });
    }
    const { happened } = await about({ change: { kind: 'release', tag: 'v2' } });
    expect(happened).toContain('the previous release is v1.');
  });
});

describe('a range', () => {
  test('has no base if there was no commit yet', async () => {
    const { simulator, github, about } = repository();
    simulator.clock.advance(dayMs);
    const { sha: head } = github.git.find('main');
    const since = 2;
    const change = await about({ change: { kind: 'since', since, head } });
    expect(change).toMatchObject({ hasBase: false });
    expect(change.files).toBeUndefined();
  });

  test('includes its pull requests', async () => {
    const { github, about } = repository();
    const first = github.git.find('main').sha;
    const number = openPullRequest(github, { title: 'Retry' });
    github.pullRequests.merge(number, 'squash');
    const head = github.git.find('main').sha;
    const since = first;
    const { pullRequests } = await about({ change: { kind: 'since', since, head } });
    expect(pullRequests).toMatchObject([{ title: 'Retry' }]);
  });
});

test.each<[string, Partial<About>]>([
  ['pull request 99', { change: { kind: 'pull-request', number: 99 } }],
  ['issue or pull request 99', { thread: { number: 99, written: undefined }, sendsThread: true }],
  ['published release `v9`', { change: { kind: 'release', tag: 'v9' } }],
])('a missing %s is an error', async (missing, about) => {
  await expect(repository().about(about)).rejects.toThrow(`There is no ${missing}`);
});
