import { ActionError, type ActionErrorOptions } from '../core/errors.ts';
import { shortCode } from '../text/markdown.ts';

/** What a read may lack, in the words of a workflow's `permissions`. */
export type ReadPermission = 'contents: read' | 'issues: read' | 'pull-requests: read';

interface GitHubErrorOptions extends ActionErrorOptions {
  readonly status?: number | undefined;
  readonly limitMs?: number | undefined;
  readonly isOwnWords?: boolean | undefined;
  readonly needs?: ReadPermission | undefined;
}

/** A call to GitHub that failed. */
export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  /** How long a rate limit keeps us away, in milliseconds; `undefined` where there is none. */
  readonly limitMs: number | undefined;
  /** Whether GitHub itself answered, and not something in between, such as a proxy. */
  readonly isOwnWords: boolean;
  /** The permission that the request takes, if it is a read of the repository. */
  readonly needs: ReadPermission | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
    this.isOwnWords = options.isOwnWords ?? false;
    this.needs = options.needs;
  }

  /** GitHub itself says that the token lacks a permission, or the thread is locked: trying again does not help. */
  get forbidden(): boolean {
    return this.status === 403 && this.limitMs === undefined && this.isOwnWords;
  }

  /** GitHub itself says that the thread is locked: others may still be writable. */
  get isLocked(): boolean {
    return this.forbidden && /\blocked\b/i.test(this.message);
  }
}

/** What a call to GitHub lacked, in the words of a workflow's `permissions`; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  if (error.isLocked) return 'The thread is locked, so nothing can be written there';
  return 'The token can’t write in this thread: add `issues: write` (on a pull request `pull-requests: write`) under `permissions:` of this job';
}

/**
 * The error for a thread, named by the `thread` input, that could not be read: there is none of this number, it was deleted
 * (410), or the token can't see it. `undefined` for any other error.
 */
export function missingThread(cause: unknown, number: number, repository: string): GitHubError | undefined {
  if (!(cause instanceof GitHubError) || (cause.status !== 404 && cause.status !== 410)) return undefined;
  const where = `${number} in ${shortCode(repository)}`;
  return new GitHubError(
    `\`thread\`: there is no issue or pull request ${where}, or the token can’t read it`,
    { status: cause.status, cause },
  );
}

/**
 * The permission that a refused read of the repository lacked; `undefined` for any other error. GitHub answers 403,
 * "Resource not accessible by integration", if it does not hide what is there ("Troubleshooting the REST API"); in a private
 * repository it may answer 404, as for something that does not exist.
 */
export function missingReadPermission(error: unknown): ReadPermission | undefined {
  return error instanceof GitHubError && error.forbidden ? error.needs : undefined;
}
