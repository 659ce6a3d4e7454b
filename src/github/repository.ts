import { shortCode } from '../text/markdown.ts';
import {
  type ChangedFile,
  type Comparison,
  type FileList,
  needed,
  type PullRequest,
  toCommit,
  toFile,
  toIssue,
  toMerge,
  toPullRequest,
  toRelease,
  toRepositoryComment,
} from './changes.ts';
import type { Connection } from './connection.ts';
import { perPage } from './pages.ts';

/** How many pages of a pull request's files GitHub lists at most; later ones are empty, though `Link` names them. */
const filePages = 30;
/** How much of a pull request's patches is kept, in characters: more than any prompt has room for. */
const keptPatches = 4_000_000;
/** How many files a comparison lists at most, on its first page ("Compare two commits"). */
const comparedFiles = 300;

/** For an answer with `body_text` next to `body` ("Media types"). */
const withText = { headers: { accept: 'application/vnd.github.full+json' } };

/** A pull request of any repository on the same server. */
export interface PullRequestRef {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

interface RepositoryCommentsOptions {
  readonly sinceMs: number;
  readonly maxPages: number;
  readonly from?: 'last edited' | 'oldest';
}

/** What is read of the repository itself. */
export function createRepository({ rest, read, find, list }: Connection) {
  /**
   * All files of a commit's tree, submodules included, by path: equal texts mean equal files. `undefined` if GitHub does not give
   * them all: it gives 100,000 and 7 MB at most ("Get a tree").
   */
  const readTree = (tree_sha: string, signal: AbortSignal): Promise<Tree | undefined> =>
    read(['Reading a tree', signal, rest.git.getTree, { tree_sha, recursive: 'true' }], (data) => {
      const files = data.tree.filter(({ type }) => type !== 'tree');
      const named = new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`]));
      return data.truncated ? undefined : named;
    });

  return {
    /** `undefined` if there is no such pull request. */
    readPullRequest: (pull_number: number, signal: AbortSignal) => {
      const given = { ...withText, pull_number };
      return find([`Reading pull request ${pull_number}`, signal, rest.pulls.get, given], toPullRequest);
    },

    /** An issue, or what a pull request has in common with one; `undefined` if there is none. */
    readIssue: (issue_number: number, signal: AbortSignal) => {
      const given = { ...withText, issue_number };
      return find([`Reading issue ${issue_number}`, signal, rest.issues.get, given], toIssue);
    },

    /** The files of a pull request, of which GitHub lists 3,000 at most ("List pull requests files"). */
    readPullRequestFiles: async (
      { number, changedFiles }: Pick<PullRequest, 'number' | 'changedFiles'>,
      signal: AbortSignal,
    ): Promise<FileList> => {
      const doing = `Reading the files of pull request ${number}`;
      const given = { pull_number: number };
      let left = keptPatches;
      const toKept = (answer: Parameters<typeof toFile>[0]) => {
        const file = toFile(answer);
        left -= file.patch?.length ?? 0;
        return left < 0 ? { ...file, patch: undefined } : file;
      };
      const items = await list([doing, signal, rest.pulls.listFiles, given], toKept, filePages);
      const files = new Map(items.map((file) => [file.path, file]));
      return { files: [...files.values()], isWhole: files.size >= changedFiles };
    },

    /**
     * The pull requests that GitHub associates with a commit: for one on the default branch, the merged one that brought it;
     * for any other, open ones too. None if the commit is unknown. The index may lag behind a push by seconds.
     */
    pullRequestsOf: async (commit_sha: string, signal: AbortSignal) => {
      const doing = `Looking up the pull requests of commit ${shortCode(commit_sha)}`;
      const method = rest.repos.listPullRequestsAssociatedWithCommit;
      const given = { commit_sha, per_page: perPage };
      return (await find([doing, signal, method, given], (data) => data.map(toMerge))) ?? [];
    },

    /**
     * What the head has changed since it left the base ("three dots"); `undefined` if one of them is gone, or nothing
     * connects them. GitHub does not say that it cut its list of files: then the two trees give the names of the others.
     */
    compare: async (base: string, head: string, signal: AbortSignal): Promise<Comparison | undefined> => {
      const given = { basehead: `${base}...${head}` };
      const doing = `Comparing ${shortCode(given.basehead)}`;
      // Without a page, the list of commits ends with the head.
      const method = rest.repos.compareCommitsWithBasehead;
      const answer = await find([doing, signal, method, given], (data) => {
        const { status, total_commits, merge_base_commit: start, commits, files } = needed(data);
        const [before, after] = [start, commits.at(-1) ?? start].map(({ commit }) => commit.tree.sha);
        const lists = { commits: commits.map(toCommit), files: files.map(toFile) };
        return { comparison: { status, totalCommits: total_commits, ...lists }, before, after };
      });
      if (answer === undefined) return undefined;
      const { comparison, before = '', after = '' } = answer;
      const { files, commits } = comparison;
      const isWhole = files.length < comparedFiles;
      if (isWhole || commits.length === 0) return { ...comparison, isWhole };
      const trees = [await readTree(before, signal), await readTree(after, signal)] as const;
      return { ...comparison, ...completed(files, ...trees) };
    },

    /** The commit of a branch, tag or SHA; `undefined` if there is none. */
    readCommit: (ref: string, signal: AbortSignal) => {
      // Its files don't matter here, and have pages of their own.
      const given = { ref, per_page: 1 };
      const doing = `Reading the commit ${shortCode(ref)}`;
      return find([doing, signal, rest.repos.getCommit, given], toCommit);
    },

    /** The newest commit of a branch, tag or SHA that was committed by then; `undefined` if there is none. */
    lastCommitBefore: (sha: string, untilMs: number, signal: AbortSignal) => {
      const given = { sha, until: new Date(untilMs).toISOString(), per_page: 1 };
      const doing = `Looking for an earlier commit of ${shortCode(sha)}`;
      return find([doing, signal, rest.repos.listCommits, given], (data) => data.map(toCommit)[0]);
    },

    /** The published release of a tag; `undefined` if there is none. */
    readRelease: (tag: string, signal: AbortSignal) => {
      const given = { ...withText, tag };
      const doing = `Reading the release ${shortCode(tag)}`;
      return find([doing, signal, rest.repos.getReleaseByTag, given], toRelease);
    },

    /** The first 100 releases of GitHub's list, whose order is undocumented: without drafts, the last published first. */
    readReleases: (signal: AbortSignal) =>
      read(['Reading the releases', signal, rest.repos.listReleases, { per_page: perPage }], (data) =>
        data
          .filter(({ draft, published_at: at }) => !draft && at !== null)
          .map(needed)
          .map(({ tag_name: tag, published_at: at }) => ({ tag, publishedAtMs: Date.parse(at) }))
          .sort((one, other) => other.publishedAtMs - one.publishedAtMs),
      ),

    /**
     * The comments of all threads that were written or edited since a time, at most so many pages: the last edited first, or the
     * oldest first.
     */
    readRepositoryComments: async (
      { sinceMs, maxPages, from = 'last edited' }: RepositoryCommentsOptions,
      signal: AbortSignal,
    ) => {
      const [sort, direction] =
        from === 'oldest' ? (['created', 'asc'] as const) : (['updated', 'desc'] as const);
      const order = { sort, direction, since: new Date(sinceMs).toISOString() };
      const method = rest.issues.listCommentsForRepo;
      const items = await list(
        ['Reading the comments', signal, method, order],
        toRepositoryComment,
        maxPages,
      );
      // A comment that is edited meanwhile moves the others, so that one may come twice.
      const comments = new Map(items.map((comment) => [comment.id, comment]));
      return { comments: [...comments.values()], isWhole: items.length < maxPages * perPage };
    },

    /** Whether a pull request is open; `unseen` if GitHub itself says that the token cannot see it (403, 404). */
    isPullRequestOpen: async ({ number: pull_number, ...at }: PullRequestRef, signal: AbortSignal) => {
      const given = { ...at, pull_number };
      const doing = `Looking at pull request ${pull_number} of ${shortCode(`${at.owner}/${at.repo}`)}`;
      const stateOf = (data: { state: string }) => (needed(data).state === 'open' ? 'open' : 'closed');
      return (await find([doing, signal, rest.pulls.get, given], stateOf, [403, 404])) ?? 'unseen';
    },
  };
}

type Tree = ReadonlyMap<string, string>;

/** The files that GitHub listed, then the others by name alone, from the trees; a rename among these is a removal and an addition. */
function completed(
  listed: readonly ChangedFile[],
  before: Tree | undefined,
  after: Tree | undefined,
): FileList {
  if (before === undefined || after === undefined) return { files: listed, isWhole: false };
  // The origin of a copy is a file of its own.
  const named = new Set(
    listed.flatMap(({ path, oldPath, status }) => (status === 'renamed' ? [oldPath, path] : [path])),
  );
  const others = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !named.has(path) && before.get(path) !== after.get(path))
    .map((path): ChangedFile => {
      const status = !before.has(path) ? 'added' : after.has(path) ? 'modified' : 'removed';
      return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
    });
  return { files: [...listed, ...others], isWhole: true };
}
