import { parseFileCommit } from '../core/address.ts';
import { code } from '../text/markdown.ts';
import {
  type FileList,
  isInto,
  type PullRequest,
  pathsOf,
  toFile,
  toListedPull,
  toMerge,
  toPerson,
  toPullRequest,
  toPullRequestState,
  toReviewComment,
} from './changes.ts';
import {
  type Connection,
  hasNext,
  isUnknownCommit,
  perPage,
  type Rest,
  withText,
} from './connection.ts';
import type { GitHubError } from './errors.ts';
import { required } from './response.ts';

/** GitHub lists at most this many pages of a pull request's files. Later pages are empty. */
const maxFilePages = 30;
/**
 * How many characters of a pull request's patches are kept in memory. This is more than any prompt
 * can contain.
 */
const maxPatches = 4_000_000;
/** How many pages of merged pull requests are read. */
const maxMergedPages = 3;

export type MergedPullRequest = ReturnType<typeof toMerged>;

/** Pull requests, their files, and their reviews. */
export function createPullRequests(connection: Connection) {
  const { read, find, list } = connection;
  const { pulls } = connection.rest;
  return {
    readPullRequest: (pull_number: number) =>
      find(
        `Reading pull request ${pull_number}`,
        pulls.get,
        { ...withText, pull_number },
        toPullRequest,
      ),

    /**
     * The state of a pull request; `undefined` if the token can't see it (404), or may not read
     * pull requests.
     */
    readPullRequestState: (pull_number: number) =>
      find(
        `Checking pull request ${pull_number} in ${code(connection.options.repository)}`,
        pulls.get,
        { pull_number },
        toPullRequestState,
        isUnseen,
      ),

    /** The 100 pull requests that were updated last. */
    readRecentPullRequests: () =>
      read(
        'Reading the pull requests',
        pulls.list,
        { ...withText, state: 'all', sort: 'updated', direction: 'desc', per_page: perPage },
        (data) => required(data).map(toListedPull),
      ),

    /** The comments on a pull request's lines, oldest first. */
    readReviewComments: (pull_number: number) =>
      list(
        `Reading the review comments of pull request ${pull_number}`,
        pulls.listReviewComments,
        { ...withText, pull_number, sort: 'created', direction: 'asc' },
        toReviewComment,
      ),

    /** The text of a review; `undefined` if there is no such review. */
    readReviewBody: (pull_number: number, review_id: number) =>
      find(
        `Reading a review of pull request ${pull_number}`,
        pulls.getReview,
        { pull_number, review_id },
        (data) => required(data).html_url && (data.body ?? ''),
      ),

    /**
     * The files of a pull request. GitHub lists at most 3,000 of them ("List pull requests files").
     */
    readPullRequestFiles: async (
      pull: Pick<PullRequest, 'number' | 'changedFiles' | 'headSha'>,
    ): Promise<FileList> => {
      const heads = new Set<string | undefined>();
      let remaining = maxPatches;
      const items = await list(
        `Reading the files of pull request ${pull.number}`,
        pulls.listFiles,
        { pull_number: pull.number },
        (answer) => {
          const file = toFile(answer);
          if (file.status !== 'removed') heads.add(parseFileCommit(answer.blob_url));
          remaining -= file.patch?.length ?? 0;
          return remaining < 0 ? { ...file, patch: undefined } : file;
        },
        maxFilePages,
      );
      const files = new Map(items.map((file) => [file.path, file]));
      return {
        files: [...files.values()],
        isWhole: files.size >= pull.changedFiles,
        isOfHead: heads.size === 1 && heads.has(pull.headSha),
      };
    },

    /**
     * The paths of a pull request's first 100 files, and the hash of each file's content;
     * `undefined` if the diff is too large for GitHub (422). A renamed file has two paths.
     */
    readChangedPaths: (pull_number: number) =>
      find(
        `Reading the files of pull request ${pull_number}`,
        pulls.listFiles,
        { pull_number, per_page: perPage },
        (data, link) => {
          const files = required(data).map((answer) => {
            return { paths: pathsOf(toFile(answer)), hash: answer.sha };
          });
          return { files, paths: files.flatMap(({ paths }) => paths), isWhole: !hasNext(link) };
        },
        ({ status }) => status === 422,
      ),

    /**
     * The pull requests of a commit; on the default branch, the merged one. The list may be empty
     * right after a push. GitHub's list also has pull requests into forks that contain the commit.
     */
    pullRequestsOf: async (commit_sha: string) => {
      const found = await find(
        `Looking up the pull requests for commit ${code(commit_sha)}`,
        connection.rest.repos.listPullRequestsAssociatedWithCommit,
        { commit_sha, per_page: perPage },
        (data) => {
          const ofRepository = required(data).filter((answer) =>
            isInto(answer, connection.options),
          );
          return ofRepository.map((answer) => {
            const pull = required(answer);
            const createdAtMs = Date.parse(pull.created_at);
            return { ...toMerge(answer), number: pull.number, url: pull.html_url, createdAtMs };
          });
        },
        isUnknownCommit,
      );
      return found ?? [];
    },

    /** The pull requests that were merged into a branch since then, the ones merged last first. */
    readMerged: async (base: string, sinceMs: number) => {
      const closed = new Map<number, MergedPullRequest>();
      let isWhole = false;
      for (let page = 1; page <= maxMergedPages && !isWhole; page += 1) {
        if (connection.limits.isNearlySpent()) break;
        isWhole = await read(
          'Reading the pull requests',
          pulls.list,
          { base, state: 'closed', sort: 'updated', direction: 'desc', per_page: perPage, page },
          (data, link) => {
            const pullsOfPage = required(data).map(toMerged);
            for (const pull of pullsOfPage) closed.set(pull.number, pull);
            // A pull request that wasn't updated since then wasn't merged since then either.
            return !hasNext(link) || pullsOfPage.some(({ updatedAtMs }) => updatedAtMs < sinceMs);
          },
        );
      }
      const merged = [...closed.values()].filter(({ mergedAtMs }) => mergedAtMs >= sinceMs);
      return { pulls: merged.sort((a, b) => b.mergedAtMs - a.mergedAtMs), isWhole };
    },

    /**
     * Requests a review. GitHub rejects the pull request's author and people who aren't
     * collaborators (422).
     */
    requestReview: (pull_number: number, login: string) => {
      const params = { pull_number, reviewers: [login] };
      return read('Asking for a review', pulls.requestReviewers, params, () => undefined);
    },
  };
}

function isUnseen({ status, lacks }: GitHubError): boolean {
  return status === 404 || lacks === 'permission';
}

function toMerged(answer: Awaited<ReturnType<Rest['pulls']['list']>>['data'][number]) {
  const pull = required(answer);
  return {
    number: pull.number,
    url: pull.html_url,
    isBot: toPerson(answer.user).isBot,
    updatedAtMs: Date.parse(pull.updated_at),
    /** Not a number if it wasn't merged. */
    mergedAtMs: Date.parse(answer.merged_at ?? ''),
  };
}
