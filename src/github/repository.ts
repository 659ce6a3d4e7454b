import { shortCode } from '../text/markdown.ts';
import {
  type ChangedFile,
  type Comparison,
  type FileList,
  needed,
  type PullRequest,
  type RepositoryComment,
  toCommit,
  toFile,
  toIssue,
  toListedPullRequest,
  toListedRelease,
  toPullRequest,
  toRelease,
  toRepositoryComment,
} from './changes.ts';
import type { Connection } from './connection.ts';
import { type PageQuery, pagesOf, perPage } from './pages.ts';

const [contents, issues, pulls] = ['contents: read', 'issues: read', 'pull-requests: read'] as const;

/** How many pages of a pull request's files GitHub lists at most; later ones are empty, though `Link` names them. */
const filePages = 30;
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

/**
 * What is read of the repository itself. `missingReadPermission` says what a refused read lacked (GitHub's documentation,
 * "Permissions required for GitHub Apps").
 */
export function createRepository({ rest, read, find }: Connection) {
  /** All files of a tree, of which GitHub gives 100,000 and 7 MB at most ("Get a tree"). */
  const readTree = (tree_sha: string, signal: AbortSignal): Promise<Tree> =>
    read(
      { doing: 'Reading a tree', needs: contents, signal },
      (common) => rest.git.getTree({ ...common, tree_sha, recursive: 'true' }),
      ({ tree, truncated }) => {
        const files = tree.filter(({ type }) => type !== 'tree');
        return {
          files: new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`])),
          isWhole: truncated === false,
        };
      },
    );

  return {
    /** `undefined` if there is no such pull request. */
    readPullRequest: (pull_number: number, signal: AbortSignal) =>
      find(
        { doing: 'Reading the pull request', needs: pulls, signal },
        (common) => rest.pulls.get({ ...common, ...withText, pull_number }),
        toPullRequest,
      ),

    /** An issue, or what a pull request has in common with one; `undefined` if there is none, or it was deleted (410). */
    readIssue: (issue_number: number, signal: AbortSignal) =>
      find(
        { doing: 'Reading the issue', needs: issues, signal, gone: [404, 410] },
        (common) => rest.issues.get({ ...common, ...withText, issue_number }),
        toIssue,
      ),

    /** The files of a pull request, of which GitHub lists 3,000 at most ("List pull requests files"). */
    readPullRequestFiles: async (
      { number, changedFiles }: Pick<PullRequest, 'number' | 'changedFiles'>,
      signal: AbortSignal,
    ): Promise<FileList> => {
      const files = new Map<string, ChangedFile>();
      const readPage = (page: PageQuery) =>
        read(
          { doing: 'Reading the files', needs: pulls, signal },
          (common) => rest.pulls.listFiles({ ...common, pull_number: number, ...page }),
          (data) => data.map(toFile),
        );
      for await (const items of pagesOf(readPage, filePages))
        for (const file of items) files.set(file.path, file);
      return { files: [...files.values()], isWhole: files.size >= changedFiles };
    },

    /**
     * The pull requests that GitHub associates with a commit: for one on the default branch, the merged one that brought it;
     * for any other, open ones too. None if the commit is unknown. The index may lag behind a push by seconds.
     */
    pullRequestsOf: async (commit_sha: string, signal: AbortSignal) => {
      const found = await find(
        { doing: 'Looking up the pull requests of a commit', needs: pulls, signal, gone: [404, 422] },
        (common) =>
          rest.repos.listPullRequestsAssociatedWithCommit({ ...common, commit_sha, per_page: perPage }),
        (data) => data.map(toListedPullRequest),
      );
      return found ?? [];
    },

    /**
     * What the head has changed since it left the base ("three dots"); `undefined` if one of them is gone, or nothing
     * connects them. GitHub does not say that it cut its list of files: then the two trees give the names of the others.
     */
    compare: async (base: string, head: string, signal: AbortSignal): Promise<Comparison | undefined> => {
      const answer = await find(
        { doing: 'Comparing commits', needs: contents, signal },
        // Without a page, the list of commits ends with the head.
        (common) => rest.repos.compareCommitsWithBasehead({ ...common, basehead: `${base}...${head}` }),
        (data) => {
          const {
            status,
            total_commits: totalCommits,
            merge_base_commit: start,
            commits,
            files,
          } = needed(data);
          const comparison = {
            status,
            totalCommits,
            commits: commits.map(toCommit),
            files: files.map(toFile),
          };
          return { comparison, trees: [start, commits.at(-1) ?? start].map(({ commit }) => commit.tree.sha) };
        },
      );
      if (answer === undefined) return undefined;
      const { comparison, trees } = answer;
      const { files, commits } = comparison;
      const isWhole = files.length < comparedFiles;
      if (isWhole || commits.length === 0) return { ...comparison, isWhole };
      const [before = '', after = ''] = trees;
      return {
        ...comparison,
        ...completed(files, await readTree(before, signal), await readTree(after, signal)),
      };
    },

    /** The commit of a branch, tag or SHA; `undefined` if there is none. */
    readCommit: (ref: string, signal: AbortSignal) =>
      find(
        { doing: `Reading the commit ${shortCode(ref)}`, needs: contents, signal, gone: [404, 422] },
        // Its files don't matter here, and have pages of their own.
        (common) => rest.repos.getCommit({ ...common, ref, per_page: 1 }),
        toCommit,
      ),

    /** The newest commit of a branch, tag or SHA that was committed by then; `undefined` if there is none. */
    lastCommitBefore: (sha: string, untilMs: number, signal: AbortSignal) => {
      const query = { sha, until: new Date(untilMs).toISOString(), per_page: 1 };
      return find(
        // 409: a repository without commits.
        { doing: 'Looking for a commit', needs: contents, signal, gone: [404, 409] },
        (common) => rest.repos.listCommits({ ...common, ...query }),
        (data) => data.map(toCommit)[0],
      );
    },

    /** The published release of a tag; `undefined` if there is none. */
    readRelease: (tag: string, signal: AbortSignal) =>
      find(
        { doing: `Reading the release ${shortCode(tag)}`, needs: contents, signal },
        (common) => rest.repos.getReleaseByTag({ ...common, ...withText, tag }),
        toRelease,
      ),

    /** The first 100 releases of GitHub's list, whose order is undocumented: without drafts, the last published first. */
    readReleases: (signal: AbortSignal) =>
      read(
        { doing: 'Reading the releases', needs: contents, signal },
        (common) => rest.repos.listReleases({ ...common, per_page: perPage }),
        (data) =>
          data
            .filter(({ draft, published_at: at }) => !draft && at !== null)
            .map(toListedRelease)
            .sort((one, other) => other.publishedAtMs - one.publishedAtMs),
      ),

    /** The comments of all threads that were written or edited since a time, the last edited first, at most so many pages. */
    readRepositoryComments: async (
      { sinceMs, maxPages }: { readonly sinceMs: number; readonly maxPages: number },
      signal: AbortSignal,
    ) => {
      const order = { sort: 'updated', direction: 'desc', since: new Date(sinceMs).toISOString() } as const;
      const readPage = (page: PageQuery) =>
        read(
          { doing: 'Reading the comments', needs: issues, signal },
          (common) => rest.issues.listCommentsForRepo({ ...common, ...order, ...page }),
          (data) => data.map(toRepositoryComment),
        );
      // A comment that is edited meanwhile moves the others, so that one may come twice.
      const comments = new Map<number, RepositoryComment>();
      let isWhole = false;
      for await (const items of pagesOf(readPage, maxPages)) {
        for (const comment of items) if (!comments.has(comment.id)) comments.set(comment.id, comment);
        isWhole = items.length < perPage;
      }
      return { comments: [...comments.values()], isWhole };
    },

    /** Whether a pull request is open; `unseen` if GitHub itself says that the token cannot see it (403, 404). */
    isPullRequestOpen: async ({ owner, repo, number }: PullRequestRef, signal: AbortSignal) => {
      const seen = await find(
        { doing: 'Looking at a pull request', signal, gone: [403, 404] },
        (common) => rest.pulls.get({ ...common, owner, repo, pull_number: number }),
        (data) => (needed(data).state === 'open' ? 'open' : 'closed'),
      );
      return seen ?? 'unseen';
    },
  };
}

/** All files of a commit, submodules included, by path: equal texts mean equal files. */
interface Tree {
  readonly files: ReadonlyMap<string, string>;
  /** Whether GitHub gave all of it. */
  readonly isWhole: boolean;
}

/** The files that GitHub listed, then the others by name alone, from the trees; a rename among these is a removal and an addition. */
function completed(listed: readonly ChangedFile[], base: Tree, head: Tree): FileList {
  if (!base.isWhole || !head.isWhole) return { files: listed, isWhole: false };
  // The origin of a copy is a file of its own.
  const named = new Set(
    listed.flatMap(({ path, oldPath, status }) => (status === 'renamed' ? [oldPath, path] : [path])),
  );
  const paths = new Set([...base.files.keys(), ...head.files.keys()]);
  const others = [...paths]
    .filter((path) => !named.has(path) && base.files.get(path) !== head.files.get(path))
    .map((path) => byName(path, base.files.has(path), head.files.has(path)));
  return { files: [...listed, ...others], isWhole: true };
}

function byName(path: string, wasThere: boolean, isThere: boolean): ChangedFile {
  const status = !wasThere ? 'added' : isThere ? 'modified' : 'removed';
  return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
}
