import { isoSeconds } from '../clock/clock.ts';
import type { CheckRun } from './repository/checks.ts';
import { type FileChange, patchOf } from './repository/diff.ts';
import type { GitCommit } from './repository/git.ts';
import type { PullRequest } from './repository/pull-requests.ts';
import type { Release } from './repository/releases.ts';
import type { Review, ReviewComment } from './repository/reviews.ts';
import type { GitHubStore } from './store.ts';
import type { Comment, Reaction, Thread } from './types.ts';

type Json = Record<string, unknown>;

/** GitHub's JSON for responses and webhook payloads, with the fields that the action or a workflow can use. */
export class GitHubJson {
  readonly apiUrl: string;
  readonly serverUrl = 'https://github.com';
  readonly #store: GitHubStore;

  constructor(store: GitHubStore, apiUrl: string) {
    this.#store = store;
    this.apiUrl = apiUrl;
  }

  get repoUrl(): string {
    return `${this.apiUrl}/repos/${this.#store.fullName}`;
  }

  user(login: string): Json {
    return { login, type: this.#store.users.get(login)?.type ?? 'User' };
  }

  /** The author of something, and whether the author belongs to the repository. */
  #by(login: string): Json {
    const { permission = 'none', isContributor } = this.#store.users.get(login) ?? {};
    const isMember = permission === 'admin' || permission === 'write';
    const outside = isContributor ? 'CONTRIBUTOR' : 'NONE';
    return { user: this.user(login), author_association: isMember ? 'MEMBER' : outside };
  }

  repository(): Json {
    const { id, isPrivate } = this.#store.repository;
    return { id, full_name: this.#store.fullName, default_branch: 'main', private: isPrivate };
  }

  threadUrl({ number, isPullRequest }: Thread): string {
    return `${this.serverUrl}/${this.#store.fullName}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
  }

  /** @param full whether to include `body_text` and `body_html`. */
  thread(thread: Thread, full = false): Json {
    const { number, title, author, state, isPullRequest, createdAt } = thread;
    const htmlUrl = this.threadUrl(thread);
    return {
      // GitHub's IDs have nothing to do with the numbers.
      id: 3_100_000_000 + number,
      number,
      title,
      state,
      locked: thread.locked,
      ...written(thread.body, full),
      ...this.#by(author),
      labels: thread.labels.map((name) => ({ name })),
      html_url: htmlUrl,
      ...(isPullRequest ? { pull_request: { html_url: htmlUrl } } : {}),
      comments: this.#store.commentsOf(number).length,
      created_at: isoSeconds(createdAt),
    };
  }

  /** @param full whether to include `body_text`. */
  comment(comment: Comment, full = false): Json {
    const { id, number, login, body, createdAt, updatedAt, minimized } = comment;
    const thread = this.#store.thread(number);
    return {
      id,
      html_url: `${this.threadUrl(thread)}#issuecomment-${id}`,
      issue_url: `${this.repoUrl}/issues/${number}`,
      ...this.#by(login),
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(updatedAt),
      minimized: minimized === undefined ? null : { reason: minimized },
      ...written(body, full),
    };
  }

  reviewComment(comment: ReviewComment, full = false): Json {
    const { id, number, reviewId, login, body, path, hunk, replyTo, createdAt, updatedAt } =
      comment;
    const { line = null, startLine = null, isOutdated = false, side = 'RIGHT' } = comment;
    return {
      id,
      html_url: `${this.threadUrl(this.#store.thread(number))}#discussion_r${id}`,
      pull_request_review_id: reviewId,
      ...(replyTo === undefined ? {} : { in_reply_to_id: replyTo }),
      path,
      diff_hunk: hunk,
      line: isOutdated ? null : line,
      start_line: isOutdated ? null : startLine,
      original_line: line,
      original_start_line: startLine,
      side,
      subject_type: line === null ? 'file' : 'line',
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(updatedAt),
      ...this.#by(login),
      ...written(body, full),
    };
  }

  review({ id, number, login, body, submittedAt }: Review): Json {
    return {
      id,
      html_url: `${this.threadUrl(this.#store.thread(number))}#pullrequestreview-${id}`,
      ...this.#by(login),
      body,
      submitted_at: isoSeconds(submittedAt),
    };
  }

  reaction({ id, content, login }: Reaction): Json {
    return { id, user: this.user(login), content };
  }

  checkRun({
    sha,
    app,
    detailsUrl,
    title,
    summary,
    annotations,
    completedAt,
    ...run
  }: CheckRun): Json {
    const output = { title, summary, text: null, annotations_count: annotations.length };
    const completed_at = completedAt === null ? null : isoSeconds(completedAt);
    return {
      ...run,
      head_sha: sha,
      details_url: detailsUrl,
      app: { slug: app },
      completed_at,
      output,
    };
  }

  listedPullRequest(pullRequest: PullRequest, full = false): Json {
    const { number, head, base, fork, mergedAt, closedAt, mergeCommitSha } = pullRequest;
    const thread = this.#store.thread(number);
    const { pull_request: _, ...issue } = this.thread(thread, full);
    const branch = ({ ref, sha }: PullRequest['head']) => ({ ref, sha, repo: this.repository() });
    return {
      ...issue,
      merged_at: mergedAt === null ? null : isoSeconds(mergedAt),
      closed_at: closedAt === null ? null : isoSeconds(closedAt),
      updated_at: isoSeconds(closedAt ?? thread.createdAt),
      merge_commit_sha: mergeCommitSha,
      draft: pullRequest.isDraft,
      head: fork === undefined ? branch(head) : { ...branch(head), repo: { full_name: fork } },
      base: branch(base),
    };
  }

  pullRequest(pullRequest: PullRequest, changes: readonly FileChange[], full = false): Json {
    return {
      ...this.listedPullRequest(pullRequest, full),
      merged: pullRequest.mergedAt !== null,
      additions: sum(changes.map((change) => patchOf(change)?.added ?? 0)),
      deletions: sum(changes.map((change) => patchOf(change)?.removed ?? 0)),
      changed_files: changes.length,
    };
  }

  /** Entries of a file list, with as many patches as one response can contain. */
  files(changes: readonly FileChange[], ref = ''): Json[] {
    let lines = 0;
    return changes.map((change) => {
      const patch = patchOf(change);
      lines += patch?.lines ?? 0;
      // Beyond the limit, GitHub reports 0 changed lines without saying that there are more.
      const shown = lines <= this.#store.listLimits.patchLines ? patch : undefined;
      return {
        sha: (change.after ?? change.before)?.blob,
        filename: change.path,
        ...(change.oldPath === undefined ? {} : { previous_filename: change.oldPath }),
        status: change.status,
        blob_url: `${this.serverUrl}/${this.#store.fullName}/blob/${ref}/${change.path}`,
        additions: shown?.added ?? 0,
        deletions: shown?.removed ?? 0,
        ...(shown === undefined ? {} : { patch: shown.text }),
      };
    });
  }

  commit({ sha, message, parents, treeSha }: GitCommit): Json {
    return {
      sha,
      commit: { message, tree: { sha: treeSha } },
      parents: parents.map((parent) => ({ sha: parent })),
    };
  }

  /** All files and folders of a tree, up to the limit of one response. */
  tree({ tree, treeSha }: GitCommit): Json {
    const { treeEntries } = this.#store.listLimits;
    const folders = new Set([...tree.keys()].flatMap(foldersOf));
    const entries = [
      ...[...folders].map((path) => ({ path, mode: '040000', type: 'tree', sha: treeSha })),
      ...[...tree].map(([path, { blob: sha, mode }]) => {
        return { path, mode, type: mode === '160000' ? 'commit' : 'blob', sha };
      }),
    ].sort((one, other) => (one.path < other.path ? -1 : 1));
    return {
      sha: treeSha,
      tree: entries.slice(0, treeEntries),
      truncated: entries.length > treeEntries,
    };
  }

  release(release: Release, full = false): Json {
    const { tag, body, author, publishedAt, isPrerelease } = release;
    return {
      html_url: `${this.serverUrl}/${this.#store.fullName}/releases/tag/${tag}`,
      tag_name: tag,
      name: tag,
      draft: false,
      prerelease: isPrerelease,
      ...written(body, full),
      published_at: isoSeconds(publishedAt),
      author: this.user(author),
    };
  }
}

/** The fields for a text; `null` if the text is empty. */
function written(body: string, full: boolean): Json {
  if (body === '') return { body: null, ...(full ? { body_text: null } : {}) };
  return { body, ...(full ? { body_text: renderedText(body) } : {}) };
}

/** The text that readers see: the Markdown without HTML comments and tags. */
function renderedText(body: string): string {
  return body
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(/<\/?[a-z][^>]*>/gi, '')
    .trim();
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
