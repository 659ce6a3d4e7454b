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

const numbered = z.object({
  number: z.number(),
  comments: z.optional(z.number()),
  merged: z.optional(z.nullable(z.boolean())),
});
const threadPayload = z.object({
  action: z.optional(z.string()),
  issue: z.optional(numbered),
  pull_request: z.optional(numbered),
  sender: z.nullish(user),
});

const written = z.object({ id: z.optional(z.number()), body: z.nullish(z.string()), user: z.nullish(user) });
const otherPayload = z.object({
  action: z.optional(z.string()),
  pull_request: z.optional(z.object({ number: z.number() })),
  comment: z.nullish(written),
  review: z.nullish(written),
  discussion: z.nullish(written),
});

const repository = z.object({ full_name: z.string() });
const headPayload = z.object({
  repository,
  pull_request: z.object({ head: z.object({ repo: z.nullish(repository) }) }),
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
  /** Something that somebody did with an issue or pull request, without a comment. */
  | {
      readonly kind: 'thread';
      readonly thread: ThreadRef;
      /** Who did it: opened, labelled, pushed, merged. */
      readonly actor: Author;
      /** A pull request that was closed without being merged. */
      readonly isRejected: boolean;
    }
  /** Something that somebody has written where no command is listened to. */
  | {
      readonly kind: 'other-comment';
      readonly name: string;
      readonly action: string;
      /** Names it among those of its event, where the payload tells. */
      readonly id: number | undefined;
      /** The pull request that it stands in, if it stands in one. */
      readonly thread: ThreadRef | undefined;
      readonly body: string;
      /** Who wrote it, whoever started the run by editing or deleting it. */
      readonly author: Author;
    }
  | { readonly kind: 'other'; readonly name: string };

/** Whether events of this name are about something that somebody has written. */
export function isCommentEvent(name: string): boolean {
  return name === 'issue_comment' || otherCommentEvents.has(name);
}

/** Whether an event is what somebody, perhaps a stranger, has written or done: they need a permission. */
export function isSomebodysAct({ kind }: GitHubEvent): boolean {
  return kind !== 'other';
}

/** Reads the webhook payload; one that is not as GitHub documents it counts as an event without a thread. */
export function parseEvent(name: string, payload: unknown): GitHubEvent {
  if (name === 'issue_comment') {
    const parsed = commentPayload.safeParse(payload);
    if (parsed.success) return commentEvent(parsed.data);
  }
  // A comment that cannot be read is nobody's command, and nobody's to ask on.
  if (isCommentEvent(name)) return otherComment(name, payload);
  const { data } = threadPayload.safeParse(payload);
  const thread = data?.pull_request ?? data?.issue;
  if (data === undefined || thread === undefined) return { kind: 'other', name };
  const { number, comments } = thread;
  const isRejected = data.action === 'closed' && thread === data.pull_request && thread.merged !== true;
  return { kind: 'thread', thread: { number, comments }, actor: authorOf(data.sender), isRejected };
}

function otherComment(name: string, payload: unknown): GitHubEvent {
  const { data } = otherPayload.safeParse(payload);
  const { id, body, user } = data?.comment ?? data?.review ?? data?.discussion ?? {};
  const number = data?.pull_request?.number;
  return {
    kind: 'other-comment',
    name,
    action: data?.action ?? '',
    id,
    thread: number === undefined ? undefined : { number, comments: undefined },
    body: body ?? '',
    author: authorOf(user),
  };
}

/**
 * Whether GitHub starts such a run without secrets: pull requests of forks, and whatever Dependabot starts (GitHub's
 * documentation, "Using secrets in GitHub Actions" and "Troubleshooting Dependabot on GitHub Actions").
 */
export function comesWithoutSecrets(payload: unknown, actor: string): boolean {
  if (actor === 'dependabot[bot]') return true;
  const { data } = headPayload.safeParse(payload);
  return data !== undefined && data.pull_request.head.repo?.full_name !== data.repository.full_name;
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
