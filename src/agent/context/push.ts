import type { DepsWithGitHub } from '../../deps.ts';
import type { Commit, Comparison, PullRequest } from '../../github/changes.ts';
import type { PushEvent } from '../../github/event.ts';

/**
 * GitHub's index of commits and pull requests lags behind a push, so it is checked five times
 * within 30 s.
 */
const indexWaitsMs = [2_000, 4_000, 8_000, 16_000];
const maxCommits = 20;

export type PushReading = Pick<DepsWithGitHub, 'clock' | 'github'>;

export type Pushed = Awaited<ReturnType<typeof readPush>>;

/**
 * Reads a push's commits, and the pull request that it merged; none if it contains anything else.
 * @throws GitHubError
 */
export async function readPush(push: PushEvent, reading: PushReading) {
  const { github } = reading;
  const isNewBranch = /^0+$/.test(push.before);
  if (isNewBranch) return {};
  const comparison = await github.compare(push.before, push.after);
  if (comparison) return { comparison, pullRequest: await findMergedBy(push, comparison, reading) };
  // Either the preceding commit is gone, or the token can't see the repository. Then this throws.
  await github.readCommit(push.after);
  return {};
}

async function findMergedBy(push: PushEvent, comparison: Comparison, reading: PushReading) {
  const newest = { sha: push.after, message: push.message };
  const merged = await findMergedAs(newest, reading, indexWaitsMs);
  const line = branchLine(comparison.commits);
  const [oldest] = line;
  if (!merged || oldest?.parents[0] !== push.before) return undefined;
  if (line.length === 1) return merged;
  // If the pull request was merged by a rebase, the oldest commit of the push also belongs to it.
  const mergedFirst = await findMergedAs(oldest, reading);
  if (mergedFirst?.number !== merged.number) return undefined;
  return merged;
}

/**
 * The merged pull requests that GitHub confirms for a range of commits. `isAll`: the range contains
 * nothing else.
 */
export async function findMerged(comparison: Comparison | undefined, reading: PushReading) {
  if (!comparison) return { pullRequests: [], isAll: false };
  const { commits, totalCommits } = comparison;
  const line = branchLine(commits);
  const pulls = new Map<number, PullRequest>();
  let isAll = commits.length === totalCommits && line.length <= maxCommits;
  for (const commit of line.slice(0, maxCommits)) {
    const pull = await findMergedAs(commit, reading);
    if (pull) pulls.set(pull.number, pull);
    else isAll = false;
  }
  return { pullRequests: [...pulls.values()], isAll: isAll && pulls.size > 0 };
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
 * The merged pull request of a commit, by its subject or else GitHub's index, which is checked
 * again after each of `waitsMs`.
 */
async function findMergedAs(
  commit: Pick<Commit, 'sha' | 'message'>,
  { github, clock }: PushReading,
  waitsMs: readonly number[] = [],
) {
  // Unlike GitHub's index, the subject of a merge commit is there right after the merge.
  const number = numberIn(commit.message);
  if (number !== undefined) {
    const named = await github.readPullRequest(Number(number));
    if (named?.mergeCommitSha === commit.sha) return named;
  }
  const findListed = async () => {
    const pulls = await github.pullRequestsOf(commit.sha);
    return pulls.find(({ state }) => state === 'merged');
  };
  let listed = await findListed();
  for (const waitMs of waitsMs) {
    if (listed) break;
    await clock.sleep(waitMs);
    listed = await findListed();
  }
  return listed && github.readPullRequest(listed.number);
}

/** The number that the subject of a merge or squash names. */
function numberIn(message: string) {
  const [subject = ''] = message.split('\n', 1);
  const syntax = /(?<=^Merge pull request #)\d{1,15}(?= from )|(?<=\(#)\d{1,15}(?=\)\s*$)/;
  return subject.match(syntax)?.[0];
}
