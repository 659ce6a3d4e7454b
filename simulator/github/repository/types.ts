/** A file at one commit. */
export interface GitFile {
  /** The same for two files with the same content. */
  readonly blob: string;
  readonly mode: string;
  /** `undefined` for a binary, and for a submodule. */
  readonly text: string | undefined;
}

/** All files of a commit, by their path. */
export type GitTree = ReadonlyMap<string, GitFile>;

export interface GitCommit {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The first is the branch that it was committed to. */
  readonly parents: readonly string[];
  readonly tree: GitTree;
  readonly treeSha: string;
}
