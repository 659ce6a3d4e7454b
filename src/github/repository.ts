import type {
  Commit,
  Comparison,
  FileList,
  Issue,
  ListedPullRequest,
  ListedRelease,
  PullRequest,
  Release,
} from './changes.ts';
import type { ThreadComment } from './schemas.ts';

/** A comment found without knowing its thread. */
export interface RepositoryComment extends ThreadComment {
  /** The number of the issue or pull request that it stands in. */
  readonly thread: number;
}

/** A pull request of any repository on the same server. */
export interface PullRequestRef {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/**
 * What is read of the repository itself. Every method throws `GitHubError`, or the signal's reason; `missingReadPermission`
 * tells what a refused one lacked (GitHub's documentation, "Permissions required for GitHub Apps").
 */
export interface Repository {
  /** `undefined` where there is no such pull request. */
  readPullRequest(number: number, signal: AbortSignal): Promise<PullRequest | undefined>;
  /** An issue, or what a pull request has in common with one; `undefined` where there is none. */
  readIssue(number: number, signal: AbortSignal): Promise<Issue | undefined>;
  /** The files of a pull request, of which GitHub lists 3,000 at most ("List pull requests files"). */
  readPullRequestFiles(
    pullRequest: Pick<PullRequest, 'number' | 'changedFiles'>,
    signal: AbortSignal,
  ): Promise<FileList>;
  /**
   * The pull requests that GitHub associates with a commit: of one on the default branch, the merged one that brought it; of
   * any other, open ones too. None where the commit is unknown. The index may lag behind a push by seconds.
   */
  pullRequestsOf(sha: string, signal: AbortSignal): Promise<readonly ListedPullRequest[]>;
  /**
   * What the head has changed since it left the base ("three dots"); `undefined` where one of them is gone, or nothing
   * connects them. GitHub lists 300 files without saying that it cut ("Compare two commits"): then the two trees tell the
   * names of the others.
   */
  compare(base: string, head: string, signal: AbortSignal): Promise<Comparison | undefined>;
  /** The commit that a branch, a tag or a SHA stands for; `undefined` where there is none. */
  readCommit(ref: string, signal: AbortSignal): Promise<Commit | undefined>;
  /** The newest commit of a branch, tag or SHA that was committed by then; `undefined` where there is none. */
  lastCommitBefore(ref: string, untilMs: number, signal: AbortSignal): Promise<Commit | undefined>;
  /** The published release of a tag; `undefined` where there is none. */
  readRelease(tag: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The first 100 releases of GitHub's list less the drafts, the last published first. Their order there is not documented. */
  readReleases(signal: AbortSignal): Promise<readonly ListedRelease[]>;
  /** The comments of all threads that were written or edited since a time, the last edited first, at most so many pages of 100. */
  readRepositoryComments(
    options: { readonly sinceMs: number; readonly maxPages: number },
    signal: AbortSignal,
  ): Promise<{ readonly comments: readonly RepositoryComment[]; readonly isWhole: boolean }>;
  /** Whether a pull request is open; `unseen` where by GitHub's own words the token cannot see it (403, 404). */
  isPullRequestOpen(
    pullRequest: PullRequestRef,
    signal: AbortSignal,
  ): Promise<'open' | 'closed' | 'unseen'>;
}
