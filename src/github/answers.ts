import type {
  ChangedFile,
  Commit,
  Issue,
  ListedPullRequest,
  ListedRelease,
  PullRequest,
  Release,
  WrittenText,
} from './changes.ts';
import type { Rest } from './connection.ts';
import { isFromOutside, toPerson, type User } from './people.ts';
import type { RepositoryComment, ThreadComment } from './schemas.ts';

/*
 * GitHub's answers as the plain data that the modes use. octokit types them; what is needed of one is checked where it is
 * read, since something else may have answered. A TypeError here means that it has: `readAnswer` makes it an error for users.
 */

type Data<Method extends (...args: never[]) => Promise<{ data: unknown }>> = Awaited<
  ReturnType<Method>
>['data'];

type ListedAnswer = Data<Rest['repos']['listPullRequestsAssociatedWithCommit']>[number];
type CommentAnswer = Data<Rest['issues']['getComment']>;
type ReleaseAnswer = Data<Rest['repos']['getReleaseByTag']>;

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

export function toComment(answer: CommentAnswer): ThreadComment {
  const { id, html_url: url, created_at, updated_at } = needed(answer);
  if (answer.body === undefined) throw new TypeError('`body` is missing');
  return {
    id,
    // octokit's types leave the `null` out.
    body: answer.body ?? '',
    login: toPerson(answer.user).login,
    url,
    createdAtMs: Date.parse(created_at),
    editedAtMs: Date.parse(updated_at),
    unedited: updated_at === created_at,
  };
}

export function toRepositoryComment(answer: CommentAnswer): RepositoryComment {
  return { ...toComment(answer), thread: Number(needed(answer).issue_url.split('/').at(-1)) };
}

export function toIssue(answer: Data<Rest['issues']['get']>): Issue {
  return { ...toOpened(answer), body: toText(answer) };
}

export function toPullRequest(answer: Data<Rest['pulls']['get']>): PullRequest {
  const { changed_files: changedFiles } = needed(answer);
  return { ...toListedPullRequest(answer), body: toText(answer), changedFiles };
}

/** What issues and pull requests have in common. */
type Opened = Pick<ListedAnswer, 'number' | 'html_url' | 'title'> & {
  readonly user?: User | null;
  readonly author_association?: string;
  readonly labels: readonly (string | { readonly name?: string | null })[];
};

function toOpened(answer: Opened): Omit<Issue, 'body'> {
  const { number, html_url: url, title, author_association, labels } = needed(answer);
  return {
    number,
    url,
    title,
    author: toPerson(answer.user),
    isFromOutside: isFromOutside(author_association),
    labels: labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
  };
}

type Branch = Pick<ListedAnswer['head'], 'sha' | 'ref'>;
type Listed = Opened &
  Pick<ListedAnswer, 'state' | 'merged_at' | 'merge_commit_sha'> & { head: Branch; base: Branch };

export function toListedPullRequest(answer: Listed): ListedPullRequest {
  const { state, head, base } = needed(answer);
  const isMerged = answer.merged_at != null;
  return {
    ...toOpened(answer),
    isOpen: state === 'open',
    isMerged,
    // Before the merge it is the commit of a trial merge.
    mergeCommitSha: isMerged ? (answer.merge_commit_sha ?? undefined) : undefined,
    headSha: needed(head).sha,
    headRef: needed(head).ref,
    baseSha: needed(base).sha,
    baseRef: needed(base).ref,
  };
}

export function toFile(answer: Data<Rest['pulls']['listFiles']>[number]): ChangedFile {
  const { filename: path, status, additions: added, deletions: removed } = needed(answer);
  const { previous_filename: oldPath, patch = undefined } = answer;
  const isUncounted = patch === undefined && added === 0 && removed === 0;
  return { path, oldPath, status, lines: isUncounted ? undefined : { added, removed }, patch };
}

export function toCommit(answer: Data<Rest['repos']['getCommit']>): Commit {
  const { sha, parents, commit } = needed(answer);
  const { message, committer } = needed(commit);
  return {
    sha,
    parents: parents.map((parent) => parent.sha),
    message,
    committedAtMs: Date.parse(needed(committer).date),
  };
}

export function toRelease(answer: ReleaseAnswer): Release {
  return { ...toListedRelease(answer), notes: toText(answer) };
}

export function toListedRelease(answer: ReleaseAnswer): ListedRelease {
  const { tag_name: tag, html_url: url, prerelease: isPrerelease, published_at } = needed(answer);
  return {
    tag,
    name: answer.name || tag,
    isPrerelease,
    url,
    author: toPerson(answer.author),
    publishedAtMs: Date.parse(published_at),
  };
}

function toText(answer: { body?: string | null; body_text?: string }): WrittenText {
  const source = answer.body ?? '';
  // Without `body_text` no one knows what readers see of the source.
  const rendered = source === '' ? '' : needed(answer).body_text;
  // GitHub draws a diagram, and readers don't see the comments in it.
  const hasDiagram = /^\s*(?:```|~~~)+\s*mermaid/im.test(source);
  return { source, rendered: hasDiagram ? rendered.replace(/^\s*%%.*$/gm, '') : rendered };
}
