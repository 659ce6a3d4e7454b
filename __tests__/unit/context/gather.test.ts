import { describe, expect, test } from '@jest/globals';
import type { About } from '../../../src/agent/about.ts';
import { type Gathering, gather } from '../../../src/agent/context/gather.ts';
import { openPullRequest } from '../../support/in-process/changes.ts';
import { memoryGitHub, thread } from '../github/memory-github.ts';

const dayMs = 86_400_000;

/** A repository with one commit. `about` reads the context for a request. */
function repository() {
  const { simulator, github: client } = memoryGitHub();
  const { clock, github } = simulator;
  github.git.commit({ message: 'First', files: { 'README.md': '# Retry\n' } });
  const nothing = {
    thread: undefined,
    sendsThread: false,
    change: undefined,
    review: undefined,
    checks: [],
  };
  const gathering: Gathering = {
    about: { ...nothing, maySkip: true },
    github: client,
    clock,
    pushed: undefined,
    isOwn: async () => false,
  };
  const about = (of: Partial<About>) =>
    gather({ ...gathering, about: { ...gathering.about, ...of } });
  return { simulator, github, about };
}

const threadNamed = (number: number) => ({ number, isPullRequest: false, written: undefined });

test('a pull request has the message of its merge commit, or before the merge, of its newest commit', async () => {
  const { github, about } = repository();
  const number = openPullRequest(github);
  github.pullRequests.push(number, { message: 'Tidy [skip docs]' });
  const change = { kind: 'pull-request', number } as const;
  expect((await about({ change })).headMessage).toBe('Tidy [skip docs]');
  github.pullRequests.merge(number, 'squash', 'Retry');
  expect((await about({ change })).headMessage).toBe('Retry');
});

test('the thread of a pull request is called one', async () => {
  const { github, about } = repository();
  const number = openPullRequest(github);
  const read = (named: number) => about({ thread: threadNamed(named), sendsThread: true });
  expect(await read(number)).toMatchObject({
    topic: `pull request #${number}`,
    thread: { isPullRequest: true },
  });
  expect(await read(thread)).toMatchObject({
    topic: `issue #${thread}`,
    thread: { isPullRequest: false },
  });
});

test('the text of a thread has the same version until it changes', async () => {
  const { github, about } = repository();
  const read = () => about({ thread: threadNamed(thread), sendsThread: true });
  const { head } = await read();
  expect((await read()).head).toBe(head);
  github.thread(thread).body = 'Four?';
  expect((await read()).head).not.toBe(head);
});

describe('a release', () => {
  test('is compared with at most five others before it counts as having no base', async () => {
    const { simulator, github, about } = repository();
    for (const tag of ['v1', 'v1.1', 'v1.2', 'v1.3', 'v1.4', 'v1.5', 'v2']) {
      simulator.clock.advance(dayMs);
      const branch = tag.includes('.') ? `branch-of-${tag}` : 'main';
      if (branch !== 'main') github.git.branch(branch);
      github.git.commit({ branch, files: { [`${tag}.ts`]: `${tag}\n` } });
      github.git.tag(tag, branch);
      github.releases.add({ tag });
    }
    const change = await about({ change: { kind: 'release', tag: 'v2' } });
    expect(change).toMatchObject({ hasBase: false, topic: 'release v2' });
  });

  test('is not compared with a later release of an older commit', async () => {
    const { simulator, github, about } = repository();
    for (const [tag, of] of [['v1'], ['v2'], ['v1.1', 'v1']] as const) {
      simulator.clock.advance(dayMs);
      if (of === undefined) github.git.commit({ files: { [`${tag}.ts`]: `${tag}\n` } });
      github.git.tag(tag, of);
      github.releases.add({ tag });
    }
    const { topic } = await about({ change: { kind: 'release', tag: 'v2' } });
    expect(topic).toBe('release v2, which follows v1');
  });
});

describe('a range', () => {
  test('has no base if there was no commit yet', async () => {
    const { simulator, github, about } = repository();
    simulator.clock.advance(dayMs);
    const { sha: head } = github.git.find('main');
    const change = await about({ change: { kind: 'since', since: 2, head } });
    expect(change).toMatchObject({ hasBase: false });
    expect(change.files).toBeUndefined();
  });

  test('includes its pull requests', async () => {
    const { github, about } = repository();
    const since = github.git.find('main').sha;
    github.pullRequests.merge(openPullRequest(github, { title: 'Retry' }), 'squash');
    const head = github.git.find('main').sha;
    const { pullRequests } = await about({ change: { kind: 'since', since, head } });
    expect(pullRequests).toMatchObject([{ title: 'Retry' }]);
  });
});

test.each<[string, Partial<About>]>([
  ['pull request 99', { change: { kind: 'pull-request', number: 99 } }],
  ['issue or pull request 99', { thread: threadNamed(99), sendsThread: true }],
  ['published release `v9`', { change: { kind: 'release', tag: 'v9' } }],
])('a missing %s is an error', async (missing, about) => {
  await expect(repository().about(about)).rejects.toThrow(`There is no ${missing}`);
});
