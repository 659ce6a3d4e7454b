import type { GitHubStore } from '../store.ts';
import type { Thread } from '../types.ts';
import { changesBetween } from './diff.ts';
import type { CommitOptions, GitCommit, GitTree } from './git.ts';
import { ancestorsOf, commitsBetween, mergeBaseOf, shaOf } from './git.ts';

export interface PullRequest {
  readonly number: number;
  readonly head: { readonly ref: string; sha: string };
  readonly base: { readonly ref: string; readonly sha: string };
  mergedAt: number | null;
  closedAt: number | null;
  /** Before the merge, the SHA of a test merge. */
  mergeCommitSha: string;
  /** The branch's commits and, after the merge, the commits that the merge created. */
  commits: ReadonlySet<string>;
  isDraft: boolean;
  /** The fork that the branch is in, as `owner/name`; `undefined` for this repository. */
  readonly fork: string | undefined;
  /** The logins of requested reviewers, with one entry per request. */
  readonly reviewers: string[];
}

export type OpenOptions = Partial<Pick<Thread, 'number' | 'title' | 'body' | 'author' | 'labels'>> &
  Record<'head', string> & { readonly base?: string; readonly fork?: string };

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** The pull requests of a repository. */
export class PullRequests {
  /** The delay after a merge until `/commits/{sha}/pulls` finds the pull request. */
  indexLagMs = 0;
  readonly #store: GitHubStore;
  readonly #opened = new Map<number, PullRequest>();

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  /** The pull request of a thread. If the test didn't open it, it has no commits and no files. */
  of(number: number): PullRequest {
    const head = { ref: 'change', sha: 'b'.repeat(40) };
    const base = { ref: 'main', sha: 'a'.repeat(40) };
    return this.#opened.get(number) ?? unmerged(number, head, base);
  }

  /** Opens a pull request from this branch, by default into `main`. */
  open({ head, base = 'main', fork, ...thread }: OpenOptions): PullRequest {
    const { git } = this.#store;
    const { number } = this.#store.addThread({ ...thread, isPullRequest: true });
    const branch = (ref: string) => ({ ref, sha: git.find(ref).sha });
    this.#opened.set(number, { ...unmerged(number, branch(head), branch(base)), fork });
    return this.update(number);
  }

  /** Pushes a commit to the branch. */
  push(number: number, commit: Omit<CommitOptions, 'branch'>): PullRequest {
    this.#store.git.commit({ ...commit, branch: this.of(number).head.ref });
    return this.update(number);
  }

  /** Updates the head to the branch's last commit. */
  update(number: number): PullRequest {
    const { git } = this.#store;
    const pullRequest = this.of(number);
    pullRequest.head.sha = git.find(pullRequest.head.ref).sha;
    pullRequest.commits = new Set(this.commitsOf(pullRequest).map(({ sha }) => sha));
    return pullRequest;
  }

  merge(number: number, method: MergeMethod = 'merge', message?: string): GitCommit {
    const { git } = this.#store;
    const pullRequest = this.of(number);
    const { head, base } = pullRequest;
    const thread = this.#store.thread(number);
    const own = this.commitsOf(pullRequest);
    const treeAt = (commit: GitCommit | undefined): GitTree => commit?.tree ?? new Map();
    /** Applies the differences between two trees to the base branch, as one commit. */
    const put = (said: string, from: GitTree, to: GitTree, ...others: string[]): GitCommit => {
      const onto = git.find(base.ref);
      const tree = applied(from, to, onto.tree);
      return git.add(base.ref, { message: said, parents: [onto.sha, ...others], tree });
    };
    const branchedAt = treeAt(mergeBaseOf(git.commits, base.sha, head.sha));
    const usual = `Merge pull request #${number} from ${head.ref}\n\n${thread.title}`;
    const made = {
      rebase: () =>
        own.map(({ message, parents: [parent = ''], tree }) =>
          put(message, treeAt(git.commits.get(parent)), tree),
        ),
      squash: () => [
        put(message ?? `${thread.title} (#${number})`, branchedAt, git.find(head.sha).tree),
      ],
      merge: () => [put(message ?? usual, branchedAt, git.find(head.sha).tree, head.sha)],
    }[method]();
    pullRequest.commits = new Set([...own, ...made].map(({ sha }) => sha));
    pullRequest.mergedAt = this.#store.now();
    pullRequest.closedAt = pullRequest.mergedAt;
    const last = git.find(base.ref);
    pullRequest.mergeCommitSha = last.sha;
    thread.state = 'closed';
    return last;
  }

  /** Merges a stack, whose pull requests contain one another, with one merge commit for all of them. */
  mergeStack(numbers: readonly number[]): GitCommit {
    const { git } = this.#store;
    const { base } = this.of(Math.min(...numbers));
    const { head, number: topNumber } = this.of(Math.max(...numbers));
    const onto = git.find(base.ref);
    const from = mergeBaseOf(git.commits, base.sha, head.sha)?.tree ?? new Map();
    const message = `Merge pull request #${topNumber} from ${head.ref}`;
    const tree = applied(from, git.find(head.sha).tree, onto.tree);
    const top = git.add(base.ref, { message, parents: [onto.sha, head.sha], tree });
    for (const number of numbers) {
      const pullRequest = this.of(number);
      pullRequest.mergedAt = this.#store.now();
      pullRequest.closedAt = pullRequest.mergedAt;
      pullRequest.mergeCommitSha = top.sha;
      pullRequest.commits = new Set([...pullRequest.commits, top.sha]);
      this.#store.thread(number).state = 'closed';
    }
    return top;
  }

  setState(number: number, state: 'open' | 'closed'): void {
    this.#store.thread(number).state = state;
    this.of(number).closedAt = state === 'closed' ? this.#store.now() : null;
  }

  commitsOf({ base, head }: PullRequest): GitCommit[] {
    return commitsBetween(this.#store.git.commits, base.sha, head.sha);
  }

  /** All pull requests, the ones updated last first. */
  updated(): PullRequest[] {
    const updatedAt = ({ number, closedAt }: PullRequest) =>
      closedAt ?? this.#store.thread(number).createdAt;
    const all = [...this.#opened.values()].reverse();
    return all.toSorted((a, b) => updatedAt(b) - updatedAt(a));
  }

  /** For a commit on main, the pull request that merged it; otherwise, all pull requests that contain it. */
  associatedWith(sha: string): PullRequest[] {
    const { git } = this.#store;
    const isOnMain = ancestorsOf(git.commits, git.branches.get('main') ?? '').has(sha);
    return [...this.#opened.values()].filter(({ commits, mergedAt }) => {
      if (!commits.has(sha)) return false;
      if (mergedAt === null) return !isOnMain;
      return mergedAt + this.indexLagMs <= this.#store.now();
    });
  }
}

function unmerged(
  number: number,
  head: PullRequest['head'],
  base: PullRequest['base'],
): PullRequest {
  const mergeCommitSha = shaOf('test merge', `${number}`);
  const unset = {
    mergedAt: null,
    closedAt: null,
    commits: new Set<string>(),
    isDraft: false,
    fork: undefined,
    reviewers: [],
  };
  return { number, head, base, mergeCommitSha, ...unset };
}

/** Applies the differences between two trees to a copy of a third one. */
function applied(before: GitTree, after: GitTree, onto: GitTree): GitTree {
  const tree = new Map(onto);
  for (const { path, oldPath, after: file } of changesBetween(before, after)) {
    if (oldPath !== undefined) tree.delete(oldPath);
    if (file === undefined) tree.delete(path);
    else tree.set(path, file);
  }
  return tree;
}
