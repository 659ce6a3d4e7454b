import type {
  ChangedFile,
  Commit,
  Comparison,
  FileList,
  Issue,
  ListedPullRequest,
  ListedRelease,
  PullRequest,
  Release,
} from './changes.ts';
import { compare } from './compare.ts';
import { type Connection, parse, unlessMissing } from './connection.ts';
import { GitHubError } from './errors.ts';
import { perPage } from './pages.ts';
import type { RepositoryComment } from './schemas.ts';

/** Loaded when first needed: most runs read no change, and should not wait for it. */
const schemas = () => import('./change-schemas.ts');

/** How many files of a pull request GitHub lists at most; later pages are empty, though `Link` names them. */
const filesListed = 3_000;

/** A pull request of any repository on the same server. */
export interface PullRequestRef {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/**
 * What is read of the repository itself. Every method throws `GitHubError`, or the signal's reason; `missingReadPermission`
 * tells what a refused one lacked (GitHub's documentation, "Permissions required for GitHub Apps").
 */
export interface Repository {
  /** `undefined` where there is no such pull request. */
  readPullRequest(number: number, signal: AbortSignal): Promise<PullRequest | undefined>;
  /** An issue, or what a pull request has in common with one; `undefined` where there is none. */
  readIssue(number: number, signal: AbortSignal): Promise<Issue | undefined>;
  /**
   * The files of a pull request, of which GitHub lists 3,000 at most ("List pull requests files").
   * @param lighten is given the files after each page, to let go of what is of no use: they can have 20 MB of patches and more.
   */
  readPullRequestFiles(
    pullRequest: Pick<PullRequest, 'number' | 'changedFiles'>,
    signal: AbortSignal,
    lighten?: (files: readonly ChangedFile[]) => readonly ChangedFile[],
  ): Promise<FileList>;
  /**
   * The pull requests that GitHub associates with a commit: of one on the default branch, the merged one that brought it; of
   * any other, open ones too. None where the commit is unknown. The index may lag behind a push by seconds.
   */
  pullRequestsOf(sha: string, signal: AbortSignal): Promise<readonly ListedPullRequest[]>;
  /**
   * What the head has changed since it left the base ("three dots"); `undefined` where one of them is gone, or nothing
   * connects them. GitHub lists 300 files without saying that it cut ("Compare two commits"): then the two trees tell the
   * names of the others.
   */
  compare(base: string, head: string, signal: AbortSignal): Promise<Comparison | undefined>;
  /** The commit that a branch, a tag or a SHA stands for; `undefined` where there is none. */
  readCommit(ref: string, signal: AbortSignal): Promise<Commit | undefined>;
  /** The newest commit of a branch, tag or SHA that was committed by then; `undefined` where there is none. */
  lastCommitBefore(ref: string, untilMs: number, signal: AbortSignal): Promise<Commit | undefined>;
  /** The published release of a tag; `undefined` where there is none. */
  readRelease(tag: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The first 100 releases of GitHub's list less the drafts, the last published first. Their order there is not documented. */
  readReleases(signal: AbortSignal): Promise<readonly ListedRelease[]>;
  /** The comments of all threads that were written or edited since a time, the last edited first, at most so many pages of 100. */
  readRepositoryComments(
    options: { readonly sinceMs: number; readonly maxPages: number },
    signal: AbortSignal,
  ): Promise<{ readonly comments: readonly RepositoryComment[]; readonly isWhole: boolean }>;
  /** Whether a pull request is open; `unseen` where by GitHub's own words the token cannot see it (403, 404). */
  isPullRequestOpen(pullRequest: PullRequestRef, signal: AbortSignal): Promise<'open' | 'closed' | 'unseen'>;
}

/** The repository's part of GitHub's REST API. */
export function createRepository(connection: Connection): Repository {
  const { rest, common, patiently } = connection;
  /** As `common`, for an answer with `body_text` beside `body` ("Media types"). */
  const withText = (signal: AbortSignal) => {
    const { headers, ...rest } = common(signal);
    return { ...rest, headers: { ...headers, accept: 'application/vnd.github.full+json' } };
  };

  return {
    readPullRequest: (number, signal) => {
      const read = async () =>
        parse(
          (await schemas()).pullRequestSchema,
          await rest.pulls.get({ ...withText(signal), pull_number: number }),
        );
      return patiently('Reading the pull request', signal, read, 'pull-requests: read').catch(
        unlessMissing(),
      );
    },

    readIssue: (number, signal) => {
      const read = async () =>
        parse(
          (await schemas()).issueSchema,
          await rest.issues.get({ ...withText(signal), issue_number: number }),
        );
      // 410: an issue that was deleted.
      return patiently('Reading the issue', signal, read, 'issues: read').catch(unlessMissing([404, 410]));
    },

    readPullRequestFiles: async ({ number, changedFiles }, signal, lighten = (files) => files) => {
      const files = new Map<string, ChangedFile>();
      for (let page = 1, isLast = false; !isLast; page += 1) {
        const query = { ...common(signal), pull_number: number, per_page: perPage, page };
        const read = async () => parse((await schemas()).filesSchema, await rest.pulls.listFiles(query));
        const items = await patiently('Reading the files', signal, read, 'pull-requests: read');
        for (const file of items) files.set(file.path, file);
        for (const file of lighten([...files.values()])) files.set(file.path, file);
        isLast = items.length < perPage || page * perPage >= filesListed;
      }
      return { files: [...files.values()], isWhole: files.size >= changedFiles };
    },

    pullRequestsOf: async (sha, signal) => {
      const query = { ...common(signal), commit_sha: sha, per_page: perPage };
      const read = async () =>
        parse(
          (await schemas()).listedPullRequestsSchema,
          await rest.repos.listPullRequestsAssociatedWithCommit(query),
        );
      const doing = 'Looking up the pull requests of a commit';
      const found = await patiently(doing, signal, read, 'pull-requests: read').catch(
        unlessMissing([404, 422]),
      );
      return found ?? [];
    },

    compare: (base, head, signal) => compare(connection, base, head, signal),

    readCommit: (ref, signal) => {
      const read = async () => {
        // Its files are of no interest, and come on pages of their own.
        const query = { ...common(signal), ref, per_page: 1 };
        return parse((await schemas()).commitSchema, await rest.repos.getCommit(query));
      };
      return patiently('Reading the commit', signal, read, 'contents: read').catch(unlessMissing([404, 422]));
    },

    lastCommitBefore: async (ref, untilMs, signal) => {
      const query = { ...common(signal), sha: ref, until: new Date(untilMs).toISOString(), per_page: 1 };
      const read = async () => parse((await schemas()).commitsSchema, await rest.repos.listCommits(query));
      // 409: a repository without commits.
      const found = await patiently('Looking for a commit', signal, read, 'contents: read').catch(
        unlessMissing([404, 409]),
      );
      return found?.[0];
    },

    readRelease: (tag, signal) => {
      const read = async () =>
        parse(
          (await schemas()).releaseSchema,
          await rest.repos.getReleaseByTag({ ...withText(signal), tag }),
        );
      return patiently('Reading the release', signal, read, 'contents: read').catch(unlessMissing());
    },

    readReleases: async (signal) => {
      const read = async () =>
        parse(
          (await schemas()).releasesSchema,
          await rest.repos.listReleases({ ...common(signal), per_page: perPage }),
        );
      const releases = await patiently('Reading the releases', signal, read, 'contents: read');
      return releases
        .filter((release) => release !== undefined)
        .toSorted((one, other) => other.publishedAtMs - one.publishedAtMs);
    },

    readRepositoryComments: async ({ sinceMs, maxPages }, signal) => {
      // A comment that is edited in the meantime moves the others, so that one may come twice.
      const comments = new Map<number, RepositoryComment>();
      const order = { sort: 'updated', direction: 'desc', since: new Date(sinceMs).toISOString() } as const;
      for (let page = 1; page <= maxPages; page += 1) {
        const query = { ...common(signal), ...order, per_page: perPage, page };
        const read = async () =>
          parse((await schemas()).repositoryCommentsSchema, await rest.issues.listCommentsForRepo(query));
        const items = await patiently('Reading the comments', signal, read, 'issues: read');
        for (const comment of items) if (!comments.has(comment.id)) comments.set(comment.id, comment);
        if (items.length < perPage) return { comments: [...comments.values()], isWhole: true };
      }
      return { comments: [...comments.values()], isWhole: false };
    },

    isPullRequestOpen: ({ owner, repo, number }, signal) => {
      const read = async () => {
        const query = { ...common(signal), owner, repo, pull_number: number };
        const { state } = parse((await schemas()).stateSchema, await rest.pulls.get(query));
        return state === 'open' ? 'open' : 'closed';
      };
      return patiently('Looking at a pull request', signal, read).catch((error: unknown) => {
        const isUnseen =
          error instanceof GitHubError && error.isOwnWords && (error.forbidden || error.status === 404);
        if (!isUnseen) throw error;
        return 'unseen';
      });
    },
  };
}
