import type { Commit, FileList, Issue, Person, PullRequest, Release } from '../../github/changes.ts';
import type { GitHubError } from '../../github/errors.ts';

/** What a request is about, as read from GitHub: the data for the agent, and what decides whether it is asked. */
export interface Change {
  /** What happened, as the rest of a sentence. */
  readonly happened: string;
  /** The version that was read: a pull request's head, a digest of an issue's words. `undefined` if part of it is missing. */
  readonly head: string | undefined;
  /** The issue or pull request to send. */
  readonly thread: ThreadWords | undefined;
  readonly release: Release | undefined;
  /** The pull requests found in a push or a range. */
  readonly pullRequests: readonly Pick<PullRequest, 'number' | 'title' | 'author' | 'isFromOutside'>[];
  /** The pull requests that the change consists of; none if it contains anything else. */
  readonly consistsOf: readonly JudgedPullRequest[];
  /** The commits that GitHub lists, oldest first. */
  readonly commits: readonly Commit[];
  readonly totalCommits: number;
  /** `undefined` if the files weren't read, or aren't sent. */
  readonly files: FileList | undefined;
  /** Whether there is something to compare with: not at a branch's first push, nor after a force push. */
  readonly hasBase: boolean;
  /** Who pushed it; `undefined` if it wasn't pushed, or the push only merged pull requests. */
  readonly pusher: Person | undefined;
  /** The whole message of the newest commit, where it may ask to skip the docs. */
  readonly headMessage: string | undefined;
  /** Why the files couldn't be read, if the request goes out without them. */
  readonly unread: GitHubError | undefined;
}

/** The words of an issue or pull request. */
export interface ThreadWords {
  readonly issue: Issue;
  /** Whether its body was edited after the event: the person who asked hasn't read the new one, so it isn't sent. */
  readonly isBodyEdited: boolean;
}

export interface JudgedPullRequest extends Pick<PullRequest, 'title' | 'body' | 'labels' | 'author'> {
  /** Whether one of our own cards names it as a job's. */
  readonly isOwn: boolean;
}

/** A change of which nothing is known yet. */
export const unknownChange: Change = {
  happened: '',
  head: undefined,
  thread: undefined,
  release: undefined,
  pullRequests: [],
  consistsOf: [],
  commits: [],
  totalCommits: 0,
  files: undefined,
  hasBase: true,
  pusher: undefined,
  headMessage: undefined,
  unread: undefined,
};
