import type { Rest } from './connection.ts';

/*
 * GitHub's answers as the plain data that the modes use. octokit types them; each field that is read is checked, because
 * something else may have answered. `meaningOf` makes a `GitHubError` of the TypeError. Authors may be strangers.
 */

type Data<Method extends (...args: never[]) => Promise<{ data: unknown }>> = Awaited<
  ReturnType<Method>
>['data'];

type IssueAnswer = Data<Rest['issues']['get']>;
type PullAnswer = Data<Rest['pulls']['get']>;
type MergeAnswer = Pick<PullAnswer, 'number' | 'merged_at' | 'merge_commit_sha'>;
type ReleaseAnswer = Data<Rest['repos']['getReleaseByTag']>;

/** A comment of an issue or pull request. */
export type ThreadComment = Readonly<ReturnType<typeof toComment>>;
/** A comment, with the number of the issue or pull request that it is in. */
export type RepositoryComment = Readonly<ReturnType<typeof toRepositoryComment>>;
/** A GitHub account. */
export type Person = Readonly<ReturnType<typeof toPerson>>;
/** An issue, or what a pull request has in common with one. */
export type Issue = Readonly<ReturnType<typeof toIssue>>;
export type PullRequest = Readonly<ReturnType<typeof toPullRequest>>;
export type Commit = Readonly<ReturnType<typeof toCommit>>;
export type Release = Readonly<ReturnType<typeof toRelease>>;

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
}

/** The files of a change, each once, in GitHub's order. */
export interface FileList {
  readonly files: readonly ChangedFile[];
  /** Whether these are certainly all: only then does a missing file mean that it did not change. */
  readonly isWhole: boolean;
}

/** Two points of the history and what lies between them. */
export interface Comparison extends FileList {
  /** The head, compared with the base. */
  readonly status: 'ahead' | 'behind' | 'diverged' | 'identical';
  /** The commits that the head has and the base has not, the oldest first; the last 250 where there are more. */
  readonly commits: readonly Commit[];
  readonly totalCommits: number;
}

/** The answer, of which every field that is read has to be there. @throws TypeError for one that is not. */
export function needed<T extends object>(
  answer: T,
): { readonly [Field in keyof T]-?: NonNullable<T[Field]> } {
  return new Proxy(answer, {
    get(target, field) {
      const value: unknown = Reflect.get(target, field);
      if (value == null) throw new TypeError(`\`${String(field)}\` is missing`);
      return value;
    },
  }) as ReturnType<typeof needed<T>>;
}

export function toComment(answer: Data<Rest['issues']['getComment']>) {
  const { id, html_url: url, created_at, updated_at } = needed(answer);
  return {
    id,
    // octokit's types leave the `null` out.
    body: answer.body ?? '',
    login: toPerson(answer.user).login,
    url,
    createdAtMs: Date.parse(created_at),
    /** Whether it was never edited. */
    unedited: updated_at === created_at,
  };
}

export function toRepositoryComment(answer: Data<Rest['issues']['getComment']>) {
  return { ...toComment(answer), thread: Number(needed(answer).issue_url.split('/').at(-1)) };
}

export function toPerson(user: { login: string; type?: string | undefined } | null | undefined) {
  return { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot' };
}

/** Whether an `author_association` is of someone outside the repository; private members of an organization show as such. */
export function isFromOutside(association: string): boolean {
  return !['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association);
}

/** What issues and pull requests have in common. */
export function toIssue(answer: IssueAnswer | PullAnswer) {
  const { number, html_url: url, title, author_association, labels } = needed(answer);
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

/** What a pull request became. */
export function toMerge(answer: MergeAnswer) {
  const { merged_at: at, merge_commit_sha: sha } = answer;
  /** The commit on the base branch: a merge, a squash, or the last of a rebase. Before the merge, GitHub names a trial's. */
  const mergeCommitSha = at == null ? undefined : (sha ?? undefined);
  return { number: needed(answer).number, isMerged: at != null, mergeCommitSha };
}

export function toPullRequest(answer: PullAnswer) {
  const { state, head, base, changed_files: changedFiles } = needed(answer);
  return {
    ...toIssue(answer),
    ...toMerge(answer),
    isOpen: state === 'open',
    headSha: needed(head).sha,
    baseRef: needed(base).ref,
    /** GitHub may list fewer. */
    changedFiles,
  };
}

export function toFile(answer: Data<Rest['pulls']['listFiles']>[number]): ChangedFile {
  const { filename: path, status, additions: added, deletions: removed } = needed(answer);
  const { previous_filename: oldPath, patch = undefined } = answer;
  const isUncounted = patch === undefined && added === 0 && removed === 0;
  return { path, oldPath, status, lines: isUncounted ? undefined : { added, removed }, patch };
}

export function toCommit(answer: Data<Rest['repos']['getCommit']>) {
  const { sha, parents, commit } = needed(answer);
  const { message } = needed(commit);
  return {
    sha,
    /** For a merge, the branch that it was merged into comes first. */
    parents: parents.map((parent) => parent.sha) as readonly string[],
    message,
  };
}

/** A release; its name is the tag where it has none. */
export function toRelease(answer: ReleaseAnswer) {
  const { tag_name: tag, html_url: url, published_at } = needed(answer);
  return {
    tag,
    name: answer.name || tag,
    url,
    author: toPerson(answer.author),
    publishedAtMs: Date.parse(published_at),
    notes: toText(answer),
  };
}

/** A text's source, and what its readers see: GitHub's `body_text`, without comments that are not rendered. */
function toText(answer: { body?: string | null; body_text?: string }) {
  const source = answer.body ?? '';
  // Without `body_text` no one knows what readers see of the source.
  const rendered = source === '' ? '' : needed(answer).body_text;
  // GitHub draws a diagram, and readers don't see the comments in it.
  const hasDiagram = /^\s*(?:```|~~~)+\s*mermaid/im.test(source);
  return { source, rendered: hasDiagram ? rendered.replace(/^\s*%%.*$/gm, '') : rendered };
}
