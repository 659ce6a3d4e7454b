/** What GitHub says of changes, as the plain data that `context` is made of. Its authors may be strangers. */

/** A GitHub account. */
export interface Person {
  readonly login: string;
  readonly isBot: boolean;
}

/** Text as its readers see it: GitHub's `body_text`, without comments that are not rendered. */
export interface WrittenText {
  /** The source, to be compared with what an event carried. */
  readonly source: string;
  readonly rendered: string;
}

/** An issue, or what a pull request has in common with one. */
export interface Issue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: WrittenText;
  readonly author: Person;
  /** Whether the author is neither owner, member nor collaborator. */
  readonly isFromOutside: boolean;
  readonly labels: readonly string[];
}

export interface PullRequest extends Issue {
  readonly isOpen: boolean;
  /** How many files it changes, which may be more than GitHub lists. */
  readonly changedFiles: number;
  readonly isMerged: boolean;
  /** The commit on the base branch that the merge made: a merge, a squash, or the last of a rebase; `undefined` before. */
  readonly mergeCommitSha: string | undefined;
  readonly headSha: string;
  readonly headRef: string;
  readonly baseSha: string;
  readonly baseRef: string;
}

/** A pull request as GitHub's lists have it. */
export type ListedPullRequest = Omit<PullRequest, 'body' | 'changedFiles'>;

/** One file of a change. */
export interface ChangedFile {
  readonly path: string;
  /** Its name before, where it was renamed or copied. */
  readonly oldPath: string | undefined;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged';
  /**
   * `undefined` where GitHub does not say: binaries, files whose content stayed, only names known, and files past the limit
   * of an answer (about 20,000 lines of patches), for which it says 0 (GitHub community discussion 213491).
   */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  /** The hunks of a unified diff; `undefined` where GitHub gives none: binary, too large, or only the names are known. */
  readonly patch: string | undefined;
  /** How many hunks its patch had, if we dropped it because it could not be sent. */
  readonly hunksLetGo?: number;
}

/** The files of a change, each once, in GitHub's order. */
export interface FileList {
  readonly files: readonly ChangedFile[];
  /** Whether these are certainly all: only then does a missing file mean that it did not change. */
  readonly isWhole: boolean;
}

export interface Commit {
  readonly sha: string;
  /** For a merge, the branch that it was merged into comes first. */
  readonly parents: readonly string[];
  readonly message: string;
  readonly committedAtMs: number;
}

/** Two points of the history and what lies between them. */
export interface Comparison extends FileList {
  /** The head, compared with the base. */
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  /** The commits that the head has and the base has not, the oldest first; the last 250 where there are more. */
  readonly commits: readonly Commit[];
  readonly totalCommits: number;
}

export interface Release {
  readonly tag: string;
  /** Its title; the tag where it has none. */
  readonly name: string;
  readonly isPrerelease: boolean;
  readonly url: string;
  readonly notes: WrittenText;
  readonly author: Person;
  readonly publishedAtMs: number;
}

/** A release as GitHub's list has it. */
export type ListedRelease = Omit<Release, 'notes'>;
