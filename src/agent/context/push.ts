import type { DepsWithGitHub } from '../../deps.ts';
import type { Commit, Comparison, PullRequest } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import { shortCode } from '../../text/markdown.ts';

/** GitHub's index of commits and pull requests lags behind a push, so it is checked five times within 30 s. */
const indexWaitsMs = [2_000, 4_000, 8_000, 16_000];
const maxLookedUp = 20;

export type PushReading = Pick<DepsWithGitHub, 'clock' | 'github'>;

export type Pushed = Awaited<ReturnType<typeof readPush>>;

/** A push's commits, and the pull request that it merged; none if it contains anything else. @throws GitHubError */
export async function readPush({ before, after, message }: PushEvent, reading: PushReading) {
  const { github } = reading;
  if (/^0+$/.test(before)) return {};
  const comparison = await github.compare(before, after);
  if (comparison === undefined) {
    // GitHub also responds with 404 if the token can't see the repository ("Troubleshooting the REST API").
    if ((await github.readCommit(after)) !== undefined) return {};
    const hint = 'It needs `contents: read` on this repository.';
    throw new GitHubError(`The token can’t see the commit ${shortCode(after)}`, { hint });
  }
  const merged = await mergedAs({ sha: after, message }, reading, indexWaitsMs);
  const line = branchLine(comparison.commits);
  const [oldest] = line;
  if (merged === undefined || oldest?.parents[0] !== before) return { comparison };
  // If the pull request was merged by a rebase, the oldest commit of the push also belongs to it.
  const isAll = line.length === 1 || (await mergedAs(oldest, reading))?.number === merged.number;
  return { comparison, pullRequest: isAll ? merged : undefined };
}

/** The merged pull requests that GitHub confirms for a range of commits. `isAll`: the range contains nothing else. */
export async function mergedIn(comparison: Comparison | undefined, reading: PushReading) {
  const { commits, totalCommits } = comparison ?? { commits: [], totalCommits: 0 };
  const line = branchLine(commits);
  const found = await Array.fromAsync(line.slice(0, maxLookedUp), (commit) =>
    mergedAs(commit, reading),
  );
  const pulls = new Map(found.flatMap((pull) => (pull ? [[pull.number, pull]] : [])));
  const isWhole = commits.length === totalCommits && line.length === found.length;
  return {
    pullRequests: [...pulls.values()],
    isAll: isWhole && pulls.size > 0 && !found.includes(undefined),
  };
}

/** The commits on the branch itself, oldest first, without the commits of merged branches. */
function branchLine(commits: readonly Commit[]): readonly Commit[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const line: Commit[] = [];
  for (let at = commits.at(-1); at !== undefined; at = bySha.get(at.parents[0] ?? ''))
    line.unshift(at);
  return line;
}

/** The merged pull request of a commit, by its subject or else GitHub's index, which is checked again after each of `waitsMs`. */
async function mergedAs(
  { sha, message }: Pick<Commit, 'sha' | 'message'>,
  { github, clock }: PushReading,
  waitsMs: readonly number[] = [],
): Promise<PullRequest | undefined> {
  // Unlike GitHub's index, the subject of a merge commit is there right after the merge.
  const [subject = ''] = message.split('\n');
  const [, merge, squash] =
    subject.match(/^Merge pull request #(\d{1,15}) from |\(#(\d{1,15})\)\s*$/) ?? [];
  const number = merge ?? squash;
  const named = number === undefined ? undefined : await github.readPullRequest(Number(number));
  if (named?.mergeCommitSha === sha) return named;
  for (const waitMs of [...waitsMs, undefined]) {
    const listed = (await github.pullRequestsOf(sha)).find(({ state }) => state === 'merged');
    if (listed !== undefined) return github.readPullRequest(listed.number);
    if (waitMs !== undefined) await clock.sleep(waitMs);
  }
  return undefined;
}
