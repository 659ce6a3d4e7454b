import { ActionError, type ActionErrorOptions } from '../lib/errors.ts';

interface GitHubErrorOptions extends ActionErrorOptions {
  readonly status?: number | undefined;
  readonly limitMs?: number | undefined;
}

/** A call to GitHub that did not succeed. */
export class GitHubError extends ActionError {
  override readonly name = 'GitHubError';
  /** The HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  /** How long a rate limit keeps us away, in milliseconds; `undefined` where there is none. */
  readonly limitMs: number | undefined;

  constructor(message: string, options: GitHubErrorOptions = {}) {
    super('github-error', message, options);
    this.status = options.status;
    this.limitMs = options.limitMs;
  }

  /** The token lacks a permission, or the thread is locked: trying again does not help. */
  get forbidden(): boolean {
    return this.status === 403 && this.limitMs === undefined;
  }
}

/** What a call to GitHub lacked, in the words of a workflow's `permissions`; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  return 'The token may not write in this thread: it needs `issues: write` (on a pull request `pull-requests: write` will do), and the thread must not be locked';
}
