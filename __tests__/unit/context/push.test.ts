import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../simulator/github/github.ts';
import { mergedIn, readPush } from '../../../src/agent/context/push.ts';
import { type PushEvent, parseEvent } from '../../../src/github/event.ts';
import { commitTo, openPullRequest } from '../../support/in-process/changes.ts';
import { calm } from '../../support/in-process/service.ts';
import { memoryGitHub } from '../github/memory-github.ts';

/** A repository, what happens in it after a first commit, and the push of all that. */
function pushOf(act: (github: SimulatedGitHub) => void) {
  const { simulator, github } = memoryGitHub();
  const before = commitTo(simulator.github, 'main', { 'README.md': '# Retry\n' }, 'First');
  act(simulator.github);
  const event = parseEvent('push', simulator.github.pushEvent({ before }).payload) as PushEvent;
  const { clock } = simulator;
  const reading = { github, clock, signal: calm() };
  return {
    simulator,
    reading,
    read: (over: Partial<PushEvent> = {}) => readPush({ ...event, ...over }, reading),
  };
}

describe('the pull request whose merge a push is', () => {
  const merging =
    (method: 'merge' | 'squash' | 'rebase', message?: string, commits = 1) =>
    (g: SimulatedGitHub) =>
      g.pullRequests.merge(openPullRequest(g, { commits }), method, message);

  test.each<[string, (github: SimulatedGitHub) => unknown]>([
    ['a squash with a message of its own', merging('squash', 'Retry')],
    ['a squash whose message names another', merging('squash', 'Retry (#7)')],
    ['a squash whose message names none', merging('squash', 'Retry (#99)')],
    ['a rebase of one commit', merging('rebase')],
    ['a rebase of three', merging('rebase', undefined, 3)],
  ])('is found: %s', async (_, act) => {
    const { read } = pushOf(act);
    const { pullRequest, comparison } = await read();
    expect(pullRequest).toMatchObject({ number: 101, isMerged: true });
    expect(comparison?.isWhole).toBe(true);
  });

  const afterCommit = (method: 'merge' | 'rebase', commits: number) => (g: SimulatedGitHub) => {
    const number = openPullRequest(g, { commits });
    commitTo(g, 'main', { 'a.ts': 'a\n' });
    g.pullRequests.merge(number, method);
  };
  const longRebase = (g: SimulatedGitHub) => {
    g.listLimits.comparedCommits = 2;
    merging('rebase', undefined, 3)(g);
  };

  test.each<[string, (github: SimulatedGitHub) => unknown]>([
    ['a direct push', (g) => commitTo(g, 'main', {})],
    ['one that speaks of another', (g) => commitTo(g, 'main', {}, `As (#${openPullRequest(g)})`)],
    ['a commit and a merge', afterCommit('merge', 1)],
    ['a commit and a rebase', afterCommit('rebase', 2)],
    ['a rebase of more commits than GitHub lists', longRebase],
  ])('is none: %s', async (_, act) => {
    const { read } = pushOf(act);
    const { pullRequest, comparison } = await read();
    expect(pullRequest).toBeUndefined();
    expect(comparison).toBeDefined();
  });

  test('is none where the message names one that was merged before', async () => {
    const { simulator, read } = pushOf((g) => {
      const number = openPullRequest(g);
      g.pullRequests.merge(number, 'squash');
      commitTo(g, 'main', { 'a.ts': 'a\n' }, `Repair it (#${number})`);
    });
    const [before = ''] = simulator.github.git.find('main').parents;
    expect((await read({ before })).pullRequest).toBeUndefined();
  });

  test.each([
    [29_000, true],
    [31_000, false],
  ])('is waited for where the index is %i ms behind: found %p', async (lagMs, isFound) => {
    const { read } = pushOf((g) => {
      g.pullRequests.indexLagMs = lagMs;
      g.pullRequests.merge(openPullRequest(g), 'squash', 'Retry');
    });
    expect((await read()).pullRequest !== undefined).toBe(isFound);
  });
});

describe('the pull requests in a push', () => {
  async function numbersIn(act: (github: SimulatedGitHub) => void) {
    const { read, reading } = pushOf(act);
    const { comparison } = await read();
    const { pullRequests, isAll } = await mergedIn(comparison, reading);
    return { numbers: pullRequests.map(({ number }) => number), isAll };
  }

  test('are those that a commit names and whose merge is among the commits', async () => {
    const numbers: number[] = [];
    const found = await numbersIn((g) => {
      numbers.push(openPullRequest(g), openPullRequest(g), openPullRequest(g));
      const [squashed = 0, merged = 0, open = 0] = numbers;
      g.pullRequests.merge(squashed, 'squash');
      g.pullRequests.merge(merged, 'merge');
      for (const message of [
        `As (#${open}) will`,
        `Like (#${open})`,
        'Fix (#7)',
        `Undo #${open}`,
        `Again (#${squashed})`,
      ])
        commitTo(g, 'main', {}, message);
    });
    expect(found.numbers).toEqual(numbers.slice(0, 2));
    expect(found.isAll).toBe(false);
  });

  test('are looked up for the first twenty numbers alone', async () => {
    const { numbers } = await numbersIn((g) => {
      for (let nth = 0; nth < 22; nth += 1) g.pullRequests.merge(openPullRequest(g), 'squash');
    });
    expect(numbers).toHaveLength(20);
  });
});
