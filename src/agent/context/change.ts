import type { Commit, FileList, Issue, Person, PullRequest, Release } from '../../github/changes.ts';
import type { GitHubError } from '../../github/errors.ts';

/** What a request is about, as read from GitHub: the data for the agent, and what decides whether it is asked. */
export interface Change {
  /** What happened, as the rest of a sentence. */
  readonly happened: string;
  /** The version that was read: a pull request's head, a digest of an issue's words. Missing if part of it is. */
  readonly head?: string;
  /**
   * The issue or pull request to send. If its body was edited after the event, the person who asked hasn't read the new one, so
   * the body isn't sent.
   */
  readonly thread?: (Issue & { readonly isBodyEdited: boolean }) | undefined;
  readonly release?: Release;
  /** The pull requests found in a push or a range. */
  readonly pullRequests?: readonly Pick<PullRequest, 'number' | 'title' | 'author' | 'isFromOutside'>[];
  /** The pull requests that the change consists of; none if it contains anything else. */
  readonly consistsOf?: readonly JudgedPullRequest[];
  /** The commits that GitHub lists, oldest first. */
  readonly commits?: readonly Commit[];
  readonly totalCommits?: number;
  /** Missing if the files weren't read, or aren't sent. */
  readonly files?: FileList;
  /** `false` at a branch's first push and after a force push: there is nothing to compare with. */
  readonly hasBase?: boolean;
  /** Who pushed it; `undefined` if it wasn't pushed, or the push only merged pull requests. */
  readonly pusher?: Person | undefined;
  /** The whole message of the newest commit, where it may ask to skip the docs. */
  readonly headMessage?: string | undefined;
  /** Why the files couldn't be read, if the request goes out without them. */
  readonly unread?: GitHubError;
}

export interface JudgedPullRequest extends Pick<PullRequest, 'title' | 'body' | 'labels' | 'author'> {
  /** Whether one of our own cards names it as a job's. */
  readonly isOwn: boolean;
}
