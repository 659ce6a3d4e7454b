import { shortCode } from '../text/markdown.ts';
import {
  needed,
  toCommit,
  toFile,
  toIssue,
  toListedPullRequest,
  toListedRelease,
  toPullRequest,
  toRelease,
  toRepositoryComment,
} from './answers.ts';
import type { ChangedFile, FileList, PullRequest } from './changes.ts';
import { compare } from './compare.ts';
import { type Common, type Connection, unlessMissing } from './connection.ts';
import { GitHubError } from './errors.ts';
import { perPage } from './pages.ts';
import type { RepositoryComment } from './schemas.ts';

const [contents, issues, pulls] = ['contents: read', 'issues: read', 'pull-requests: read'] as const;

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
 * says what a refused one lacked (GitHub's documentation, "Permissions required for GitHub Apps").
 */
export function createRepository(connection: Connection) {
  const { rest, patiently } = connection;
  return {
    /** `undefined` if there is no such pull request. */
    readPullRequest: (number: number, signal: AbortSignal) =>
      patiently({ doing: 'Reading the pull request', needs: pulls }, signal, async (common) => {
        const { data } = await rest.pulls.get({ ...withText(common), pull_number: number });
        return toPullRequest(data);
      }).catch(unlessMissing()),

    /** An issue, or what a pull request has in common with one; `undefined` if there is none. */
    readIssue: (number: number, signal: AbortSignal) =>
      patiently({ doing: 'Reading the issue', needs: issues }, signal, async (common) => {
        const { data } = await rest.issues.get({ ...withText(common), issue_number: number });
        return toIssue(data);
        // 410: an issue that was deleted.
      }).catch(unlessMissing([404, 410])),

    /**
     * The files of a pull request, of which GitHub lists 3,000 at most ("List pull requests files").
     * @param lighten is given the files after each page, to drop what is of no use: they can have 20 MB of patches and more.
     */
    readPullRequestFiles: async (
      { number, changedFiles }: Pick<PullRequest, 'number' | 'changedFiles'>,
      signal: AbortSignal,
      lighten: (files: readonly ChangedFile[]) => readonly ChangedFile[] = (files) => files,
    ): Promise<FileList> => {
      const files = new Map<string, ChangedFile>();
      for (let page = 1, isLast = false; !isLast; page += 1) {
        const query = { pull_number: number, per_page: perPage, page };
        const items = await patiently({ doing: 'Reading the files', needs: pulls }, signal, async (common) =>
          (await rest.pulls.listFiles({ ...common, ...query })).data.map(toFile),
        );
        for (const file of items) files.set(file.path, file);
        for (const file of lighten([...files.values()])) files.set(file.path, file);
        isLast = items.length < perPage || page * perPage >= filesListed;
      }
      return { files: [...files.values()], isWhole: files.size >= changedFiles };
    },

    /**
     * The pull requests that GitHub associates with a commit: for one on the default branch, the merged one that brought it;
     * for any other, open ones too. None if the commit is unknown. The index may lag behind a push by seconds.
     */
    pullRequestsOf: async (sha: string, signal: AbortSignal) => {
      const attempt = { doing: 'Looking up the pull requests of a commit', needs: pulls };
      const query = { commit_sha: sha, per_page: perPage };
      const found = await patiently(attempt, signal, async (common) => {
        const { data } = await rest.repos.listPullRequestsAssociatedWithCommit({ ...common, ...query });
        return data.map(toListedPullRequest);
      }).catch(unlessMissing([404, 422]));
      return found ?? [];
    },

    /**
     * What the head has changed since it left the base ("three dots"); `undefined` if one of them is gone, or nothing
     * connects them. GitHub lists 300 files without saying that it cut ("Compare two commits"): then the two trees give the
     * names of the others.
     */
    compare: (base: string, head: string, signal: AbortSignal) => compare(connection, base, head, signal),

    /** The commit of a branch, tag or SHA; `undefined` if there is none. */
    readCommit: (ref: string, signal: AbortSignal) =>
      patiently(
        { doing: `Reading the commit ${shortCode(ref)}`, needs: contents },
        signal,
        async (common) => {
          // Its files don't matter here, and have pages of their own.
          const { data } = await rest.repos.getCommit({ ...common, ref, per_page: 1 });
          return toCommit(data);
        },
      ).catch(unlessMissing([404, 422])),

    /** The newest commit of a branch, tag or SHA that was committed by then; `undefined` if there is none. */
    lastCommitBefore: async (ref: string, untilMs: number, signal: AbortSignal) => {
      const query = { sha: ref, until: new Date(untilMs).toISOString(), per_page: 1 };
      const found = await patiently(
        { doing: 'Looking for a commit', needs: contents },
        signal,
        async (common) => (await rest.repos.listCommits({ ...common, ...query })).data.map(toCommit),
        // 409: a repository without commits.
      ).catch(unlessMissing([404, 409]));
      return found?.[0];
    },

    /** The published release of a tag; `undefined` if there is none. */
    readRelease: (tag: string, signal: AbortSignal) =>
      patiently(
        { doing: `Reading the release ${shortCode(tag)}`, needs: contents },
        signal,
        async (common) => {
          const { data } = await rest.repos.getReleaseByTag({ ...withText(common), tag });
          return toRelease(data);
        },
      ).catch(unlessMissing()),

    /** The first 100 releases of GitHub's list, whose order is undocumented: without drafts, the last published first. */
    readReleases: async (signal: AbortSignal) => {
      const releases = await patiently(
        { doing: 'Reading the releases', needs: contents },
        signal,
        async (common) => {
          const { data } = await rest.repos.listReleases({ ...common, per_page: perPage });
          return data.filter(({ draft, published_at: at }) => !draft && at !== null).map(toListedRelease);
        },
      );
      return releases.toSorted((one, other) => other.publishedAtMs - one.publishedAtMs);
    },

    /** The comments of all threads that were written or edited since a time, the last edited first, at most so many pages. */
    readRepositoryComments: async (
      { sinceMs, maxPages }: { readonly sinceMs: number; readonly maxPages: number },
      signal: AbortSignal,
    ) => {
      // A comment that is edited meanwhile moves the others, so that one may come twice.
      const comments = new Map<number, RepositoryComment>();
      const order = { sort: 'updated', direction: 'desc', since: new Date(sinceMs).toISOString() } as const;
      for (let page = 1; page <= maxPages; page += 1) {
        const query = { ...order, per_page: perPage, page };
        const items = await patiently(
          { doing: 'Reading the comments', needs: issues },
          signal,
          async (common) =>
            (await rest.issues.listCommentsForRepo({ ...common, ...query })).data.map(toRepositoryComment),
        );
        for (const comment of items) if (!comments.has(comment.id)) comments.set(comment.id, comment);
        if (items.length < perPage) return { comments: [...comments.values()], isWhole: true };
      }
      return { comments: [...comments.values()], isWhole: false };
    },

    /** Whether a pull request is open; `unseen` if GitHub itself says that the token cannot see it (403, 404). */
    isPullRequestOpen: ({ owner, repo, number }: PullRequestRef, signal: AbortSignal) =>
      patiently({ doing: 'Looking at a pull request' }, signal, async (common) => {
        const { data } = await rest.pulls.get({ ...common, owner, repo, pull_number: number });
        return needed(data).state === 'open' ? 'open' : 'closed';
      }).catch((error: unknown) => {
        const isUnseen =
          error instanceof GitHubError && error.isOwnWords && (error.forbidden || error.status === 404);
        if (!isUnseen) throw error;
        return 'unseen' as const;
      }),
  };
}

/** For an answer with `body_text` next to `body` ("Media types"). */
function withText({ headers, ...common }: Common): Common {
  return { ...common, headers: { ...headers, accept: 'application/vnd.github.full+json' } };
}
