import { shortCode } from '../text/markdown.ts';
import {
  type ChangedFile,
  type Comparison,
  type FileList,
  type PullRequest,
  toComment,
  toCommit,
  toFile,
  toIssue,
  toMerge,
  toPerson,
  toPullRequest,
  toPullRequestState,
  toRelease,
  toReviewComment,
} from './changes.ts';
import { type Connection, hasNext, perPage, type Rest } from './connection.ts';
import type { GitHubError } from './errors.ts';
import { required } from './response.ts';

/** GitHub lists at most this many pages of a pull request's files. Later pages are empty. */
const filePages = 30;
/** How many characters of a pull request's patches are kept in memory. This is more than any prompt can contain. */
const keptPatches = 4_000_000;
/** A comparison lists at most this many files, all on its first page ("Compare two commits"). */
const comparedFiles = 300;
/** How many pages of merged pull requests are read. */
const mergedPages = 3;

/** Requests `body_text` in addition to `body` ("Media types"). */
const withText = { headers: { accept: 'application/vnd.github.full+json' } };

/** A pull request in any repository on the same server. */
export interface PullRequestRef {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

export type Merged = Awaited<
  ReturnType<ReturnType<typeof createRepository>['readMerged']>
>['pulls'][number];

export function createRepository({ repository, rest, read, find, list, limits }: Connection) {
  /** The files of a commit or branch, each with a value that changes with it; `undefined` if GitHub truncates the tree ("Get a tree"). */
  const readTree = (tree_sha: string): Promise<Tree | undefined> =>
    read(['Reading a tree', rest.git.getTree, { tree_sha, recursive: 'true' }], (data) => {
      const { tree, truncated } = required(data);
      const files = tree.filter(({ type }) => type !== 'tree');
      return truncated
        ? undefined
        : new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`]));
    });

  return {
    readTree,

    readPullRequest: (pull_number: number) => {
      const given = { ...withText, pull_number };
      return find([`Reading pull request ${pull_number}`, rest.pulls.get, given], toPullRequest);
    },

    /** An issue, or the fields of a pull request that issues also have; `undefined` if there is none. */
    readIssue: (issue_number: number) => {
      const given = { ...withText, issue_number };
      const asked = [`Reading issue ${issue_number}`, rest.issues.get, given] as const;
      return find(asked, (data) => ({ ...toIssue(data), isLocked: data.locked }));
    },

    /** The comments on a pull request's lines, oldest first. */
    readReviewComments: (pull_number: number) => {
      const given = { ...withText, pull_number, sort: 'created', direction: 'asc' } as const;
      const doing = `Reading the review comments of pull request ${pull_number}`;
      return list([doing, rest.pulls.listReviewComments, given], toReviewComment);
    },

    /** The text of a review; `undefined` if there is no such review. */
    readReviewBody: (pull_number: number, review_id: number) => {
      const doing = `Reading a review of pull request ${pull_number}`;
      const asked = [doing, rest.pulls.getReview, { pull_number, review_id }] as const;
      return find(asked, (data) => required(data).html_url && (data.body ?? ''));
    },

    /** The files of a pull request. GitHub lists at most 3,000 of them ("List pull requests files"). */
    readPullRequestFiles: async ({
      number,
      changedFiles,
      headSha,
    }: Pick<PullRequest, 'number' | 'changedFiles' | 'headSha'>): Promise<FileList> => {
      const doing = `Reading the files of pull request ${number}`;
      const given = { pull_number: number };
      const heads = new Set<string | undefined>();
      let remaining = keptPatches;
      const toKept = (answer: Parameters<typeof toFile>[0]) => {
        const file = toFile(answer);
        if (file.status !== 'removed') heads.add(/\/blob\/(\w+)\//.exec(answer.blob_url)?.[1]);
        remaining -= file.patch?.length ?? 0;
        return remaining < 0 ? { ...file, patch: undefined } : file;
      };
      const items = await list([doing, rest.pulls.listFiles, given], toKept, filePages);
      const files = new Map(items.map((file) => [file.path, file]));
      const isOfHead = heads.size === 1 && heads.has(headSha);
      return { files: [...files.values()], isWhole: files.size >= changedFiles, isOfHead };
    },

    /** The pull requests of a commit; on the default branch, the merged one. The list may be empty right after a push. */
    pullRequestsOf: async (commit_sha: string) => {
      const doing = `Looking up the pull requests for commit ${shortCode(commit_sha)}`;
      const method = rest.repos.listPullRequestsAssociatedWithCommit;
      const pulls = await find([doing, method, { commit_sha, per_page: perPage }], (data) =>
        required(data).map((pull) => {
          const { number, html_url: url, created_at } = required(pull);
          return { ...toMerge(pull), number, url, createdAtMs: Date.parse(created_at) };
        }),
      );
      return pulls ?? [];
    },

    /** The changes on the head since it branched off the base; `undefined` without a common history, or if a commit is gone. */
    compare: async (base: string, head: string): Promise<Comparison | undefined> => {
      const given = { basehead: `${base}...${head}` };
      // The head is the last commit in the list only if no page number is passed.
      const method = rest.repos.compareCommitsWithBasehead;
      const answer = await find(
        [`Comparing ${shortCode(given.basehead)}`, method, given],
        (data) => {
          const {
            status,
            total_commits,
            merge_base_commit: start,
            commits,
            files,
          } = required(data);
          const [before, after] = [start, commits.at(-1) ?? start].map(
            (end) => required(end).commit.tree.sha,
          );
          const lists = { commits: commits.map(toCommit), files: files.map(toFile) };
          return { comparison: { status, totalCommits: total_commits, ...lists }, before, after };
        },
      );
      if (answer === undefined) return undefined;
      const { comparison, before = '', after = '' } = answer;
      const { files, commits } = comparison;
      const isWhole = files.length < comparedFiles;
      if (isWhole || commits.length === 0) return { ...comparison, isWhole };
      const trees = [await readTree(before), await readTree(after)] as const;
      return { ...comparison, ...completed(files, ...trees) };
    },

    /** The commit that a branch, tag, or SHA refers to; `undefined` if there is none. */
    readCommit: (ref: string) => {
      // The commit's files come in pages, but we don't need them.
      const doing = `Reading the commit ${shortCode(ref)}`;
      return find([doing, rest.repos.getCommit, { ref, per_page: 1 }], toCommit);
    },

    /** The newest commit of a branch, tag, or SHA before a given time; `undefined` if there is none. */
    lastCommitBefore: (sha: string, untilMs: number) => {
      const given = { sha, until: new Date(untilMs).toISOString(), per_page: 1 };
      const doing = `Looking for an earlier commit in the history of ${shortCode(sha)}`;
      return find(
        [doing, rest.repos.listCommits, given],
        (data) => required(data).map(toCommit)[0],
      );
    },

    /** The published release for a tag; `undefined` if there is none. */
    readRelease: (tag: string) => {
      const doing = `Reading the release ${shortCode(tag)}`;
      return find([doing, rest.repos.getReleaseByTag, { ...withText, tag }], toRelease);
    },

    /** The published releases, newest first. Only GitHub's first 100 are read, and their order is undocumented. */
    readReleases: () =>
      read(['Reading the releases', rest.repos.listReleases, { per_page: perPage }], (data) =>
        required(data)
          .filter(({ published_at: at }) => at !== null)
          .map((release) => required(release))
          .map(({ tag_name: tag, published_at: at }) => ({ tag, publishedAtMs: Date.parse(at) }))
          .sort((a, b) => b.publishedAtMs - a.publishedAtMs),
      ),

    /** The comments in all threads that were posted or edited since a given time, at most `maxPages` pages. */
    readRepositoryComments: async ({
      sinceMs,
      maxPages,
    }: {
      readonly sinceMs: number;
      readonly maxPages: number;
    }) => {
      const order = {
        sort: 'updated',
        direction: 'desc',
        since: new Date(sinceMs).toISOString(),
      } as const;
      const method = rest.issues.listCommentsForRepo;
      const items = await list(['Reading the comments', method, order], toComment, maxPages);
      // If a comment is edited while the pages are read, it may appear twice.
      const comments = new Map(items.map((comment) => [comment.id, comment]));
      return { comments: [...comments.values()], isWhole: items.length < maxPages * perPage };
    },

    /** One page of 100 comments in all threads, the ones that were posted last first. */
    readRepositoryPage: (page: number) => {
      const given = { sort: 'created', direction: 'desc', per_page: perPage, page } as const;
      const asked = ['Reading the comments', rest.issues.listCommentsForRepo, given] as const;
      return read(asked, (data) => required(data).map(toComment));
    },

    /** The state of a pull request; `undefined` if the token can't see it (404), or may not read pull requests. */
    readPullRequestState: (pull_number: number) => {
      const doing = `Checking pull request ${pull_number} in ${shortCode(repository)}`;
      const isUnseen = ({ status, lacks }: GitHubError) => status === 404 || lacks === 'permission';
      return find([doing, rest.pulls.get, { pull_number }], toPullRequestState, isUnseen);
    },

    /** A repository, by default the client's. `current`: its name today. With an earlier one, GitHub redirects each request. */
    readAbout: (named: object = {}) =>
      read(['Reading the repository', rest.repos.get, named], (data) => {
        const { default_branch: defaultBranch, private: isPrivate, full_name } = required(data);
        const [owner = '', repo = ''] = full_name.split('/');
        return { defaultBranch, isPrivate, current: { owner, repo } };
      }),

    /** The pull requests that were merged into a branch since then, the ones merged last first. */
    readMerged: async (base: string, sinceMs: number) => {
      const found = new Map<number, ReturnType<typeof toMerged>>();
      let isWhole = false;
      for (let page = 1; page <= mergedPages && !isWhole && !limits.isNearlySpent(); page += 1) {
        const order = { state: 'closed', sort: 'updated', direction: 'desc' } as const;
        const given = { ...order, base, per_page: perPage, page };
        await read(['Reading the pull requests', rest.pulls.list, given], (data, link) => {
          const pulls = required(data).map(toMerged);
          for (const pull of pulls) found.set(pull.number, pull);
          // A pull request that wasn't updated since then wasn't merged since then either.
          isWhole = !hasNext(link) || pulls.some(({ updatedAtMs }) => updatedAtMs < sinceMs);
        });
      }
      const pulls = [...found.values()].filter(({ mergedAtMs }) => mergedAtMs >= sinceMs);
      return { pulls: pulls.toSorted((a, b) => b.mergedAtMs - a.mergedAtMs), isWhole };
    },

    /** The paths of a pull request's first 100 files; `undefined` if the diff is too large for GitHub (422). A renamed file has two. */
    readChangedPaths: (pull_number: number) => {
      const doing = `Reading the files of pull request ${pull_number}`;
      const asked = [doing, rest.pulls.listFiles, { pull_number, per_page: perPage }] as const;
      return find(
        asked,
        (data, link) => {
          const files = required(data).map(toFile);
          const paths = files.flatMap(({ path, oldPath, status }) =>
            status === 'renamed' && oldPath !== undefined ? [path, oldPath] : [path],
          );
          return { paths, isWhole: !hasNext(link) };
        },
        ({ status }) => status === 422,
      );
    },

    /** Requests a review. GitHub rejects the pull request's author and people who aren't collaborators (422). */
    requestReview: (pull_number: number, login: string) => {
      const given = { pull_number, reviewers: [login] };
      return read(['Asking for a review', rest.pulls.requestReviewers, given], () => undefined);
    },
  };
}

type Tree = ReadonlyMap<string, string>;

/** The files that GitHub listed, and the names of all other changed files from the trees. */
function completed(listed: readonly ChangedFile[], before?: Tree, after?: Tree): FileList {
  if (before === undefined || after === undefined) return { files: listed, isWhole: false };
  // Don't exclude the original of a copied file: it still exists, and is listed separately if it changed.
  const named = new Set(
    listed.flatMap(({ path, oldPath, status }) =>
      status === 'renamed' ? [oldPath, path] : [path],
    ),
  );
  const others = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !named.has(path) && before.get(path) !== after.get(path))
    .map((path): ChangedFile => {
      const status = !before.has(path) ? 'added' : after.has(path) ? 'modified' : 'removed';
      return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
    });
  return { files: [...listed, ...others], isWhole: true };
}

function toMerged(answer: Awaited<ReturnType<Rest['pulls']['list']>>['data'][number]) {
  const { number, html_url: url, updated_at } = required(answer);
  return {
    number,
    url,
    isBot: toPerson(answer.user).isBot,
    updatedAtMs: Date.parse(updated_at),
    /** Not a number if it wasn't merged. */
    mergedAtMs: Date.parse(answer.merged_at ?? ''),
  };
}
