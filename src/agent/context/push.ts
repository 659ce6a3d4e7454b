import { branchOf } from '../../core/address.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { Commit, Comparison, ListedPull, PullRequest } from '../../github/changes.ts';
import { requireFound } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';

/**
 * GitHub's index of commits and pull requests lags behind a push, so it is checked five times
 * within 30 s.
 */
const indexWaitsMs = [2_000, 4_000, 8_000, 16_000];
/**
 * How many requests look for the pull requests in a push or a range. Those that are left may read
 * the paths of their files.
 */
const maxRequests = 20;

export type PushReading = Pick<DepsWithGitHub, 'clock' | 'github'>;

/** What a push contains; nothing if there is nothing to compare it with. */
export interface Pushed {
  readonly comparison?: Comparison;
  /** The pull request that it merged, if it contains nothing else. */
  readonly pullRequest?: PullRequest | undefined;
  /** Otherwise, the pull requests that were found in it. */
  readonly merged?: Merged;
}

/** The pull requests that were merged in a range of commits. */
export interface Merged {
  /** Oldest first. */
  readonly pullRequests: readonly ListedPull[];
  /** What else is in the range. If it can't be told, there may be more pull requests or commits. */
  readonly rest: 'nothing' | 'commits' | 'unknown';
  readonly requestsLeft: number;
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
  const finder = createFinder(reading);
  // Unlike GitHub's index, the subject of a merge is there right after the merge.
  await finder.readNamed(push.after, push.message);
  await finder.awaitIndex(push.after);
  const branch = branchOf(push.ref);
  const merged = await findMerged(comparison, finder, branch);
  const rest = findRest(merged, comparison, push.before, branch);
  const several = { comparison, merged: { ...merged, rest } };
  const [only, ...others] = merged.pullRequests;
  if (rest !== 'nothing' || only === undefined || others.length > 0) return several;
  const pullRequest = await finder.readMerged(only.number);
  // The requests may have run out.
  if (pullRequest === undefined) return several;
  return { comparison, pullRequest };
}

/** What else a push contains, as far as GitHub lists its commits and pull requests. */
function findRest(
  { pullRequests, rest }: Merged,
  { commits, totalCommits }: Comparison,
  before: string,
  branch: string,
): Merged['rest'] {
  if (rest === 'commits') return 'commits';
  const isLineWhole = branchLine(commits)[0]?.parents[0] === before;
  const isCut = commits.length < totalCommits;
  // The branch was built on another commit than the preceding one, although all are listed.
  if (!isLineWhole && !isCut) return 'commits';
  // GitHub may leave out commits of the branch, although all merges are listed.
  if (!isLineWhole) return 'unknown';
  const isOnUnknown = (pull: ListedPull) =>
    pull.baseRef !== branch && !pull.isIntoDefault && !isStackedOn(pull, pullRequests);
  // There may be another pull request below one that goes into another branch.
  if (pullRequests.some(isOnUnknown)) return 'unknown';
  return rest;
}

/** Finds the merged pull requests in a range of commits. @throws GitHubError */
export async function findMergedIn(comparison: Comparison, reading: PushReading): Promise<Merged> {
  return findMerged(comparison, createFinder(reading), undefined);
}

async function findMerged(
  { commits }: Comparison,
  finder: Finder,
  branch: string | undefined,
): Promise<Merged> {
  // A single commit takes only one request to GitHub's index.
  const recent = commits.length > 1 ? await finder.readRecent() : [];
  let rest: Merged['rest'] = 'nothing';
  const found = new Map<number, ListedPull>();
  let remaining = branchLine(commits).toReversed();
  while (remaining[0]) {
    const [newest, ...older] = remaining;
    const pulls = await finder.find(newest.sha);
    if (pulls.length === 0 && !finder.hasRunOut()) rest = 'commits';
    for (const pull of pulls) found.set(pull.number, pull);
    remaining = older.slice(await finder.countRebased(pulls, older));
  }
  if (rest === 'nothing' && finder.hasRunOut()) rest = 'unknown';

  const top = [...found.values()];
  const inRange = recent.filter(({ headSha }) => commits.some(({ sha }) => sha === headSha));
  const below = branch === undefined ? [] : findBelow(top, inRange, branch);
  const pullRequests = [...top, ...below].reverse();
  return { pullRequests, rest, requestsLeft: finder.requestsLeft() };
}

/**
 * One merge commit may merge a stack. GitHub marks the lower pull requests as merged a little
 * later, or never. Returns them, newest first.
 */
function findBelow(top: readonly ListedPull[], inRange: readonly ListedPull[], branch: string) {
  const stack = [...top];
  const isBelow = (pull: ListedPull) => {
    const { number, state, baseRef, headRef } = pull;
    if (state === 'closed' || stack.some((other) => other.number === number)) return false;
    if (baseRef === branch) return true;
    // One that was merged into the branch below is a part of that branch.
    return state === 'open' && headRef !== branch && isStackedOn(pull, stack);
  };
  let next = inRange.find(isBelow);
  while (next) {
    stack.push(next);
    next = inRange.find(isBelow);
  }
  return newestFirst(stack.slice(top.length));
}

/** Whether a pull request goes into the branch of another one. */
function isStackedOn({ baseRef }: ListedPull, others: readonly ListedPull[]) {
  return others.some(({ headRef, isFromFork }) => !isFromFork && headRef === baseRef);
}

function newestFirst(pulls: readonly ListedPull[]) {
  return pulls.toSorted((one, other) => other.number - one.number);
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

/** Finds the pull requests that commits merged, with a limited number of requests. */
function createFinder({ github, clock }: PushReading) {
  let requestsLeft = maxRequests;
  let hasRunOut = false;
  const listed = new Map<number, ListedPull>();
  const complete = new Map<number, PullRequest | undefined>();
  /** The numbers of the pull requests that a commit merged. */
  const merged = new Map<string, readonly number[]>();

  /** Takes one of the requests. Returns whether there was one. */
  function takeRequest() {
    if (requestsLeft === 0) {
      hasRunOut = true;
      return false;
    }
    requestsLeft -= 1;
    return true;
  }

  /** Reads a pull request once; `undefined` if there is none, or if the requests ran out. */
  async function read(number: number) {
    if (!complete.has(number) && takeRequest())
      complete.set(number, await github.readPullRequest(number));
    return complete.get(number);
  }

  /**
   * Reads a pull request that GitHub says was merged; `undefined` if the requests ran out. Without
   * it, the push would look like one of other commits.
   */
  async function readMerged(number: number) {
    const pull = await read(number);
    if (!complete.has(number)) return undefined;
    return requireFound(pull, `pull request ${number}`, '`pull-requests: read`');
  }

  /** Asks GitHub's index which pull requests a commit merged; `undefined` if the requests ran out. */
  async function askIndex(sha: string) {
    if (!takeRequest()) return undefined;
    const all = (await github.pullRequestsOf(sha)).filter(({ state }) => state === 'merged');
    const byThis = all.filter(({ mergeCommitSha }) => mergeCommitSha === sha);
    // A commit of a rebase isn't the merge commit of its pull request.
    const found = byThis.length > 0 ? byThis : all.slice(0, 1);
    const numbers = found.map(({ number }) => number);
    merged.set(sha, numbers);
    return numbers;
  }

  /** The same, but asks only once. */
  async function lookUp(sha: string) {
    return merged.get(sha) ?? (await askIndex(sha));
  }

  return {
    requestsLeft: () => requestsLeft,

    /** Whether something is unknown because the requests ran out. */
    hasRunOut: () => hasRunOut,

    readMerged,

    /** Reads the pull request that the subject of a merge names. It may be another one. */
    async readNamed(sha: string, message: string) {
      const number = numberIn(message);
      if (number === undefined) return;
      const named = await read(number);
      if (named?.mergeCommitSha === sha) merged.set(sha, [named.number]);
    },

    /** Waits until GitHub's index has a commit, unless the requests run out. */
    async awaitIndex(sha: string) {
      let numbers = await lookUp(sha);
      for (const waitMs of indexWaitsMs) {
        const isMissing = numbers !== undefined && numbers.length === 0;
        if (!isMissing) return;
        await clock.sleep(waitMs);
        numbers = await askIndex(sha);
      }
    },

    /** Reads the pull requests that were updated last. After a push, those that it merged are among them. */
    async readRecent() {
      if (!takeRequest()) return [];
      const recent = await github.readRecentPullRequests();
      for (const pull of recent) listed.set(pull.number, pull);
      for (const { number, mergeCommitSha } of recent) {
        if (mergeCommitSha === undefined) continue;
        const numbers = merged.get(mergeCommitSha) ?? [];
        if (!numbers.includes(number)) merged.set(mergeCommitSha, [...numbers, number]);
      }
      return recent;
    },

    /** The pull requests that a commit merged, newest first. */
    async find(sha: string) {
      const numbers = (await lookUp(sha)) ?? [];
      const found: ListedPull[] = [];
      for (const number of numbers) {
        const pull = listed.get(number) ?? (await readMerged(number));
        if (pull) found.push(pull);
      }
      return newestFirst(found);
    },

    /**
     * How many of the commits before a merge belong to it, because it was a rebase. Only the oldest
     * one is looked up. If the requests ran out, all of them count.
     */
    async countRebased(pulls: readonly ListedPull[], older: readonly Commit[]) {
      const next = older.findIndex(({ sha }) => merged.has(sha));
      const rest = next === -1 ? older : older.slice(0, next);
      const oldest = rest.at(-1);
      if (!oldest || pulls.length === 0) return 0;
      const numbers = await lookUp(oldest.sha);
      const isRebase =
        numbers === undefined || pulls.some(({ number }) => numbers.includes(number));
      return isRebase ? rest.length : 0;
    },
  };
}

/** The number that the subject of a merge or squash names; `undefined` if it names none. */
function numberIn(message: string): number | undefined {
  const [subject = ''] = message.split('\n', 1);
  const syntax = /(?<=^Merge pull request #)\d{1,15}(?= from )|(?<=\(#)\d{1,15}(?=\)\s*$)/;
  const digits = subject.match(syntax)?.[0];
  return digits === undefined ? undefined : Number(digits);
}
