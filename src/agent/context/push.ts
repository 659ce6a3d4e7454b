import type { Clock } from '../../core/clock.ts';
import type { Commit, Comparison, PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import { shortCode } from '../../text/markdown.ts';

/** GitHub's index of commits and pull requests lags behind a push: five looks within 30 s. */
const indexLooksMs = [2_000, 4_000, 8_000, 16_000];
/** The commits beyond are told without their pull requests. */
const mostLookedUp = 20;

/** A push as the repository knows it. */
export interface Pushed {
  /** What came with it; `undefined` where there is nothing to compare with. */
  readonly comparison: Comparison | undefined;
  /** The pull request whose merge it is, where it holds nothing else: a merge queue pushes several at once. */
  readonly pullRequest: PullRequest | undefined;
}

interface Reading {
  readonly github: GitHub;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads what a push brought, and the pull request that it merged. @throws GitHubError, or the signal's reason. */
export async function readPush({ before, after, message }: PushEvent, reading: Reading): Promise<Pushed> {
  const { github, signal } = reading;
  if (/^0+$/.test(before)) return { comparison: undefined, pullRequest: undefined };
  const comparison = await github.compare(before, after, signal);
  if (comparison === undefined) {
    await expectReadable(after, reading);
    return { comparison, pullRequest: undefined };
  }
  const merged = await findMerged(after, message, reading);
  const isAll = merged !== undefined && (await isWholePush(merged, before, comparison, reading));
  return { comparison, pullRequest: isAll ? merged : undefined };
}

/**
 * Makes sure that what was just pushed can be read, so that what cannot is the commit before: of a private repository GitHub
 * tells a token that may not see it, too, that there is no such thing (REST documentation, "Troubleshooting the REST API").
 */
async function expectReadable(sha: string, { github, signal }: Reading): Promise<void> {
  if ((await github.readCommit(sha, signal)) === undefined)
    throw new GitHubError(
      `GitHub shows this token no commit ${shortCode(sha)}: it needs \`contents: read\` on this repository`,
    );
}

/** The merged pull requests in a range. */
export interface MergedIn {
  readonly pullRequests: readonly PullRequest[];
  /** Whether the range is these and nothing besides. */
  readonly isAll: boolean;
}

/**
 * The pull requests that were merged between two points, as far as GitHub confirms it: of each commit of the branch itself
 * the one that its subject names, else the one that GitHub associates with it. At most so many commits are looked up.
 */
export async function mergedIn(comparison: Comparison, reading: Reading): Promise<MergedIn> {
  const { commits, totalCommits } = comparison;
  const line = branchLine(commits);
  const found = new Map<number, PullRequest>();
  let isAll = commits.length === totalCommits && line.length > 0;
  for (const [nth, commit] of line.entries()) {
    const pull = nth < mostLookedUp ? await mergedAs(commit, [...found.values()], reading) : undefined;
    if (pull === undefined) isAll = false;
    else found.set(pull.number, pull);
  }
  return { pullRequests: [...found.values()], isAll };
}

/** The commits of the branch itself, the oldest first: those of a branch that was merged into it belong to their merge. */
function branchLine(commits: readonly Commit[]): readonly Commit[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const line: Commit[] = [];
  for (let at = commits.at(-1); at !== undefined; at = bySha.get(at.parents[0] ?? '')) line.unshift(at);
  return line;
}

/** The merged pull request that a commit of the base branch came with. */
async function mergedAs(
  { sha, message }: Commit,
  known: readonly PullRequest[],
  { github, signal }: Reading,
): Promise<PullRequest | undefined> {
  const named = numberIn(message);
  if (named !== undefined) {
    const pull = await github.readPullRequest(named, signal);
    if (pull?.isMerged === true && pull.mergeCommitSha === sha) return pull;
  }
  const listed = (await github.pullRequestsOf(sha, signal)).find(({ isMerged }) => isMerged);
  if (listed === undefined) return undefined;
  return (
    known.find(({ number }) => number === listed.number) ?? github.readPullRequest(listed.number, signal)
  );
}

/** The pull request whose merge ended in a commit. Its message is tried first: a number there needs no waiting. */
async function findMerged(
  sha: string,
  message: string,
  { github, clock, signal }: Reading,
): Promise<PullRequest | undefined> {
  const named = numberIn(message);
  if (named !== undefined) {
    const pull = await github.readPullRequest(named, signal);
    if (pull?.isMerged === true && pull.mergeCommitSha === sha) return pull;
  }
  for (const waitMs of [...indexLooksMs, undefined]) {
    const pulls = await github.pullRequestsOf(sha, signal);
    const listed = pulls.find(({ isMerged, mergeCommitSha }) => isMerged && mergeCommitSha === sha);
    if (listed !== undefined) return github.readPullRequest(listed.number, signal);
    if (waitMs !== undefined) await clock.sleep(waitMs, signal);
  }
  return undefined;
}

/** Whether a merge is all that was pushed. */
async function isWholePush(
  { number }: PullRequest,
  before: string,
  { commits, totalCommits }: Comparison,
  { github, signal }: Reading,
): Promise<boolean> {
  // A merge and a squash stand right on what was there before.
  if (commits.at(-1)?.parents[0] === before) return true;
  // Of a rebase every commit is the pull request's, the oldest too.
  const [oldest] = commits;
  if (oldest === undefined || commits.length < totalCommits) return false;
  const pulls = await github.pullRequestsOf(oldest.sha, signal);
  return pulls.some((pull) => pull.number === number);
}

/** The pull request that a commit's subject names as GitHub writes it: `Title (#12)`, or `Merge pull request #12 from …`. */
function numberIn(message: string): number | undefined {
  const [subject = ''] = message.split('\n');
  const number =
    subject.match(/^Merge pull request #(\d{1,15}) from /)?.[1] ?? subject.match(/\(#(\d{1,15})\)\s*$/)?.[1];
  return number === undefined ? undefined : Number(number);
}
