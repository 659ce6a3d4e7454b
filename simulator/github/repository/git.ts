import { createHash } from 'node:crypto';
import type { SimClock } from '../../clock/clock.ts';

/** A file at one commit. */
export interface GitFile {
  /** Files with the same content have the same blob ID. */
  readonly blob: string;
  readonly mode: string;
  /** `undefined` for binaries and submodules. */
  readonly text: string | undefined;
}

/** All files of a commit, by path. */
export type GitTree = ReadonlyMap<string, GitFile>;

export interface GitCommit {
  readonly sha: string;
  readonly message: string;
  readonly at: number;
  /** The first parent is on the branch that got the commit. */
  readonly parents: readonly string[];
  readonly tree: GitTree;
  readonly treeSha: string;
}

/** A file's new text, `null` to delete the file, or content that isn't text. */
export type GitEdit =
  | string
  | null
  | { readonly text: string; readonly mode: string }
  | { readonly binary: string }
  | { readonly submodule: string };

export interface CommitOptions {
  readonly message?: string;
  readonly branch?: string;
  readonly files?: Readonly<Record<string, GitEdit>>;
}

/** A repository's commits, branches, and tags. */
export class GitRepository {
  readonly commits = new Map<string, GitCommit>();
  readonly branches = new Map<string, string>();
  readonly tags = new Map<string, string>();
  readonly #clock: SimClock;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  /** Adds a commit to a branch. Creates the branch if it doesn't exist. */
  commit({ branch = 'main', message = 'A change', files = {} }: CommitOptions = {}): GitCommit {
    const tip = this.branches.get(branch) ?? '';
    const parents = tip === '' ? [] : [tip];
    const tree = new Map(this.commits.get(tip)?.tree);
    for (const [path, edit] of Object.entries(files)) {
      if (edit === null) tree.delete(path);
      else tree.set(path, fileOf(edit));
    }
    return this.add(branch, { message, parents, tree });
  }

  add(branch: string, content: Pick<GitCommit, 'message' | 'parents' | 'tree'>): GitCommit {
    const lines = [...content.tree].map(([path, { blob, mode }]) => `${mode} ${blob} ${path}`);
    const treeSha = shaOf('tree', lines.sort().join('\n'));
    const at = this.#clock.now();
    // In Git, identical commits have the same SHA. Here, every commit has a different one.
    const sha = shaOf(
      'commit',
      [treeSha, ...content.parents, at, content.message, this.commits.size].join('\n'),
    );
    const commit: GitCommit = { ...content, at, sha, treeSha };
    this.commits.set(sha, commit);
    this.branches.set(branch, sha);
    return commit;
  }

  branch(name: string, from = 'main'): void {
    this.branches.set(name, this.find(from).sha);
  }

  tag(name: string, ref = 'main'): void {
    this.tags.set(name, this.find(ref).sha);
  }

  /** Finds a commit by branch, tag, or a SHA of at least 7 digits. */
  resolve(ref: string): GitCommit | undefined {
    const name = ref.replace(/^refs\//, '');
    const sha =
      this.branches.get(name.replace(/^heads\//, '')) ??
      this.tags.get(name.replace(/^tags\//, '')) ??
      name;
    if (!/^[0-9a-f]{7,40}$/.test(sha)) return undefined;
    return (
      this.commits.get(sha) ??
      [...this.commits.values()].find((commit) => commit.sha.startsWith(sha))
    );
  }

  /** Like `resolve`, but throws if there is no such commit. */
  find(ref: string): GitCommit {
    const commit = this.resolve(ref);
    if (commit === undefined) throw new RangeError(`No such commit: ${ref}`);
    return commit;
  }

  treeOf(sha: string): GitCommit | undefined {
    return [...this.commits.values()].find(({ treeSha }) => treeSha === sha);
  }
}

/** A 40-digit SHA, like Git's. */
export function shaOf(kind: string, content: string): string {
  return createHash('sha1').update(`${kind} ${content.length}\0${content}`).digest('hex');
}

function fileOf(edit: Exclude<GitEdit, null>): GitFile {
  if (typeof edit === 'string') return { blob: shaOf('blob', edit), mode: '100644', text: edit };
  if ('text' in edit) return { blob: shaOf('blob', edit.text), mode: edit.mode, text: edit.text };
  if ('binary' in edit)
    return { blob: shaOf('blob', edit.binary), mode: '100644', text: undefined };
  return { blob: shaOf('commit', edit.submodule), mode: '160000', text: undefined };
}

type Commits = ReadonlyMap<string, GitCommit>;

/** A commit and its ancestors, with parents before children. */
export function ancestorsOf(
  commits: Commits,
  sha: string,
  found = new Map<string, GitCommit>(),
): ReadonlyMap<string, GitCommit> {
  const commit = commits.get(sha);
  if (commit === undefined || found.has(sha)) return found;
  for (const parent of commit.parents) ancestorsOf(commits, parent, found);
  return found.set(sha, commit);
}

/** The commits in the history of `head` but not of `base`, oldest first. */
export function commitsBetween(commits: Commits, base: string, head: string): GitCommit[] {
  const before = ancestorsOf(commits, base);
  return [...ancestorsOf(commits, head).values()].filter(({ sha }) => !before.has(sha));
}

/** The merge base of two commits; `undefined` if their histories are unrelated. */
export function mergeBaseOf(commits: Commits, one: string, other: string): GitCommit | undefined {
  const ofOther = ancestorsOf(commits, other);
  return [...ancestorsOf(commits, one).values()].findLast(({ sha }) => ofOther.has(sha));
}
