import type { Commit, FileList, Issue, PullRequest, Release } from '../../github/changes.ts';

/** What happened, for the sentence that the data begins with. */
export type Happening =
  | { readonly kind: 'issue'; readonly number: number }
  | {
      readonly kind: 'pull-request';
      readonly pullRequest: Pick<PullRequest, 'number' | 'isOpen' | 'isMerged' | 'headSha' | 'baseRef'>;
    }
  | { readonly kind: 'push'; readonly branch: string; readonly before: string; readonly after: string }
  /** `since`: the tag of the release before it; `undefined` where there is none. */
  | { readonly kind: 'release'; readonly tag: string; readonly since: string | undefined }
  /** From `changes-since`, as the user wrote it, to what now stands at `head`. */
  | { readonly kind: 'since'; readonly since: string; readonly head: string };

/** What a request is about, as far as it was asked for and could be read. */
export interface Subject {
  /** `owner/name`, and its address. */
  readonly repository: { readonly name: string; readonly url: string };
  readonly happened: Happening;
  /** The issue or pull request whose words travel. */
  readonly thread:
    | {
        readonly issue: Issue;
        /** Whether its body was edited after the event: nobody who asked has read the new one, so it is left out. */
        readonly isBodyEdited: boolean;
      }
    | undefined;
  /** The release whose notes travel. */
  readonly release: Release | undefined;
  /** The pull requests that a push or a range holds. */
  readonly pullRequests: readonly Pick<PullRequest, 'number' | 'title' | 'author' | 'isFromOutside'>[];
  /** The commits that are known, the oldest first, and how many there are in all. */
  readonly commits: { readonly known: readonly Commit[]; readonly total: number };
  /** `undefined` where the changes do not travel, or could not be read. */
  readonly files: FileList | undefined;
}
