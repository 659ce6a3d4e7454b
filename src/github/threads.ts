import type { Scrub } from '../text/scrub.ts';
import { needed, toComment } from './answers.ts';
import { type Connection, unlessMissing } from './connection.ts';
import type { ThreadRef } from './event.ts';
import { isAmbiguous } from './failures.ts';
import { linkedPages, newestFirst, perPage } from './pages.ts';
import type { ThreadComment } from './schemas.ts';

/** GitHub's clock and ours may differ when a thread is read for what was written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/**
 * Threads, and what is asked about them. Every method throws `GitHubError`, or the signal's reason.
 * @param scrub is applied to every comment right before it is sent.
 */
export function createThreads({ rest, clock, patiently }: Connection, scrub: Scrub) {
  /** All comments written or edited since a time. */
  const readCommentsSince = async (thread: number, sinceMs: number, signal: AbortSignal) => {
    const since = new Date(sinceMs).toISOString();
    const comments: ThreadComment[] = [];
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const query = { issue_number: thread, since, per_page: perPage, page };
      const items = await patiently({ doing: 'Reading the comments' }, signal, async (common) =>
        (await rest.issues.listComments({ ...common, ...query })).data.map(toComment),
      );
      comments.push(...items);
      isLast = items.length < perPage;
    }
    return comments;
  };

  return {
    /** The collaborator's permission and role name; `undefined` for someone who is none (404). */
    permissionOf: (login: string, signal: AbortSignal) =>
      patiently({ doing: 'Looking up the permission' }, signal, async (common) => {
        const query = { ...common, username: login };
        const { data } = await rest.repos.getCollaboratorPermissionLevel(query);
        return { permission: needed(data).permission, roleName: data.role_name ?? '' };
      }).catch(unlessMissing()),

    react: (id: number, content: Reaction, signal: AbortSignal): Promise<void> =>
      patiently({ doing: 'Reacting to the comment' }, signal, async (common) => {
        const reaction = { ...common, comment_id: id, content };
        needed((await rest.reactions.createForIssueComment(reaction)).data).id;
      }),

    /** Removes one's own reaction, if it is there. */
    unreact: (id: number, content: Reaction, login: string, signal: AbortSignal): Promise<void> =>
      patiently({ doing: 'Removing a reaction' }, signal, async (common) => {
        const at = { ...common, comment_id: id };
        const { data } = await rest.reactions.listForIssueComment({ ...at, content, per_page: perPage });
        const own = data.find(({ user }) => user?.login === login);
        if (own === undefined) return;
        expectNothing(await rest.reactions.deleteForIssueComment({ ...at, reaction_id: own.id }));
      }),

    /** A thread's comments, a page at a time from the newest back, each page in the order it was written. */
    readNewestFirst: ({ number, comments }: ThreadRef, signal: AbortSignal) =>
      newestFirst(comments, (page) =>
        patiently({ doing: 'Reading the comments' }, signal, async (common) => {
          const query = { ...common, issue_number: number, per_page: perPage, page };
          const { data, headers } = await rest.issues.listComments(query);
          return { items: data.map(toComment), ...linkedPages(headers.link) };
        }),
      ),

    readCommentsSince,

    readComment: (id: number, signal: AbortSignal) =>
      patiently({ doing: 'Reading the comment' }, signal, async (common) => {
        const { data } = await rest.issues.getComment({ ...common, comment_id: id });
        return toComment(data);
      }),

    /** Writes a comment once: if it is unclear whether GitHub did, the thread is read before it is sent again. */
    createComment: (thread: number, text: string, signal: AbortSignal) => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let isUnclear = false;
      return patiently({ doing: 'Writing the comment' }, signal, async (common) => {
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

    updateComment: (id: number, text: string, signal: AbortSignal) =>
      patiently({ doing: 'Editing the comment' }, signal, async (common) => {
        const edit = { ...common, comment_id: id, body: scrub(text) };
        return toComment((await rest.issues.updateComment(edit)).data);
      }),

    deleteComment: (id: number, signal: AbortSignal): Promise<void> =>
      patiently({ doing: 'Deleting the comment' }, signal, async (common) =>
        expectNothing(await rest.issues.deleteComment({ ...common, comment_id: id })),
      ),

    /** When a workflow run was created, in milliseconds since the epoch. */
    readRunCreatedAt: (runId: string, signal: AbortSignal) =>
      patiently({ doing: 'Reading the run' }, signal, async (common) => {
        const { data } = await rest.actions.getWorkflowRun({ ...common, run_id: Number(runId) });
        return Date.parse(needed(data).created_at);
      }),
  };
}

/** A deletion is answered without content. */
function expectNothing({ status }: { readonly status: number }): void {
  if (status !== 204) throw new TypeError(`${status} instead of 204`);
}
