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

/** What a push contains; nothing if there is nothing to compare it with. */
export interface Pushed {
  readonly comparison?: Comparison;
  /** The pull request that it merged, if it contains nothing else. */
  readonly pullRequest?: PullRequest;
  /** Otherwise, all pull requests in it. */
  readonly merged?: Awaited<ReturnType<typeof findMerged>>;
}

/** Reads a push's commits and pull requests. @throws GitHubError */
export async function readPush(push: PushEvent, reading: PushReading): Promise<Pushed> {
  const { github } = reading;
  const isNewBranch = /^0+$/.test(push.before);
  if (isNewBranch) return {};
  const comparison = await github.compare(push.before, push.after);
  if (comparison) return readMerges(push, comparison, reading);
  // Either the preceding commit is gone, or the token can't see the repository. Then this throws.
  await github.readCommit(push.after);
  return {};
}

async function readMerges(
  push: PushEvent,
  comparison: Comparison,
  reading: PushReading,
): Promise<Pushed> {
  const line = branchLine(comparison.commits);
  const beginsAtBase = line[0]?.parents[0] === push.before;
  const isMergeCommit = (line[0]?.parents.length ?? 0) > 1;
  // A stack of pull requests may be merged by one merge commit, whose subject names one of them.
  const isAlone = (pull: PullRequest) => {
    if (line.length > 1) return push.ref === `refs/heads/${pull.baseRef}`;
    return !isMergeCommit || pull.changedFiles >= comparison.files.length;
  };
  const finder = createFinder(reading, isAlone);
  const newest = { ...line.at(-1), sha: push.after, message: push.message };
  const [pullRequest, ...others] = await finder.find(newest, indexWaitsMs);
  if (pullRequest && others.length === 0 && beginsAtBase) {
    if (line.length === 1 && isAlone(pullRequest)) return { comparison, pullRequest };
    // If the pull request was merged by a rebase, the oldest commit of the push also belongs to it.
    const ofOldest = line.length > 1 && line[0] ? await finder.find(line[0]) : [];
    if (ofOldest[0]?.number === pullRequest.number) return { comparison, pullRequest };
  }
  const merged = await findMerged(comparison, reading, finder);
  return { comparison, merged: { ...merged, isAll: merged.isAll && beginsAtBase } };
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
    const pulls = await finder.find(commit);
    for (const pull of pulls.toReversed()) found.set(pull.number, pull);
    if (pulls.length > 0) continue;
    if (finder.requestsLeft() === 0) unread.push(numberIn(commit.message));
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

/**
 * Finds the merged pull requests of commits. `isAlone`: whether a merge commit that names this one
 * contains no others.
 */
function createFinder({ github, clock }: PushReading, isAlone = (_: PullRequest) => true) {
  let requestsLeft = maxRequests;
  const known = new Map<number, PullRequest | undefined>();
  const found = new Map<string, readonly PullRequest[]>();

  async function readPull(number: number) {
    if (known.has(number) || requestsLeft === 0) return known.get(number);
    requestsLeft -= 1;
    const pull = await github.readPullRequest(number);
    known.set(number, pull);
    return pull;
  }

  /** Those that GitHub's index lists: of several, all that this commit merged. */
  async function readListed(sha: string) {
    if (requestsLeft === 0) return [];
    requestsLeft -= 1;
    const merged = (await github.pullRequestsOf(sha)).filter(({ state }) => state === 'merged');
    const byThis = merged.filter(({ mergeCommitSha }) => mergeCommitSha === sha);
    const listed = byThis.length > 0 ? byThis : merged.slice(0, 1);
    const pulls: PullRequest[] = [];
    for (const { number } of listed.sort((one, other) => one.number - other.number)) {
      const pull = await readPull(number);
      if (pull) pulls.push(pull);
    }
    return pulls;
  }

  /** Checks the index again after each of `waitsMs`. */
  async function awaitListed(sha: string, waitsMs: readonly number[]) {
    let listed = await readListed(sha);
    for (const waitMs of waitsMs) {
      if (listed.length > 0) break;
      await clock.sleep(waitMs);
      listed = await readListed(sha);
    }
    return listed;
  }

  async function find({ sha, message, parents = [] }: Sought, waitsMs: readonly number[]) {
    // Unlike GitHub's index, the subject of a merge commit is there right after the merge.
    const number = numberIn(message);
    const named = number === undefined ? undefined : await readPull(Number(number));
    if (named?.mergeCommitSha !== sha) return awaitListed(sha, waitsMs);
    if (parents.length < 2 || isAlone(named)) return [named];
    const listed = await awaitListed(sha, waitsMs);
    return listed.length > 0 ? listed : [named];
  }

  return {
    requestsLeft: () => requestsLeft,

    /** The pull requests of a commit, by its subject or else GitHub's index, the newest last. */
    async find(commit: Sought, waitsMs: readonly number[] = []) {
      const pulls = found.get(commit.sha) ?? (await find(commit, waitsMs));
      found.set(commit.sha, pulls);
      return pulls;
    },
  };
}

type Sought = Pick<Commit, 'sha' | 'message'> & Partial<Pick<Commit, 'parents'>>;

/** The number that the subject of a merge or squash names. */
function numberIn(message: string) {
  const [subject = ''] = message.split('\n', 1);
  const syntax = /(?<=^Merge pull request #)\d{1,15}(?= from )|(?<=\(#)\d{1,15}(?=\)\s*$)/;
  return subject.match(syntax)?.[0];
}
