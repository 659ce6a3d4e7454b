import { shortCode } from '../text/markdown.ts';
import type { Scrub } from '../text/scrub.ts';
import { required, type ThreadComment, toComment } from './changes.ts';
import { type ConnectionOptions, connect } from './connection.ts';
import { isAmbiguous } from './errors.ts';
import { newestFirst, perPage } from './pages.ts';
import { createRepository } from './repository.ts';

/** How far GitHub's clock and ours may differ when we look for a comment written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/** Anything that can get a reaction. */
interface Reactable {
  readonly kind: string;
  readonly id: number;
}

/** The part of GitHub that the modes use, for one repository. */
export type GitHub = ReturnType<typeof createGitHub>;

/**
 * GitHub's REST API through octokit. Calls can be canceled, are retried, and never write a comment twice. Every method throws
 * `GitHubError`, or the signal's reason.
 *
 * @param scrub applied to every comment right before it is sent.
 */
export function createGitHub({ scrub, ...options }: ConnectionOptions & { readonly scrub: Scrub }) {
  const connection = connect(options);
  const { rest, clock, callGitHub, read, find, list, isNearlySpent } = connection;

  /** A thread's comments written or edited since a time. */
  const readCommentsSince = (issue_number: number, sinceMs: number, signal: AbortSignal) => {
    const given = { issue_number, since: new Date(sinceMs).toISOString() };
    const doing = `Reading the comments in thread ${issue_number}`;
    return list([doing, signal, rest.issues.listComments, given], toComment);
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
    isNearlySpent,

    /** A collaborator's permission and role name; `undefined` for anyone else (404). */
    permissionOf: (username: string, signal: AbortSignal) => {
      const method = rest.repos.getCollaboratorPermissionLevel;
      const doing = `Looking up the permission of ${shortCode(username)}`;
      return find([doing, signal, method, { username }], (data) => ({
        permission: required(data).permission,
        roleName: data.role_name ?? '',
      }));
    },

    react: (to: Reactable, content: Reaction, signal: AbortSignal) => {
      const given = { comment_id: to.id, content };
      const asked = ['Reacting to the comment', signal, reactionsTo(to).create, given] as const;
      return read(asked, (data) => void required(data).id);
    },

    /** Removes our own reaction, if there is one. */
    unreact: async (to: Reactable, content: Reaction, login: string, signal: AbortSignal) => {
      const { list, remove } = reactionsTo(to);
      const comment_id = to.id;
      const doing = 'Removing a reaction';
      const given = { comment_id, content, per_page: perPage };
      const own = await read([doing, signal, list, given], (data) =>
        data.find(({ user }) => user?.login === login),
      );
      if (own !== undefined)
        await read([doing, signal, remove, { comment_id, reaction_id: own.id }], nothing);
    },

    /** A thread's comments in pages, newest page first; within a page, oldest first. */
    readNewestFirst: (issue_number: number, signal: AbortSignal) =>
      newestFirst((page) => {
        const given = { issue_number, per_page: perPage, page };
        const doing = `Reading the comments in thread ${issue_number}`;
        return read([doing, signal, rest.issues.listComments, given], (data, link) => ({
          items: data.map(toComment),
          link,
        }));
      }),

    readCommentsSince,

    /** A comment; `undefined` if there is none (404). */
    readComment: (comment_id: number, signal: AbortSignal) =>
      find(['Reading the comment', signal, rest.issues.getComment, { comment_id }], toComment),

    /** Whether a comment still exists. */
    isThere: async ({ kind, id: comment_id }: Reactable, signal: AbortSignal) => {
      const method = kind === 'comment' ? rest.issues.getComment : rest.pulls.getReviewComment;
      const asked = ['Reading the comment', signal, method, { comment_id }] as const;
      return (await find<{ comment_id: number }, unknown, true>(asked, () => true)) === true;
    },

    /** Writes a comment exactly once: if it is unclear whether GitHub did, the thread is read before another try. */
    createComment: (thread: number, text: string, signal: AbortSignal): Promise<ThreadComment> => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let isUnclear = false;
      return callGitHub('Writing the comment', signal, async (common) => {
        if (isUnclear) {
          const written = (await readCommentsSince(thread, sinceMs, signal)).find((one) => one.body === body);
          if (written !== undefined) return written;
        }
        try {
          const { data } = await rest.issues.createComment({ ...common, issue_number: thread, body });
          return toComment(data);
        } catch (error) {
          isUnclear ||= isAmbiguous(error);
          throw error;
        }
      });
    },

    updateComment: (comment_id: number, text: string, signal: AbortSignal) => {
      const given = { comment_id, body: scrub(text) };
      return read(['Editing the comment', signal, rest.issues.updateComment, given], toComment);
    },

    deleteComment: (comment_id: number, signal: AbortSignal) =>
      read(['Deleting the comment', signal, rest.issues.deleteComment, { comment_id }], nothing),

    /** When a workflow run was created, in milliseconds since the epoch. */
    readRunCreatedAt: (runId: string, signal: AbortSignal) =>
      read(['Reading the run', signal, rest.actions.getWorkflowRun, { run_id: Number(runId) }], (data) =>
        Date.parse(required(data).created_at),
      ),
  };
}

function nothing(): void {}
