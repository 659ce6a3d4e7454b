import type { DepsWithGitHub } from '../../deps.ts';
import type { Commit, Comparison, PullRequest } from '../../github/changes.ts';
import type { PushEvent } from '../../github/event.ts';

/**
 * GitHub's index of commits and pull requests lags behind a push, so it is checked five times
 * within 30 s.
 */
const indexWaitsMs = [2_000, 4_000, 8_000, 16_000];
/** How many requests look for the pull requests in a push or a range. */
const maxRequests = 20;

export type PushReading = Pick<DepsWithGitHub, 'clock' | 'github'>;

export type Pushed = Awaited<ReturnType<typeof readPush>>;
export type Merged = Awaited<ReturnType<typeof findMerged>>;

/**
 * Reads a push's commits, and the pull request that it merged. If it contains anything else,
 * `merged` has all of its pull requests. @throws GitHubError
 */
export async function readPush(push: PushEvent, reading: PushReading) {
  const { github } = reading;
  const isNewBranch = /^0+$/.test(push.before);
  if (isNewBranch) return {};
  const comparison = await github.compare(push.before, push.after);
  if (comparison) {
    const finder = createFinder(reading);
    const pullRequest = await findMergedBy(push, comparison, finder);
    if (pullRequest) return { comparison, pullRequest };
    const merged = await findMerged(comparison, reading, finder);
    const beginsAtBase = branchLine(comparison.commits)[0]?.parents[0] === push.before;
    return { comparison, merged: { ...merged, isAll: merged.isAll && beginsAtBase } };
  }
  // Either the preceding commit is gone, or the token can't see the repository. Then this throws.
  await github.readCommit(push.after);
  return {};
}

async function findMergedBy(push: PushEvent, comparison: Comparison, finder: Finder) {
  const newest = { sha: push.after, message: push.message };
  const merged = await finder.find(newest, indexWaitsMs);
  const line = branchLine(comparison.commits);
  const [oldest] = line;
  if (!merged || oldest?.parents[0] !== push.before) return undefined;
  if (line.length === 1) return merged;
  // If the pull request was merged by a rebase, the oldest commit of the push also belongs to it.
  const mergedFirst = await finder.find(oldest);
  if (mergedFirst?.number !== merged.number) return undefined;
  return merged;
}

/**
 * The merged pull requests that GitHub confirms for a range of commits, oldest first. `unread`: how
 * many more its commits name. `isAll`: the range contains nothing else.
 */
export async function findMerged(
  comparison: Comparison | undefined,
  reading: PushReading,
  finder = createFinder(reading),
) {
  if (!comparison) return { pullRequests: [], unread: 0, isAll: false, requestsLeft: 0 };
  const { commits, totalCommits } = comparison;
  const found = new Map<number, PullRequest>();
  const unread: (string | undefined)[] = [];
  let isAll = commits.length === totalCommits;
  for (const commit of branchLine(commits).toReversed()) {
    const pull = await finder.find(commit);
    if (pull) found.set(pull.number, pull);
    else if (finder.requestsLeft() === 0) unread.push(numberIn(commit.message));
    else isAll = false;
  }
  const others = new Set(unread.filter((number) => number && !found.has(Number(number))));
  return {
    pullRequests: [...found.values()].reverse(),
    unread: others.size,
    isAll: isAll && found.size > 0 && !unread.includes(undefined),
    requestsLeft: finder.requestsLeft(),
  };
}

/** The commits on the branch itself, oldest first, without the commits of merged branches. */
function branchLine(commits: readonly Commit[]) {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const line: Commit[] = [];
  let commit = commits.at(-1);
  while (commit) {
    line.unshift(commit);
    commit = bySha.get(commit.parents[0] ?? '');
  }
  return line;
}

type Finder = ReturnType<typeof createFinder>;

/** Finds the merged pull requests of commits. */
function createFinder({ github, clock }: PushReading) {
  let requestsLeft = maxRequests;
  const known = new Map<number, PullRequest | undefined>();

  async function readPull(number: number) {
    if (known.has(number) || requestsLeft === 0) return known.get(number);
    requestsLeft -= 1;
    const pull = await github.readPullRequest(number);
    known.set(number, pull);
    return pull;
  }

  async function findListed(sha: string) {
    if (requestsLeft === 0) return undefined;
    requestsLeft -= 1;
    const pulls = await github.pullRequestsOf(sha);
    return pulls.find(({ state }) => state === 'merged');
  }

  return {
    requestsLeft: () => requestsLeft,

    /** By the commit's subject, or else GitHub's index, which is checked again after `waitsMs`. */
    async find(commit: Pick<Commit, 'sha' | 'message'>, waitsMs: readonly number[] = []) {
      // Unlike GitHub's index, the subject of a merge commit is there right after the merge.
      const number = numberIn(commit.message);
      if (number !== undefined) {
        const named = await readPull(Number(number));
        if (named?.mergeCommitSha === commit.sha) return named;
      }
      let listed = await findListed(commit.sha);
      for (const waitMs of waitsMs) {
        if (listed) break;
        await clock.sleep(waitMs);
        listed = await findListed(commit.sha);
      }
      return listed && readPull(listed.number);
    },
  };
}

/** The number that the subject of a merge or squash names. */
function numberIn(message: string) {
  const [subject = ''] = message.split('\n', 1);
  const syntax = /(?<=^Merge pull request #)\d{1,15}(?= from )|(?<=\(#)\d{1,15}(?=\)\s*$)/;
  return subject.match(syntax)?.[0];
}
