import * as z from 'zod/mini';
import type { Scrub } from '../text/scrub.ts';
import { type Connection, parse, unlessMissing } from './connection.ts';
import type { ThreadRef } from './event.ts';
import { isAmbiguous } from './failures.ts';
import { lastPageOf, newestFirst, perPage } from './pages.ts';
import {
  commentSchema,
  noContentSchema,
  permissionSchema,
  reactionSchema,
  reactionsSchema,
  runSchema,
  type ThreadComment,
} from './schemas.ts';

/** GitHub's clock and ours need not agree when a thread is asked for what was written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/** Threads and what is asked about them. Every method throws `GitHubError`, or the signal's reason. */
export interface Threads {
  /** The collaborator's permission and role name; `undefined` for somebody who is none (404). */
  permissionOf(
    login: string,
    signal: AbortSignal,
  ): Promise<{ permission: string; roleName: string } | undefined>;
  react(commentId: number, reaction: Reaction, signal: AbortSignal): Promise<void>;
  /** Takes back a reaction of one's own, if it is there. */
  unreact(commentId: number, reaction: Reaction, login: string, signal: AbortSignal): Promise<void>;
  /** A thread's comments, a page at a time from the newest back, each page in the order it was written. */
  readNewestFirst(thread: ThreadRef, signal: AbortSignal): AsyncGenerator<readonly ThreadComment[]>;
  /** All comments written or edited since a time. */
  readCommentsSince(thread: number, sinceMs: number, signal: AbortSignal): Promise<readonly ThreadComment[]>;
  readComment(id: number, signal: AbortSignal): Promise<ThreadComment>;
  /**
   * Writes a comment once: when it is unclear whether GitHub took it, the thread is asked before it is sent again.
   *
   * @param onUnclear called after each try of which it is unclear whether GitHub has carried it out, or will in a moment.
   */
  createComment(
    thread: number,
    body: string,
    signal: AbortSignal,
    onUnclear?: () => void,
  ): Promise<ThreadComment>;
  /** Edits a comment; `onUnclear` as in `createComment`. */
  updateComment(
    id: number,
    body: string,
    signal: AbortSignal,
    onUnclear?: () => void,
  ): Promise<ThreadComment>;
  deleteComment(id: number, signal: AbortSignal): Promise<void>;
  /** When a workflow run was created, in milliseconds since the epoch. */
  readRunCreatedAt(runId: string, signal: AbortSignal): Promise<number>;
}

/**
 * Comments and reactions: never a second one for the first.
 * @param scrub what every comment passes last before it is sent.
 */
export function createThreads({ rest, clock, common, patiently }: Connection, scrub: Scrub): Threads {
  const readCommentsSince: Threads['readCommentsSince'] = async (thread, sinceMs, signal) => {
    const since = new Date(sinceMs).toISOString();
    const comments: ThreadComment[] = [];
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const query = { ...common(signal), issue_number: thread, since, per_page: perPage, page };
      const items = await patiently('Reading the comments', signal, async () =>
        parse(z.array(commentSchema), await rest.issues.listComments(query)),
      );
      comments.push(...items);
      isLast = items.length < perPage;
    }
    return comments;
  };

  return {
    permissionOf: (login, signal) =>
      patiently('Looking up the permission', signal, async () => {
        const query = { ...common(signal), username: login };
        const answer = await rest.repos.getCollaboratorPermissionLevel(query);
        const { permission, role_name: roleName } = parse(permissionSchema, answer);
        return { permission, roleName };
      }).catch(unlessMissing()),

    react: (id, content, signal) =>
      patiently('Reacting to the comment', signal, async () => {
        const reaction = { ...common(signal), comment_id: id, content };
        parse(reactionSchema, await rest.reactions.createForIssueComment(reaction));
      }),

    unreact: (id, content, login, signal) =>
      patiently('Taking a reaction back', signal, async () => {
        const query = { ...common(signal), comment_id: id, content, per_page: perPage };
        const reactions = parse(reactionsSchema, await rest.reactions.listForIssueComment(query));
        const own = reactions.find(({ user }) => user?.login === login);
        if (own === undefined) return;
        const reaction = { ...common(signal), comment_id: id, reaction_id: own.id };
        parse(noContentSchema, await rest.reactions.deleteForIssueComment(reaction));
      }),

    readNewestFirst: (thread, signal) =>
      newestFirst(thread, (page) =>
        patiently('Reading the comments', signal, async () => {
          const query = { ...common(signal), issue_number: thread.number, per_page: perPage, page };
          const answer = await rest.issues.listComments(query);
          const items = parse(z.array(commentSchema), answer);
          return { items, lastPage: lastPageOf(answer.headers.link) };
        }),
      ),

    readCommentsSince,

    readComment: (id, signal) =>
      patiently('Reading the comment', signal, async () =>
        parse(commentSchema, await rest.issues.getComment({ ...common(signal), comment_id: id })),
      ),

    createComment: (thread, text, signal, onUnclear) => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let unclear = false;
      return patiently('Writing the comment', signal, async () => {
        if (unclear) {
          const written = (await readCommentsSince(thread, sinceMs, signal)).find((one) => one.body === body);
          if (written !== undefined) return written;
        }
        try {
          const comment = { ...common(signal), issue_number: thread, body };
          return parse(commentSchema, await rest.issues.createComment(comment));
        } catch (error) {
          if (isAmbiguous(error)) {
            unclear = true;
            onUnclear?.();
          }
          throw error;
        }
      });
    },

    updateComment: (id, text, signal, onUnclear) =>
      patiently('Editing the comment', signal, async () => {
        try {
          const edit = { ...common(signal), comment_id: id, body: scrub(text) };
          return parse(commentSchema, await rest.issues.updateComment(edit));
        } catch (error) {
          if (isAmbiguous(error)) onUnclear?.();
          throw error;
        }
      }),

    deleteComment: (id, signal) =>
      patiently('Deleting the comment', signal, async () => {
        parse(noContentSchema, await rest.issues.deleteComment({ ...common(signal), comment_id: id }));
      }),

    readRunCreatedAt: (runId, signal) =>
      patiently('Reading the run', signal, async () => {
        const query = { ...common(signal), run_id: Number(runId) };
        return Date.parse(parse(runSchema, await rest.actions.getWorkflowRun(query)).created_at);
      }),
  };
}
