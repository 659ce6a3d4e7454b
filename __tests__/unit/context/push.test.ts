import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../simulator/github/github.ts';
import { findMerged, readPush } from '../../../src/agent/context/push.ts';
import { type PushEvent, parseEvent } from '../../../src/github/event.ts';
import { openPullRequest } from '../../support/in-process/changes.ts';
import { memoryGitHub } from '../github/memory-github.ts';

/** Creates a repository, changes it with `act`, and pushes the changes. */
function pushOf(act: (github: SimulatedGitHub) => void) {
  const { simulator, github } = memoryGitHub();
  const { sha: before } = simulator.github.git.commit({ files: { 'README.md': '# Retry\n' } });
  act(simulator.github);
  const event = parseEvent('push', simulator.github.pushEvent({ before }).payload) as PushEvent;
  const reading = { github, clock: simulator.clock };
  const read = (over: Partial<PushEvent> = {}) => readPush({ ...event, ...over }, reading);
  return { simulator, reading, read };
}

describe('the pull request that a push merges', () => {
  const merging =
    (method: 'merge' | 'squash' | 'rebase', message?: string, commits = 1) =>
    (g: SimulatedGitHub) =>
      g.pullRequests.merge(openPullRequest(g, { commits }), method, message);

  const afterCommit = (method: 'merge' | 'rebase', commits: number) => (g: SimulatedGitHub) => {
    const number = openPullRequest(g, { commits });
    g.git.commit({ files: { 'a.ts': 'a\n' } });
    g.pullRequests.merge(number, method);
  };
  const longRebase = (g: SimulatedGitHub) => {
    g.listLimits.comparedCommits = 2;
    merging('rebase', undefined, 3)(g);
  };

  const mentioning = (g: SimulatedGitHub) =>
    g.git.commit({ message: `As (#${openPullRequest(g)})` });

  test.each<[string, isFound: boolean, (github: SimulatedGitHub) => unknown]>([
    ['a squash with a custom message', true, merging('squash', 'Retry')],
    ['a squash whose message names another', true, merging('squash', 'Retry (#7)')],
    ['a squash whose message names none', true, merging('squash', 'Retry (#99)')],
    ['a merge of two commits', true, merging('merge', undefined, 2)],
    ['a rebase of three commits', true, merging('rebase', undefined, 3)],
    ['a direct push', false, (g) => g.git.commit()],
    ['a direct push that mentions a pull request', false, mentioning],
    ['a commit and a merge', false, afterCommit('merge', 1)],
    ['a commit and a rebase', false, afterCommit('rebase', 2)],
    ['a rebase of more commits than GitHub lists', false, longRebase],
  ])('is found for %s: %p', async (_, isFound, act) => {
    const { pullRequest, comparison } = await pushOf(act).read();
    expect(comparison?.isWhole).toBe(true);
    if (isFound) expect(pullRequest).toMatchObject({ number: 101, state: 'merged' });
    else expect(pullRequest).toBeUndefined();
  });

  test('doesn’t exist if the message names one that was merged earlier', async () => {
    const { simulator, read } = pushOf((g) => {
      const number = openPullRequest(g);
      g.pullRequests.merge(number, 'squash');
      g.git.commit({ message: `Repair it (#${number})`, files: { 'a.ts': 'a\n' } });
    });
    const [before = ''] = simulator.github.git.find('main').parents;
    expect((await read({ before })).pullRequest).toBeUndefined();
  });

  test.each([
    [29_000, true],
    [31_000, false],
  ])('is found although GitHub’s index is %i ms behind: %p', async (lagMs, isFound) => {
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
    const { pullRequests, isAll } = await findMerged(comparison, reading);
    return { numbers: pullRequests.map(({ number }) => number), isAll };
  }

  test('are named by a commit and merged by one of the commits', async () => {
    const numbers: number[] = [];
    const found = await numbersIn((g) => {
      numbers.push(openPullRequest(g), openPullRequest(g), openPullRequest(g));
      const [squashed = 0, merged = 0, open = 0] = numbers;
      g.pullRequests.merge(squashed, 'squash');
      g.pullRequests.merge(merged, 'merge');
      const subjects = [`As (#${open}) will`, `Like (#${open})`, `Undo #${open}`];
      for (const message of [...subjects, 'Fix (#7)', `Again (#${squashed})`])
        g.git.commit({ message });
    });
    expect(found.numbers).toEqual(numbers.slice(0, 2));
    expect(found.isAll).toBe(false);
  });

  test('are looked up only for the first twenty numbers', async () => {
    const { numbers } = await numbersIn((g) => {
      for (let nth = 0; nth < 22; nth += 1) g.pullRequests.merge(openPullRequest(g), 'squash');
    });
    expect(numbers).toHaveLength(20);
  });
});
