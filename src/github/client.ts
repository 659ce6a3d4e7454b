import { request as octokit } from '@octokit/request';
import type { Dispatcher } from 'undici';
import * as z from 'zod/mini';
import { withRetries } from '../http/retry.ts';
import type { Clock } from '../lib/clock.ts';
import { fromRequestError, GitHubError, isAmbiguous, retryWaitMs } from './errors.ts';
import type { ThreadRef } from './event.ts';
import { fetchOver } from './fetch.ts';
import { lastPageOf, newestFirst, perPage } from './pages.ts';

const tries = 4;
/** GitHub's clock and ours need not agree when a thread is asked for what was written a moment ago. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

export interface ThreadComment {
  readonly id: number;
  readonly body: string;
  readonly login: string;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Whether it still is as it was written. */
  readonly unedited: boolean;
}

export interface CommentsPage {
  /** In the order they were written. */
  readonly comments: readonly ThreadComment[];
  /** The number of the last page; `undefined` when this is it. */
  readonly lastPage: number | undefined;
}

/** The part of GitHub that the modes use, for one repository. Every method throws `GitHubError`, or the signal's reason. */
export interface GitHub {
  /** The collaborator's permission and role name; `undefined` for somebody who is none (404). */
  permissionOf(
    login: string,
    signal: AbortSignal,
  ): Promise<{ permission: string; roleName: string } | undefined>;
  react(commentId: number, reaction: Reaction, signal: AbortSignal): Promise<void>;
  /** A thread's comments, a page at a time from the newest back, each page in the order it was written. */
  readNewestFirst(thread: ThreadRef, signal: AbortSignal): AsyncGenerator<readonly ThreadComment[]>;
  /** All comments written or edited since a time. */
  readCommentsSince(thread: number, sinceMs: number, signal: AbortSignal): Promise<readonly ThreadComment[]>;
  readComment(id: number, signal: AbortSignal): Promise<ThreadComment>;
  /** Writes a comment once: when it is unclear whether GitHub took it, the thread is asked before it is sent again. */
  createComment(thread: number, body: string, signal: AbortSignal): Promise<ThreadComment>;
  updateComment(id: number, body: string, signal: AbortSignal): Promise<ThreadComment>;
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
}

const commentSchema = z.object({
  id: z.number(),
  body: z.nullish(z.string()),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.nullish(z.object({ login: z.string() })),
});
const reactionSchema = z.object({ id: z.number(), content: z.string() });
/** What octokit makes of a 204. */
const noContent = z.literal('');
const permissionSchema = z.object({ permission: z.string(), role_name: z.prefault(z.string(), '') });
const runSchema = z.object({ created_at: z.string() });

const comment = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
const threadComments = '/repos/{owner}/{repo}/issues/{issue_number}/comments';

/** GitHub's REST API over octokit's request, with our own waiting: cancellable, and never a second comment. */
export function createGitHub({ apiUrl, token, repository, clock, dispatcher }: GitHubOptions): GitHub {
  const [owner = '', repo = ''] = repository.split('/');
  const api = octokit.defaults({
    baseUrl: apiUrl,
    owner,
    repo,
    headers: {
      authorization: `token ${token}`,
      'user-agent': 'docs-agent-action',
      'x-github-api-version': '2022-11-28',
    },
  });

  /** One request over our own connections, and an answer in the shape promised. */
  async function ask<T>(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    schema: z.ZodMiniType<T>,
    signal: AbortSignal,
  ): Promise<{ data: T; link: string | undefined }> {
    const response = await api(route, { ...parameters, request: { fetch: fetchOver(dispatcher, signal) } });
    if (response.status >= 300) throw new GitHubError(`GitHub answered ${response.status}, a redirect`);
    const parsed = schema.safeParse(response.data);
    if (!parsed.success) throw new GitHubError('GitHub’s answer is not in the form it documents');
    return { data: parsed.data, link: response.headers.link };
  }

  /** Runs something that may be run again until it succeeds or cannot. */
  function patiently<T>(what: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    return withRetries(
      async () => {
        signal.throwIfAborted();
        return attempt().catch((error: unknown) => {
          signal.throwIfAborted();
          throw fromRequestError(what, error, clock.now());
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
      const data = await patiently('Reading the comments', signal, async () => {
        const parameters = { issue_number: thread, since, per_page: perPage, page };
        return (await ask(`GET ${threadComments}`, parameters, z.array(commentSchema), signal)).data;
      });
      comments.push(...data.map(toComment));
      isLast = data.length < perPage;
    }
    return comments;
  };

  return {
    permissionOf: (login, signal) =>
      patiently('Looking up the permission', signal, async () => {
        const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
        const { data } = await ask(route, { username: login }, permissionSchema, signal);
        return { permission: data.permission, roleName: data.role_name };
      }).catch((error: unknown) => {
        if (error instanceof GitHubError && error.status === 404) return undefined;
        throw error;
      }),

    react: (commentId, content, signal) =>
      patiently('Reacting to the comment', signal, async () => {
        await ask(`POST ${comment}/reactions`, { comment_id: commentId, content }, reactionSchema, signal);
      }),

    readNewestFirst: (thread, signal) =>
      newestFirst(thread, (page) =>
        patiently('Reading the comments', signal, async () => {
          const parameters = { issue_number: thread.number, per_page: perPage, page };
          const { data, link } = await ask(
            `GET ${threadComments}`,
            parameters,
            z.array(commentSchema),
            signal,
          );
          return { comments: data.map(toComment), lastPage: lastPageOf(link) };
        }),
      ),

    readCommentsSince,

    readComment: (id, signal) =>
      patiently('Reading the comment', signal, async () => {
        const { data } = await ask(`GET ${comment}`, { comment_id: id }, commentSchema, signal);
        return toComment(data);
      }),

    createComment: (thread, body, signal) => {
      const sinceMs = clock.now() - clockSkewMs;
      let unclear = false;
      return patiently('Writing the comment', signal, async () => {
        if (unclear) {
          const written = (await readCommentsSince(thread, sinceMs, signal)).find((one) => one.body === body);
          if (written !== undefined) return written;
        }
        try {
          const { data } = await ask(
            `POST ${threadComments}`,
            { issue_number: thread, body },
            commentSchema,
            signal,
          );
          return toComment(data);
        } catch (error) {
          unclear ||= isAmbiguous(error);
          throw error;
        }
      });
    },

    updateComment: (id, body, signal) =>
      patiently('Editing the comment', signal, async () => {
        const { data } = await ask(`PATCH ${comment}`, { comment_id: id, body }, commentSchema, signal);
        return toComment(data);
      }),

    deleteComment: (id, signal) =>
      patiently('Deleting the comment', signal, async () => {
        await ask(`DELETE ${comment}`, { comment_id: id }, noContent, signal);
      }),

    readRunCreatedAt: (runId, signal) =>
      patiently('Reading the run', signal, async () => {
        const { data } = await ask(
          'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
          { run_id: runId },
          runSchema,
          signal,
        );
        return Date.parse(data.created_at);
      }),
  };
}

function toComment(comment: z.infer<typeof commentSchema>): ThreadComment {
  const { id, body, html_url, created_at, updated_at, user } = comment;
  return {
    id,
    body: body ?? '',
    login: user?.login ?? 'ghost',
    url: html_url,
    createdAtMs: Date.parse(created_at),
    unedited: updated_at === created_at,
  };
}
