import type { Commit, Comparison, PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import type { PushEvent } from '../../github/event.ts';
import type { Clock } from '../../lib/clock.ts';

/** GitHub's index of commits and pull requests lags behind a push: five looks within 30 s. */
const indexLooksMs = [2_000, 4_000, 8_000, 16_000];
/** More pull requests than this are told by their commits alone. */
const mostNamed = 20;

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
  if (comparison === undefined) return { comparison, pullRequest: undefined };
  const merged = await findMerged(after, message, reading);
  const isAll = merged !== undefined && (await isWholePush(merged, before, comparison, reading));
  return { comparison, pullRequest: isAll ? merged : undefined };
}

/** The pull requests that the commits of a push or a range name, as far as GitHub confirms it. */
export async function pullRequestsIn(
  { commits }: Comparison,
  { github, signal }: Reading,
): Promise<PullRequest[]> {
  const found: PullRequest[] = [];
  for (const number of namedIn(commits).slice(0, mostNamed)) {
    const pull = await github.readPullRequest(number, signal);
    if (commits.some(({ sha }) => sha === pull?.mergeCommitSha) && pull?.isMerged === true) found.push(pull);
  }
  return found;
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

function namedIn(commits: readonly Commit[]): number[] {
  const numbers = commits.map(({ message }) => numberIn(message));
  return [...new Set(numbers.filter((number) => number !== undefined))];
}

/** The pull request that a commit's subject names as GitHub writes it: `Title (#12)`, or `Merge pull request #12 from …`. */
function numberIn(message: string): number | undefined {
  const [subject = ''] = message.split('\n');
  const number =
    subject.match(/^Merge pull request #(\d{1,15}) from /)?.[1] ?? subject.match(/\(#(\d{1,15})\)\s*$/)?.[1];
  return number === undefined ? undefined : Number(number);
}
