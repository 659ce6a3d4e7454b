import { shortCode } from '../text/markdown.ts';
import type { Scrub } from '../text/scrub.ts';
import { type ThreadComment, toCheckRun, toComment } from './changes.ts';
import {
  type Connection,
  type ConnectionOptions,
  connect,
  hasNext,
  perPage,
} from './connection.ts';
import { isAmbiguous } from './errors.ts';
import { createRepository, type PullRequestRef } from './repository.ts';
import { required } from './response.ts';

/** Allows for a difference between GitHub's clock and ours when we look for a comment that we just posted. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

type Reactable = { readonly kind: string; readonly id: number };

type Repository = Pick<PullRequestRef, 'owner' | 'repo'>;

/** The GitHub API that the modes use, for one repository. */
export interface GitHub extends ReturnType<typeof createClient> {
  /** The same client, whose requests and waits end with another signal. */
  within(signal: AbortSignal): GitHub;
  /** The client for a repository on the same server. For other repositories than the run's own, it uses the input `docs-token`. */
  at(repository: Repository): GitHub;
}

type Writer =
  | 'createComment'
  | 'updateComment'
  | 'deleteComment'
  | 'react'
  | 'unreact'
  | 'requestReview';

export interface GitHubReader extends Omit<GitHub, Writer | 'at' | 'within'> {
  at(repository: Repository): GitHubReader;
}

/** Clients for the run's own repository and, with `docsToken`, for others. Without one, they use the same token. */
export function createGitHub(
  options: ConnectionOptions & { docsToken?: string | undefined },
): GitHub {
  const { docsToken, ...own } = options;
  const ownName = own.repository.toLowerCase();
  const toOthers = docsToken === undefined ? {} : { token: docsToken, tokenName: 'docs-token' };
  const connections = new Map([[ownName, connect(own)]]);

  /** Returns the connection to a repository. All signals share it, and so its limits. */
  function connectionTo(repository: string) {
    const name = repository.toLowerCase();
    const known = connections.get(name);
    if (known !== undefined) return known;
    const connection = connect({ ...own, ...toOthers, repository });
    connections.set(name, connection);
    return connection;
  }

  /** Creates the client for one repository, and from it those for others: one per repository and signal. */
  function clientFor(repository: string, signal: AbortSignal, clients = new Map<string, GitHub>()) {
    const name = repository.toLowerCase();
    const known = clients.get(name);
    if (known !== undefined) return known;
    const client: GitHub = {
      ...createClient(connectionTo(repository)(signal), own.scrub),
      at: ({ owner, repo }) => clientFor(`${owner}/${repo}`, signal, clients),
      within: (other) => clientFor(repository, other),
    };
    clients.set(name, client);
    return client;
  }
  return clientFor(own.repository, own.signal);
}

/** GitHub's REST API. Calls are retried, but no comment is posted twice. Methods throw `GitHubError`, or the signal's reason. */
function createClient(connection: Connection, scrub: Scrub) {
  const { rest, clock, callGitHub, read, find, list, limits } = connection;

  const readCommentsSince = (issue_number: number, sinceMs: number) => {
    const given = { issue_number, since: new Date(sinceMs).toISOString() };
    const doing = `Reading the comments in thread ${issue_number}`;
    return list([doing, rest.issues.listComments, given], toComment);
  };

  const { reactions } = rest;
  const reactionsTo = ({ kind }: Reactable) =>
    kind === 'comment'
      ? {
          create: reactions.createForIssueComment,
          list: reactions.listForIssueComment,
          remove: reactions.deleteForIssueComment,
        }
      : {
          create: reactions.createForPullRequestReviewComment,
          list: reactions.listForPullRequestReviewComment,
          remove: reactions.deleteForPullRequestComment,
        };

  return {
    ...createRepository(connection),
    ...limits,

    /** A person's permission and role name; `undefined` if GitHub doesn't know the person. Otherwise, a 404 is an error. */
    permissionOf: (username: string) => {
      const doing = `Looking up the permission of ${shortCode(username)}`;
      return find(
        [doing, rest.repos.getCollaboratorPermissionLevel, { username }],
        (data) => ({ permission: required(data).permission, roleName: data.role_name ?? '' }),
        // For a repository that the token can't see, GitHub returns 404, too.
        ({ status, said = '' }) => status === 404 && /\bnot a user\b/.test(said),
      );
    },

    react: (to: Reactable, content: Reaction) => {
      const given = { comment_id: to.id, content };
      const asked = ['Reacting to the comment', reactionsTo(to).create, given] as const;
      return read(asked, (data) => void required(data).id);
    },

    unreact: async (to: Reactable, content: Reaction, login: string) => {
      const { list, remove } = reactionsTo(to);
      const comment_id = to.id;
      const doing = 'Removing a reaction';
      const own = await read([doing, list, { comment_id, content, per_page: perPage }], (data) =>
        required(data).find(({ user }) => user?.login === login),
      );
      if (own !== undefined)
        await read([doing, remove, { comment_id, reaction_id: own.id }], () => undefined);
    },

    /** A thread's comments, newest page first. The first page's `Link` header has the number of the last (RFC 8288). */
    async *readNewestFirst(issue_number: number) {
      const readPage = (page: number) => {
        const given = { issue_number, per_page: perPage, page };
        const doing = `Reading the comments in thread ${issue_number}`;
        return read([doing, rest.issues.listComments, given], (data, link) => ({
          items: required(data).map(toComment),
          link,
        }));
      };
      const first = await readPage(1);
      const last = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
      const later: ThreadComment[][] = [];
      // If the header doesn't name the last page, read every page.
      for (let page = first; last === undefined && hasNext(page.link); later.unshift(page.items))
        page = await readPage(later.length + 2);
      yield* later;
      for (let page = Number(last ?? 1); page > 1; page -= 1) yield (await readPage(page)).items;
      yield first.items;
    },

    readCommentsSince,

    /** `undefined` if there is no such comment (404). */
    readComment: (comment_id: number) =>
      find(['Reading the comment', rest.issues.getComment, { comment_id }], toComment),

    isThere: async ({ kind, id: comment_id }: Reactable) => {
      const method = kind === 'comment' ? rest.issues.getComment : rest.pulls.getReviewComment;
      const asked = ['Reading the comment', method, { comment_id }] as const;
      return (await find(asked, (data: { id: number }) => required(data).id)) !== undefined;
    },

    /** Posts a comment exactly once. If a failed try may have posted the comment, the thread is checked before the next try. */
    createComment: (thread: number, text: string): Promise<ThreadComment> => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let isUnclear = false;
      return callGitHub('Writing the comment', async (common) => {
        if (isUnclear) {
          const recent = await readCommentsSince(thread, sinceMs);
          const written = recent.find((comment) => comment.body === body);
          if (written !== undefined) return written;
        }
        try {
          const { data } = await rest.issues.createComment({
            ...common,
            issue_number: thread,
            body,
          });
          return toComment(data);
        } catch (error) {
          isUnclear ||= isAmbiguous(error);
          throw error;
        }
      });
    },

    /** The newest run of each of a commit's checks, among GitHub's first 100; `undefined` if there is no such commit. */
    readChecks: (ref: string) => {
      const doing = 'Reading the checks of a commit';
      const given = { ref, filter: 'latest', per_page: perPage } as const;
      return find([doing, rest.checks.listForRef, given], (data) => {
        const { total_count, check_runs } = required(data);
        const runs = check_runs.map(toCheckRun).sort((first, second) => first.id - second.id);
        // An app may create a second run of a check, instead of running the first one again.
        const byName = new Map(runs.map((run) => [`${run.app}/${run.name}`, run]));
        const checks = [...byName].sort().map(([, run]) => run);
        return { checks, isWhole: total_count <= check_runs.length };
      });
    },

    /** What a check says about lines of files: its first `most` annotations, each on one line. */
    readAnnotations: (check_run_id: number, most: number) => {
      const doing = 'Reading the annotations of a check';
      return read([doing, rest.checks.listAnnotations, { check_run_id, per_page: most }], (data) =>
        required(data).map(
          ({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`,
        ),
      );
    },

    updateComment: (comment_id: number, text: string) => {
      const given = { comment_id, body: scrub(text) };
      return read(['Editing the comment', rest.issues.updateComment, given], toComment);
    },

    deleteComment: (comment_id: number) =>
      read(['Deleting the comment', rest.issues.deleteComment, { comment_id }], () => undefined),

    /** The creation time of a workflow run, in milliseconds since the epoch. */
    readRunCreatedAt: (runId: string) =>
      read(['Reading the run', rest.actions.getWorkflowRun, { run_id: Number(runId) }], (data) =>
        Date.parse(required(data).created_at),
      ),
  };
}
