import * as z from 'zod/mini';

const user = z.object({ login: z.string(), type: z.optional(z.string()) });

const commentPayload = z.object({
  action: z.string(),
  comment: z.object({
    id: z.number(),
    body: z.nullish(z.string()),
    user: z.nullish(user),
  }),
  issue: z.object({ number: z.number(), comments: z.optional(z.number()) }),
});

const numbered = z.object({ number: z.number(), comments: z.optional(z.number()) });
const threadPayload = z.object({ issue: z.optional(numbered), pull_request: z.optional(numbered) });

const written = z.object({ body: z.nullish(z.string()) });
const otherPayload = z.object({
  comment: z.nullish(written),
  review: z.nullish(written),
  sender: z.nullish(user),
});

/** Events about something that somebody has written; only `issue_comment` can carry a command. */
const otherCommentEvents: ReadonlySet<string> = new Set([
  'pull_request_review_comment',
  'pull_request_review',
  'commit_comment',
  'discussion_comment',
  'discussion',
]);

export interface CommentEvent {
  readonly kind: 'comment';
  readonly action: string;
  readonly thread: ThreadRef;
  readonly comment: { readonly id: number; readonly body: string; readonly author: Author };
}

export interface Author {
  readonly login: string;
  readonly isBot: boolean;
}

/** An issue or pull request. */
export interface ThreadRef {
  readonly number: number;
  /** How many comments it had when the event was sent, where the payload tells. */
  readonly comments: number | undefined;
}

/** The event of the run, as far as this action cares. */
export type GitHubEvent =
  | CommentEvent
  /** An issue or pull request, without a comment. */
  | { readonly kind: 'thread'; readonly thread: ThreadRef }
  /** Something that somebody has written where no command is listened to. */
  | {
      readonly kind: 'other-comment';
      readonly name: string;
      readonly body: string;
      /** Who wrote or edited a comment; `undefined` for what is none, as a discussion. */
      readonly author: Author | undefined;
    }
  | { readonly kind: 'other'; readonly name: string };

/** Whether events of this name are about something that somebody has written. */
export function isCommentEvent(name: string): boolean {
  return name === 'issue_comment' || otherCommentEvents.has(name);
}

/** Reads the webhook payload; one that is not as GitHub documents it counts as an event without a thread. */
export function parseEvent(name: string, payload: unknown): GitHubEvent {
  if (name === 'issue_comment') {
    const parsed = commentPayload.safeParse(payload);
    if (parsed.success) return commentEvent(parsed.data);
  }
  if (otherCommentEvents.has(name)) return otherComment(name, payload);
  const parsed = threadPayload.safeParse(payload);
  const thread = parsed.success ? (parsed.data.pull_request ?? parsed.data.issue) : undefined;
  if (thread === undefined) return { kind: 'other', name };
  return { kind: 'thread', thread: { number: thread.number, comments: thread.comments } };
}

function otherComment(name: string, payload: unknown): GitHubEvent {
  const { data } = otherPayload.safeParse(payload);
  const body = data?.comment?.body ?? data?.review?.body ?? '';
  const author = name === 'discussion' ? undefined : authorOf(data?.sender);
  return { kind: 'other-comment', name, body, author };
}

function authorOf(from: z.infer<typeof user> | null | undefined): Author {
  return { login: from?.login ?? 'ghost', isBot: from?.type === 'Bot' };
}

function commentEvent({ action, comment, issue }: z.infer<typeof commentPayload>): CommentEvent {
  return {
    kind: 'comment',
    action,
    thread: { number: issue.number, comments: issue.comments },
    comment: {
      id: comment.id,
      body: comment.body ?? '',
      author: authorOf(comment.user),
    },
  };
}
