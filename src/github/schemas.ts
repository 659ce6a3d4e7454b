/** A comment of an issue or pull request. */
export interface ThreadComment {
  readonly id: number;
  readonly body: string;
  readonly login: string;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** When it was last written, in milliseconds since the epoch. */
  readonly editedAtMs: number;
  /** Whether it was never edited. */
  readonly unedited: boolean;
}

/** A comment from a list of the whole repository. */
export interface RepositoryComment extends ThreadComment {
  /** The number of the issue or pull request that it is in. */
  readonly thread: number;
}
