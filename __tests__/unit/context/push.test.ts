import { describe, expect, test } from '@jest/globals';
import { NO_COMMIT, type SimulatedGitHub } from '../../../simulator/github/github.ts';
import { mergedIn, readPush } from '../../../src/agent/context/push.ts';
import { type PushEvent, parseEvent } from '../../../src/github/event.ts';
import { commitTo, openPullRequest } from '../../support/in-process/changes.ts';
import { calm } from '../../support/in-process/service.ts';
import { isFor, routes } from '../../support/routes.ts';
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
    event,
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
    ['a merge', merging('merge')],
    ['a squash', merging('squash')],
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
  const twoMerges = (g: SimulatedGitHub) => {
    for (const number of [openPullRequest(g), openPullRequest(g)]) g.pullRequests.merge(number, 'squash');
  };
  const longRebase = (g: SimulatedGitHub) => {
    g.listLimits.comparedCommits = 2;
    merging('rebase', undefined, 3)(g);
  };

  test.each<[string, (github: SimulatedGitHub) => unknown]>([
    ['a direct push', (g) => commitTo(g, 'main', {})],
    ['a direct push that names one', (g) => commitTo(g, 'main', {}, `Try again (#${openPullRequest(g)})`)],
    ['two merges at once', twoMerges],
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

  test('is asked for by the number in the message first, which needs no index', async () => {
    const { simulator, read } = pushOf((g) => {
      g.pullRequests.indexLagMs = 3_600_000;
      g.pullRequests.merge(openPullRequest(g), 'squash');
    });
    const startMs = simulator.clock.now();
    expect((await read()).pullRequest).toBeDefined();
    expect(simulator.clock.now()).toBe(startMs);
    expect(simulator.requests.map(({ route }) => route)).toEqual([routes.compare, routes.readPullRequest]);
  });

  test.each([
    [29_000, true],
    [31_000, false],
  ])('is waited for where the index is %i ms behind: found %p', async (lagMs, isFound) => {
    const { simulator, read } = pushOf((g) => {
      g.pullRequests.indexLagMs = lagMs;
      g.pullRequests.merge(openPullRequest(g), 'squash', 'Retry');
    });
    expect((await read()).pullRequest !== undefined).toBe(isFound);
    expect(simulator.requests.filter(isFor(routes.pullRequestsOfCommit))).toHaveLength(5);
  });
});

test.each([
  ['the first push of a branch', NO_COMMIT, 0],
  ['a base that is gone', 'd'.repeat(40), 2],
])('%s has nothing to compare with, and is not looked into further', async (_, before, requests) => {
  const { simulator, read } = pushOf((g) => g.pullRequests.merge(openPullRequest(g), 'squash'));
  expect(await read({ before })).toEqual({ comparison: undefined, pullRequest: undefined });
  expect(simulator.requests).toHaveLength(requests);
});

describe('the pull requests in a push', () => {
  async function numbersIn(act: (github: SimulatedGitHub) => void) {
    const { simulator, reading, event } = pushOf(act);
    const comparison = await reading.github.compare(event.before, event.after, reading.signal);
    if (comparison === undefined) throw new Error('There is nothing to compare');
    const before = simulator.requests.length;
    const { pullRequests, isAll } = await mergedIn(comparison, reading);
    const numbers = pullRequests.map(({ number }) => number);
    return { numbers, isAll, requests: simulator.requests.length - before };
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
    // A number a read, and a look-up for each commit that no number explains; the one in the middle of a subject is none.
    expect(found.requests).toBe(10);
  });

  test('are looked up for the first twenty numbers alone', async () => {
    const { numbers, requests } = await numbersIn((g) => {
      for (let nth = 0; nth < 22; nth += 1) g.pullRequests.merge(openPullRequest(g), 'squash');
    });
    expect(numbers).toHaveLength(20);
    expect(requests).toBe(20);
  });
});
