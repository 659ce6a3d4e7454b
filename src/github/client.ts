import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import * as z from 'zod/mini';
import { withRetries } from '../http/retry.ts';
import type { Clock } from '../lib/clock.ts';
import type { Scrub } from '../lib/scrub.ts';
import { GitHubError } from './errors.ts';
import type { ThreadRef } from './event.ts';
import { isAmbiguous, meaningOf, retryWaitMs } from './failures.ts';
import { fetchOver } from './fetch.ts';
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

const tries = 4;
/** GitHub's clock and ours need not agree when a thread is asked for what was written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/** The part of GitHub that the modes use, for one repository. Every method throws `GitHubError`, or the signal's reason. */
export interface GitHub {
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

export interface GitHubOptions {
  readonly apiUrl: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** What every comment passes last before it is sent. */
  readonly scrub: Scrub;
}

/** What octokit gives for an answer that is no error. */
interface Answer {
  readonly status: number;
  readonly headers: { readonly link?: string };
  readonly data: unknown;
}

/** GitHub's REST API by octokit, over our own connections, with our own waiting: cancellable, and never a second comment. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { apiUrl, token, repository, clock, dispatcher, scrub } = options;
  const { rest } = getOctokit(token, {
    baseUrl: apiUrl,
    userAgent: 'docs-agent-action',
    request: { fetch: fetchOver(dispatcher) },
  });
  const [owner = '', repo = ''] = repository.split('/');
  /** What every request carries. */
  const common = (signal: AbortSignal) => ({
    owner,
    repo,
    headers: { 'x-github-api-version': '2022-11-28' },
    request: { signal },
  });

  /** Tries until it succeeds or cannot. @throws GitHubError, or the signal's reason. */
  function patiently<T>(doing: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    return withRetries(
      async () => {
        signal.throwIfAborted();
        return attempt().catch((error: unknown) => {
          signal.throwIfAborted();
          throw meaningOf(error, doing, clock.now());
        });
      },
      {
        tries,
        clock,
        signal,
        waitMs: (error, soFar) => (error instanceof GitHubError ? retryWaitMs(error, soFar) : undefined),
      },
    );
  }

  const readCommentsSince: GitHub['readCommentsSince'] = async (thread, sinceMs, signal) => {
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
      }).catch((error: unknown) => {
        if (error instanceof GitHubError && error.status === 404) return undefined;
        throw error;
      }),

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

/** The answer in the form promised. @throws GitHubError for any other, redirects included. */
function parse<T>(schema: z.ZodMiniType<T>, { status, data }: Answer): T {
  if (status >= 300) throw new GitHubError(`GitHub answered ${status}, a redirect`);
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new GitHubError('GitHub’s answer is not in the form it documents');
  return parsed.data;
}
