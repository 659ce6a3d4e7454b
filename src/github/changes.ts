import { parsePullRequest } from '../core/address.ts';
import type { Scrubbed, ScrubbedAll } from '../text/scrub.ts';
import type { ConnectionOptions, Rest } from './connection.ts';
import { required } from './response.ts';

/*
 * GitHub's responses as plain data. We check each field that we read, despite octokit's types: a
 * proxy may have responded.
 */

type Data<Call extends (...args: never[]) => Promise<{ data: unknown }>> = Awaited<
  ReturnType<Call>
>['data'];

type CommentAnswer = Data<Rest['issues']['getComment']>;
type IssueAnswer = Data<Rest['issues']['get']>;
type PullAnswer = Data<Rest['pulls']['get']>;
type ListedPullAnswer = Data<Rest['pulls']['list']>[number];
type ReviewCommentAnswer = Data<Rest['pulls']['listReviewComments']>[number];
type CheckAnswer = Data<Rest['checks']['listForRef']>['check_runs'][number];
type Lines = 'line' | 'start_line' | 'original_line' | 'original_start_line';
/** The fields that describe where a review comment is, in responses and in events. */
type PlaceAnswer = Pick<ReviewCommentAnswer, 'id' | 'path'> & {
  readonly [Name in Lines | 'in_reply_to_id' | 'pull_request_review_id']?:
    | number
    | null
    | undefined;
} & { readonly [Name in 'diff_hunk' | 'subject_type' | 'side']?: string | undefined };

export type ThreadComment = Readonly<ReturnType<typeof toComment>>;
export type DiscussionComment = Readonly<ReturnType<typeof toDiscussionComment>>;
export type ReviewPlace = Readonly<ReturnType<typeof toReviewPlace>>;
export type ReviewComment = Readonly<ReturnType<typeof toReviewComment>>;
export type Person = Readonly<ReturnType<typeof toPerson>>;
/** An issue, or a pull request with only the fields that issues have. */
export type Issue = Readonly<ReturnType<typeof toIssue>>;
export type PullRequest = Readonly<ReturnType<typeof toPullRequest>>;
/** The fields of a pull request that lists have, too. */
export type ListedPull = Readonly<ReturnType<typeof toListedPull>>;
/** A pull request, and when it was opened. */
export type OpenedPull = Pick<ListedPull, 'url' | 'createdAtMs'>;
/** The few fields of a pull request that status comments need. */
export type PullRequestState = Readonly<ReturnType<typeof toPullRequestState>> &
  ScrubbedAll<Pick<ReturnType<typeof toPullRequestState>, 'shown'>>;
export type ChangedFile = Readonly<ReturnType<typeof toFile>>;
export type Commit = Readonly<ReturnType<typeof toCommit>>;
export type Release = Readonly<ReturnType<typeof toRelease>>;
export type CheckRun = Readonly<ReturnType<typeof toCheckRun>> & { readonly name: Scrubbed };

/** The files of a change, without duplicates, in GitHub's order. */
export interface FileList {
  readonly files: readonly ChangedFile[];
  /** Whether the list is definitely complete, so that a file that isn't listed hasn't changed. */
  readonly isWhole: boolean;
  /** Whether the files belong to the pull request's head that we read earlier. */
  readonly isOfHead?: boolean;
}

export interface Comparison extends FileList {
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  /** The commits that only the head has, oldest first. GitHub lists at most the last 250. */
  readonly commits: readonly Commit[];
  readonly totalCommits: number;
}

export function toComment(answer: CommentAnswer) {
  const comment = required(answer);
  const author = toPerson(answer.user);
  return {
    id: comment.id,
    /** The number of the issue or pull request. */
    thread: Number(/\d+$/.exec(comment.issue_url)?.[0]),
    // GitHub may return `null` here, although octokit's types don't say so.
    body: answer.body ?? '',
    login: author.login,
    /** Whether an app or a member wrote the comment. Strangers can paste anything. */
    isByInsider: author.isBot || !isFromOutside(answer.author_association ?? ''),
    url: comment.html_url,
    createdAtMs: Date.parse(comment.created_at),
    updatedAtMs: Date.parse(comment.updated_at),
    unedited: comment.updated_at === comment.created_at,
  };
}

/** A comment in a thread, with the text that readers see. */
export function toDiscussionComment(answer: CommentAnswer & { minimized?: object | null }) {
  const association = answer.author_association ?? '';
  const outside = isFromOutside(association);
  return {
    ...toComment(answer),
    /** `''` if we don't know what readers see. */
    text: answer.body_text == null ? '' : toText(answer).rendered,
    author: toPerson(answer.user),
    isFromOutside: outside,
    /** Whether the author belongs to the repository, or has a commit in it. */
    isByContributor: !outside || association === 'CONTRIBUTOR',
    /** Whether someone hid it, for example as spam. Older servers don't say so. */
    isHidden: answer.minimized != null,
  };
}

export function toReviewPlace(answer: PlaceAnswer) {
  const { id, path } = required(answer);
  return {
    id,
    /** The ID of the review. GitHub creates a review for a single comment, too. */
    reviewId: answer.pull_request_review_id ?? undefined,
    /** The ID of the first comment in the conversation, which may be this comment. */
    conversation: answer.in_reply_to_id ?? id,
    path,
    lines: toLines(answer),
    hunk: answer.diff_hunk ?? '',
  };
}

/** The lines of a review comment; `undefined` for a comment on the whole file. */
function toLines(answer: PlaceAnswer) {
  // If the commented line has changed since then, GitHub gives only its original number.
  const isOutdated = answer.line == null;
  const last = answer.line ?? answer.original_line;
  const start = isOutdated ? answer.original_start_line : answer.start_line;
  const first = start ?? last;
  if (answer.subject_type === 'file' || first == null || last == null) return undefined;
  return { first, last, isOutdated, isBefore: answer.side === 'LEFT' };
}

export function toReviewComment(answer: ReviewCommentAnswer) {
  const { author_association, updated_at } = required(answer);
  return {
    ...toReviewPlace(answer),
    editedAtMs: Date.parse(updated_at),
    text: toText(answer).rendered,
    author: toPerson(answer.user),
    isFromOutside: isFromOutside(author_association),
  };
}

export function toPerson(user: { login: string; type?: string | undefined } | null | undefined) {
  return { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot' };
}

/**
 * Whether the author is from outside the repository. GitHub reports private members of an
 * organization as outside.
 */
export function isFromOutside(association: string): boolean {
  return !['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association);
}

export function toIssue(answer: IssueAnswer) {
  return { ...toTopic(answer), commentCount: required(answer).comments };
}

/**
 * The fields that issues and pull requests have in common. GitHub's API returns a pull request as
 * an issue, too.
 */
function toTopic(answer: IssueAnswer | ListedPullAnswer | PullAnswer) {
  const issue = required(answer);
  return {
    number: issue.number,
    url: issue.html_url,
    isPullRequest: parsePullRequest(issue.html_url) !== undefined,
    title: issue.title,
    body: toText(answer),
    author: toPerson(answer.user),
    isFromOutside: isFromOutside(issue.author_association),
    labels: issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
  };
}

/** The state of a pull request, and the commit that its merge made on the base branch. */
export function toMerge(
  answer: Pick<PullAnswer, 'merged_at' | 'merge_commit_sha'> & { state: string },
): { state: 'open' | 'closed' | 'merged'; mergeCommitSha: string | undefined } {
  const state = required(answer).state === 'open' ? 'open' : 'closed';
  // Before the merge, GitHub names a test merge as the merge commit, so that is ignored.
  if (answer.merged_at == null) return { state, mergeCommitSha: undefined };
  return { state: 'merged', mergeCommitSha: answer.merge_commit_sha ?? undefined };
}

export function toListedPull(answer: ListedPullAnswer | PullAnswer) {
  const pull = required(answer);
  return {
    ...toTopic(answer),
    ...toMerge(answer),
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    baseRef: pull.base.ref,
    isIntoDefault: pull.base.ref === pull.base.repo.default_branch,
    createdAtMs: Date.parse(pull.created_at),
    isFromFork: isFromFork(answer),
  };
}

export function toPullRequest(answer: PullAnswer) {
  const pull = required(answer);
  return {
    ...toListedPull(answer),
    /** The number of comments, without those in reviews. */
    commentCount: pull.comments,
    /** The number of files. GitHub may list fewer. */
    changedFiles: pull.changed_files,
  };
}

/** Whether a pull request goes into the repository of a connection. */
export function isInto(
  answer: ListedPullAnswer,
  { repository, repositoryId }: Pick<ConnectionOptions, 'repository' | 'repositoryId'>,
): boolean {
  const base = required(answer).base.repo;
  // A run may still have a former name of its repository, and GitHub answers with the current one.
  if (repositoryId) return String(base.id) === repositoryId;
  return base.full_name.toLowerCase() === repository.toLowerCase();
}

/** Whether a pull request comes from another repository, which may have been deleted since. */
function isFromFork({ head, base }: ListedPullAnswer | PullAnswer): boolean {
  return head.repo?.full_name !== base.repo.full_name;
}

export function toPullRequestState(answer: PullAnswer) {
  const pull = required(answer);
  const repository = pull.base.repo;
  return {
    ...toMerge(answer),
    shown: {
      title: pull.title,
      additions: pull.additions,
      deletions: pull.deletions,
      changedFiles: pull.changed_files,
    },
    headRef: pull.head.ref,
    headSha: pull.head.sha,
    baseRef: pull.base.ref,
    defaultBranch: repository.default_branch,
    isPrivate: repository.private,
    mergedAtMs: toMs(answer.merged_at),
    closedAtMs: toMs(answer.closed_at),
    isFromFork: isFromFork(answer),
    isDraft: answer.draft === true,
    createdAtMs: Date.parse(pull.created_at),
    author: toPerson(answer.user),
  };
}

/** A time in milliseconds since the epoch. */
export function toMs(time: string | null | undefined): number | undefined {
  return time == null ? undefined : Date.parse(time);
}

export function toFile(answer: Data<Rest['pulls']['listFiles']>[number]) {
  const file = required(answer);
  const { previous_filename: oldPath = undefined, patch = undefined } = answer;
  const isUncounted = patch === undefined && file.additions === 0 && file.deletions === 0;
  return {
    path: file.filename,
    /** The old name of a renamed file, or the original of a copied file. */
    oldPath,
    status: file.status,
    /**
     * `undefined` if GitHub doesn't count the lines: of a binary file, and of any file beyond about
     * 20,000 lines of patches.
     */
    lines: isUncounted ? undefined : { added: file.additions, removed: file.deletions },
    /**
     * The hunks of a unified diff; `undefined` for a file that is binary, too large, or known only
     * by name.
     */
    patch,
  };
}

/** The paths of a changed file. A renamed file has two. */
export function pathsOf(file: ChangedFile): string[] {
  if (file.status !== 'renamed' || file.oldPath === undefined) return [file.path];
  return [file.path, file.oldPath];
}

export function toCommit(answer: Data<Rest['repos']['getCommit']>) {
  const commit = required(answer);
  /** For a merge, the first parent is the branch that was merged into. */
  const parents: readonly string[] = commit.parents.map((parent) => required(parent).sha);
  return { sha: commit.sha, parents, message: commit.commit.message };
}

export function toRelease(answer: Data<Rest['repos']['getReleaseByTag']>) {
  const release = required(answer);
  return {
    tag: release.tag_name,
    name: answer.name || release.tag_name,
    url: release.html_url,
    author: toPerson(answer.author),
    isPrerelease: release.prerelease,
    publishedAtMs: Date.parse(release.published_at),
    notes: toText(answer),
  };
}

export function toCheckRun(answer: CheckAnswer) {
  const check = required(answer);
  // GitHub documents the output, but an older run may have none.
  const output: Partial<CheckAnswer['output']> | null = answer.output;
  return {
    id: check.id,
    name: check.name,
    status: check.status,
    app: answer.app?.slug ?? '',
    conclusion: answer.conclusion ?? '',
    url: answer.details_url,
    output,
    completedAtMs: toMs(answer.completed_at) ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * A text's source, and the part that readers see. `body_text` leaves out comments that GitHub
 * doesn't render.
 */
function toText(answer: { body?: string | null; body_text?: string }) {
  const source = answer.body ?? '';
  // Without `body_text`, we don't know which part of the source readers see.
  const rendered = source === '' ? '' : required(answer).body_text;
  // Mermaid comments are in `body_text`, but readers only see the diagram, so remove the comments.
  // A match stays on its line. Otherwise, many blank lines would take quadratic time.
  const hasDiagram = /^[ \t]*(?:```|~~~)+[ \t]*mermaid/im.test(source);
  if (!hasDiagram) return { source, rendered };
  return { source, rendered: rendered.replace(/^[ \t]*%%.*$/gm, '') };
}
