import type { Scrub } from '../text/scrub.ts';
import { needed, type ThreadComment, toComment } from './changes.ts';
import { type ConnectionOptions, connect } from './connection.ts';
import { isAmbiguous } from './errors.ts';
import type { ThreadRef } from './event.ts';
import { linkedPages, newestFirst, type PageQuery, pagesOf, perPage } from './pages.ts';
import { createRepository } from './repository.ts';

/** GitHub's clock and ours may differ when a thread is read for what was written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

interface GitHubOptions extends ConnectionOptions {
  /** Applied to every comment right before it is sent. */
  readonly scrub: Scrub;
}

/** The part of GitHub that the modes use, for one repository. */
export type GitHub = ReturnType<typeof createGitHub>;

/**
 * GitHub's REST API by octokit: cancellable, patient, and never a second comment. Every method throws `GitHubError`, or the
 * signal's reason.
 */
export function createGitHub({ scrub, ...options }: GitHubOptions) {
  const connection = connect(options);
  const { rest, clock, patiently, read, find } = connection;

  /** All comments written or edited since a time. */
  async function readCommentsSince(thread: number, sinceMs: number, signal: AbortSignal) {
    const query = { issue_number: thread, since: new Date(sinceMs).toISOString() };
    const readPage = (page: PageQuery) =>
      read(
        { doing: 'Reading the comments', signal },
        (common) => rest.issues.listComments({ ...common, ...query, ...page }),
        (data) => data.map(toComment),
      );
    const comments: ThreadComment[] = [];
    for await (const items of pagesOf(readPage)) comments.push(...items);
    return comments;
  }

  return {
    ...createRepository(connection),

    /** The collaborator's permission and role name; `undefined` for someone who is none (404). */
    permissionOf: (username: string, signal: AbortSignal) =>
      find(
        { doing: 'Looking up the permission', signal },
        (common) => rest.repos.getCollaboratorPermissionLevel({ ...common, username }),
        (data) => ({ permission: needed(data).permission, roleName: data.role_name ?? '' }),
      ),

    react: (comment_id: number, content: Reaction, signal: AbortSignal) =>
      read(
        { doing: 'Reacting to the comment', signal },
        (common) => rest.reactions.createForIssueComment({ ...common, comment_id, content }),
        (data) => void needed(data).id,
      ),

    /** Removes one's own reaction, if it is there. */
    unreact: (comment_id: number, content: Reaction, login: string, signal: AbortSignal): Promise<void> =>
      patiently({ doing: 'Removing a reaction', signal }, async (common) => {
        const at = { ...common, comment_id };
        const { data } = await rest.reactions.listForIssueComment({ ...at, content, per_page: perPage });
        const own = data.find(({ user }) => user?.login === login);
        if (own === undefined) return;
        expectNothing(await rest.reactions.deleteForIssueComment({ ...at, reaction_id: own.id }));
      }),

    /** A thread's comments, a page at a time from the newest back, each page in the order it was written. */
    readNewestFirst: ({ number, comments }: ThreadRef, signal: AbortSignal) =>
      newestFirst(comments, (page) =>
        patiently({ doing: 'Reading the comments', signal }, async (common) => {
          const query = { ...common, issue_number: number, per_page: perPage, page };
          const { data, headers } = await rest.issues.listComments(query);
          return { items: data.map(toComment), ...linkedPages(headers.link) };
        }),
      ),

    readCommentsSince,

    /** A comment; `undefined` if there is none (404). */
    readComment: (comment_id: number, signal: AbortSignal) =>
      find(
        { doing: 'Reading the comment', signal },
        (common) => rest.issues.getComment({ ...common, comment_id }),
        toComment,
      ),

    /** Writes a comment once: if it is unclear whether GitHub did, the thread is read before it is sent again. */
    createComment: (thread: number, text: string, signal: AbortSignal): Promise<ThreadComment> => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let isUnclear = false;
      return patiently({ doing: 'Writing the comment', signal }, async (common) => {
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

    updateComment: (comment_id: number, text: string, signal: AbortSignal) =>
      read(
        { doing: 'Editing the comment', signal },
        (common) => rest.issues.updateComment({ ...common, comment_id, body: scrub(text) }),
        toComment,
      ),

    deleteComment: (comment_id: number, signal: AbortSignal) =>
      patiently({ doing: 'Deleting the comment', signal }, async (common) =>
        expectNothing(await rest.issues.deleteComment({ ...common, comment_id })),
      ),

    /** When a workflow run was created, in milliseconds since the epoch. */
    readRunCreatedAt: (runId: string, signal: AbortSignal) =>
      read(
        { doing: 'Reading the run', signal },
        (common) => rest.actions.getWorkflowRun({ ...common, run_id: Number(runId) }),
        (data) => Date.parse(needed(data).created_at),
      ),
  };
}

/** A deletion is answered without content. */
function expectNothing({ status }: { readonly status: number }): void {
  if (status !== 204) throw new TypeError(`${status} instead of 204`);
}
