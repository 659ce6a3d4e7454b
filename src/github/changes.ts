import type { Rest } from './connection.ts';

/*
 * Turns GitHub's responses into the plain data that the modes use. octokit types them, but we check each field we read, because
 * something other than GitHub may have responded. `toGitHubError` turns the TypeError into a `GitHubError`. Authors may be
 * strangers.
 */

type Data<Method extends (...args: never[]) => Promise<{ data: unknown }>> = Awaited<
  ReturnType<Method>
>['data'];

type IssueAnswer = Data<Rest['issues']['get']>;
type PullAnswer = Data<Rest['pulls']['get']>;
type MergeAnswer = Pick<PullAnswer, 'number' | 'merged_at' | 'merge_commit_sha'>;
type ReviewCommentAnswer = Data<Rest['pulls']['listReviewComments']>[number];
type Lines = 'line' | 'start_line' | 'original_line' | 'original_start_line';
/** The place of a comment on lines, as responses and events describe it. */
type PlaceAnswer = Pick<ReviewCommentAnswer, 'id' | 'path'> & {
  readonly [Name in Lines | 'in_reply_to_id' | 'pull_request_review_id']?: number | null | undefined;
} & { readonly [Name in 'diff_hunk' | 'subject_type' | 'side']?: string | undefined };
type ReleaseAnswer = Data<Rest['repos']['getReleaseByTag']>;

/** A comment on an issue or pull request. */
export type ThreadComment = Readonly<ReturnType<typeof toComment>>;
/** A comment, with the number of its issue or pull request. */
export type RepositoryComment = Readonly<ReturnType<typeof toRepositoryComment>>;
/** The place of a comment on a pull request's lines, or on one of its files. */
export type ReviewPlace = Readonly<ReturnType<typeof toReviewPlace>>;
/** A comment at such a place. */
export type ReviewComment = Readonly<ReturnType<typeof toReviewComment>>;
/** A GitHub account. */
export type Person = Readonly<ReturnType<typeof toPerson>>;
/** An issue, or the part of a pull request that is like one. */
export type Issue = Readonly<ReturnType<typeof toIssue>>;
export type PullRequest = Readonly<ReturnType<typeof toPullRequest>>;
/** A pull request at a glance. */
export type PullRequestLook = Readonly<ReturnType<typeof toPullRequestLook>>;
export type Commit = Readonly<ReturnType<typeof toCommit>>;
export type Release = Readonly<ReturnType<typeof toRelease>>;

/** One file of a change. */
export interface ChangedFile {
  readonly path: string;
  /** Its old name, if it was renamed or copied. */
  readonly oldPath: string | undefined;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged';
  /**
   * `undefined` if GitHub doesn't say: for binaries, unchanged content, files known only by name, and files past a response's
   * limit (about 20,000 lines of patches), for which it says 0 (GitHub community discussion 213491).
   */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  /** The hunks of a unified diff; `undefined` if GitHub gives none: binary, too large, or known only by name. */
  readonly patch: string | undefined;
}

/** The files of a change, each one once, in GitHub's order. */
export interface FileList {
  readonly files: readonly ChangedFile[];
  /** Whether these are definitely all. Only then does a missing file mean an unchanged file. */
  readonly isWhole: boolean;
  /** Whether GitHub says that they belong to the head that was read before. */
  readonly isOfHead?: boolean;
}

/** Two points in the history, and what lies between them. */
export interface Comparison extends FileList {
  /** The head, compared with the base. */
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  /** The commits that only the head has, oldest first; at most the last 250. */
  readonly commits: readonly Commit[];
  readonly totalCommits: number;
}

/** The response, checked on access. @throws TypeError for a missing field. */
export function required<T extends object>(
  answer: T,
): { readonly [Field in keyof T]-?: NonNullable<T[Field]> } {
  return new Proxy(answer, {
    get(target, field) {
      const value: unknown = Reflect.get(target, field);
      if (value == null) throw new TypeError(`\`${String(field)}\` is missing`);
      return value;
    },
  }) as ReturnType<typeof required<T>>;
}

export function toComment(answer: Data<Rest['issues']['getComment']>) {
  const { id, html_url: url, created_at, updated_at } = required(answer);
  return {
    id,
    // octokit's types don't mention the `null`.
    body: answer.body ?? '',
    login: toPerson(answer.user).login,
    url,
    createdAtMs: Date.parse(created_at),
    /** Whether it was never edited. */
    unedited: updated_at === created_at,
  };
}

export function toRepositoryComment(answer: Data<Rest['issues']['getComment']>) {
  return { ...toComment(answer), thread: Number(required(answer).issue_url.split('/').at(-1)) };
}

export function toReviewPlace(answer: PlaceAnswer) {
  const { id, path } = required(answer);
  const { line, start_line, original_line, original_start_line } = answer;
  // GitHub gives no current line for a comment on an earlier version.
  const isOutdated = line == null;
  const last = line ?? original_line;
  const first = (isOutdated ? original_start_line : start_line) ?? last;
  const isOnFile = answer.subject_type === 'file' || first == null || last == null;
  return {
    id,
    /** Its review. A single comment has its own. */
    reviewId: answer.pull_request_review_id ?? undefined,
    /** The ID of the first comment in its conversation, possibly its own. */
    conversation: answer.in_reply_to_id ?? id,
    path,
    /** `undefined` for the whole file. */
    lines: isOnFile ? undefined : { first, last, isOutdated, isBefore: answer.side === 'LEFT' },
    /** Empty for the whole file. */
    hunk: answer.diff_hunk ?? '',
  };
}

export function toReviewComment(answer: ReviewCommentAnswer) {
  const { author_association } = required(answer);
  return {
    ...toReviewPlace(answer),
    text: toText(answer).rendered,
    author: toPerson(answer.user),
    isFromOutside: isFromOutside(author_association),
  };
}

export function toPerson(user: { login: string; type?: string | undefined } | null | undefined) {
  return { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot' };
}

/**
 * Whether an `author_association` means someone outside the repository. GitHub reports private members of an organization as
 * outside.
 */
export function isFromOutside(association: string): boolean {
  return !['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association);
}

/** What issues and pull requests have in common. */
export function toIssue(answer: IssueAnswer | PullAnswer) {
  const { number, html_url: url, title, author_association, labels } = required(answer);
  return {
    number,
    url,
    title,
    body: toText(answer),
    author: toPerson(answer.user),
    isFromOutside: isFromOutside(author_association),
    labels: labels.map((one) => (typeof one === 'string' ? one : (one.name ?? ''))),
  };
}

/** Whether and how a pull request was merged. */
export function toMerge(answer: MergeAnswer) {
  const { merged_at: at, merge_commit_sha: sha } = answer;
  /**
   * The commit on the base branch: a merge, a squash, or the last one of a rebase. Before the merge, GitHub names a test merge.
   */
  const mergeCommitSha = at == null ? undefined : (sha ?? undefined);
  return { number: required(answer).number, isMerged: at != null, mergeCommitSha };
}

export function toPullRequest(answer: PullAnswer) {
  const { state, head, base, changed_files: changedFiles } = required(answer);
  return {
    ...toIssue(answer),
    ...toMerge(answer),
    isOpen: state === 'open',
    headSha: required(head).sha,
    baseRef: required(base).ref,
    /** GitHub may list fewer. */
    changedFiles,
  };
}

export function toPullRequestLook(answer: PullAnswer) {
  const { state, title, additions, deletions, head, created_at } = required(answer);
  const isMerged = answer.merged_at != null;
  return {
    state: isMerged ? ('merged' as const) : state === 'open' ? ('open' as const) : ('closed' as const),
    shown: { title, additions, deletions, changedFiles: required(answer).changed_files },
    headSha: required(head).sha,
    isDraft: answer.draft === true,
    createdAtMs: Date.parse(created_at),
    author: toPerson(answer.user),
  };
}

export function toFile(answer: Data<Rest['pulls']['listFiles']>[number]): ChangedFile {
  const { filename: path, status, additions: added, deletions: removed } = required(answer);
  const { previous_filename: oldPath, patch = undefined } = answer;
  const isUncounted = patch === undefined && added === 0 && removed === 0;
  return { path, oldPath, status, lines: isUncounted ? undefined : { added, removed }, patch };
}

export function toCommit(answer: Data<Rest['repos']['getCommit']>) {
  const { sha, parents, commit } = required(answer);
  const { message } = required(commit);
  return {
    sha,
    /** For a merge, the branch it was merged into comes first. */
    parents: parents.map((parent) => parent.sha) as readonly string[],
    message,
  };
}

/** A release. One without a name uses its tag. */
export function toRelease(answer: ReleaseAnswer) {
  const { tag_name: tag, html_url: url, published_at } = required(answer);
  return {
    tag,
    name: answer.name || tag,
    url,
    author: toPerson(answer.author),
    publishedAtMs: Date.parse(published_at),
    notes: toText(answer),
  };
}

/** A text's source, and what readers see: GitHub's `body_text`, without comments that GitHub doesn't render. */
function toText(answer: { body?: string | null; body_text?: string }) {
  const source = answer.body ?? '';
  // Without `body_text`, we don't know how much of the source readers see.
  const rendered = source === '' ? '' : required(answer).body_text;
  // GitHub draws diagrams, so readers don't see the comments in them.
  const hasDiagram = /^\s*(?:```|~~~)+\s*mermaid/im.test(source);
  return { source, rendered: hasDiagram ? rendered.replace(/^\s*%%.*$/gm, '') : rendered };
}
