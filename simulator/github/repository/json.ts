import { isoSeconds } from '../../clock/clock.ts';
import { type GitHubJson, written } from '../json.ts';
import type { GitHubStore } from '../store.ts';
import { type FileChange, patchOf } from './diff.ts';
import type { PullRequest } from './pull-requests.ts';
import type { Release } from './releases.ts';
import type { GitCommit } from './types.ts';

type Json = Record<string, unknown>;

/** GitHub's JSON of what its repository holds. */
export class RepositoryJson {
  readonly #store: GitHubStore;
  readonly #json: GitHubJson;

  constructor(store: GitHubStore, json: GitHubJson) {
    this.#store = store;
    this.#json = json;
  }

  /** A pull request as lists have it. */
  listedPullRequest(pullRequest: PullRequest, full = false): Json {
    const { number, head, base, mergedAt, mergeCommitSha } = pullRequest;
    const thread = this.#store.thread(number);
    const { pull_request: _, ...issue } = this.#json.thread(thread, full);
    const branch = ({ ref, sha }: PullRequest['head']) => ({ ref, sha, repo: this.#json.repository() });
    return {
      ...issue,
      merged_at: mergedAt === null ? null : isoSeconds(mergedAt),
      closed_at: mergedAt === null ? null : isoSeconds(mergedAt),
      merge_commit_sha: mergeCommitSha,
      head: branch(head),
      base: branch(base),
    };
  }

  pullRequest(pullRequest: PullRequest, changes: readonly FileChange[], full = false): Json {
    return {
      ...this.listedPullRequest(pullRequest, full),
      merged: pullRequest.mergedAt !== null,
      commits: pullRequest.commits.size,
      changed_files: changes.length,
    };
  }

  /** A part of a list of files, with as many patches as one answer holds. */
  files(changes: readonly FileChange[]): Json[] {
    const { patchLines, patchBytes, filePatchBytes } = this.#store.listLimits;
    const used = { lines: 0, bytes: 0 };
    return changes.map((change) => {
      const patch = patchOf(change);
      used.lines += patch?.lines ?? 0;
      used.bytes += patch?.text.length ?? 0;
      const fits = used.lines <= patchLines && used.bytes <= patchBytes;
      // Past the limit GitHub counts nothing, and nothing marks such a file.
      const counted = fits ? patch : undefined;
      const isShown = patch !== undefined && fits && patch.text.length <= filePatchBytes;
      return {
        sha: (change.after ?? change.before)?.blob,
        filename: change.path,
        ...(change.oldPath === undefined ? {} : { previous_filename: change.oldPath }),
        status: change.status,
        additions: counted?.added ?? 0,
        deletions: counted?.removed ?? 0,
        changes: (counted?.added ?? 0) + (counted?.removed ?? 0),
        ...(isShown ? { patch: patch.text } : {}),
      };
    });
  }

  commit({ sha, message, author, at, parents, treeSha }: GitCommit): Json {
    const person = { name: author, email: `${author}@example.test`, date: isoSeconds(at) };
    return {
      sha,
      html_url: `${this.#json.serverUrl}/${this.#store.fullName}/commit/${sha}`,
      commit: { message, author: person, committer: person, tree: { sha: treeSha } },
      author: this.#json.user(author),
      committer: this.#json.user(author),
      parents: parents.map((parent) => ({ sha: parent })),
    };
  }

  /** All entries of a tree, the folders among them, as many as one answer holds. */
  tree({ tree, treeSha }: GitCommit): Json {
    const { treeEntries } = this.#store.listLimits;
    const folders = new Set([...tree.keys()].flatMap(foldersOf));
    const entries = [
      ...[...folders].map((path) => ({ path, mode: '040000', type: 'tree', sha: treeSha })),
      ...[...tree].map(([path, { blob, mode }]) => ({
        path,
        mode,
        type: mode === '160000' ? 'commit' : 'blob',
        sha: blob,
      })),
    ].sort((one, other) => (one.path < other.path ? -1 : 1));
    return { sha: treeSha, tree: entries.slice(0, treeEntries), truncated: entries.length > treeEntries };
  }

  release(release: Release, full = false): Json {
    const { id, tag, name, body, author, isDraft, isPrerelease, createdAt, publishedAt } = release;
    return {
      id,
      html_url: `${this.#json.serverUrl}/${this.#store.fullName}/releases/tag/${tag}`,
      tag_name: tag,
      name,
      ...written(body, full),
      draft: isDraft,
      prerelease: isPrerelease,
      created_at: isoSeconds(createdAt),
      published_at: publishedAt === null ? null : isoSeconds(publishedAt),
      author: this.#json.user(author),
    };
  }
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
