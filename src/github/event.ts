import * as z from 'zod/mini';
import type { Person } from './changes.ts';
import { isFromOutside, toPerson } from './changes.ts';

const user = z.nullish(z.object({ login: z.string(), type: z.optional(z.string()) }));

const thread = z.object({
  number: z.number(),
  comments: z.optional(z.number()),
  title: z.optional(z.string()),
  body: z.nullish(z.string()),
  user,
  author_association: z.optional(z.string()),
});

const commentPayload = z.object({
  action: z.string(),
  comment: z.object({ id: z.number(), body: z.nullish(z.string()), user }),
  issue: z.extend(thread, { pull_request: z.optional(z.looseObject({})) }),
});

const pullRequest = z.extend(thread, {
  html_url: z.optional(z.string()),
  merged: z.nullish(z.boolean()),
  merge_commit_sha: z.nullish(z.string()),
  head: z.optional(z.object({ sha: z.string() })),
});
const threadPayload = z.object({
  action: z.optional(z.string()),
  issue: z.optional(thread),
  pull_request: z.optional(pullRequest),
  sender: user,
});

const pushPayload = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  deleted: z.optional(z.boolean()),
  head_commit: z.nullish(z.object({ message: z.string() })),
  sender: user,
});

const releasePayload = z.object({ action: z.string(), release: z.object({ tag_name: z.string() }) });

const written = z.nullish(z.object({ id: z.optional(z.number()), body: z.nullish(z.string()), user }));
const otherPayload = z.object({
  action: z.optional(z.string()),
  pull_request: z.optional(thread),
  comment: written,
  review: written,
  discussion: written,
});

const repository = z.object({ full_name: z.string() });
const headPayload = z.object({
  repository,
  pull_request: z.object({ head: z.object({ repo: z.nullish(repository) }) }),
});

/** Events about something that was written; only `issue_comment` can carry a command. */
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
  readonly thread: EventThread;
  readonly comment: { readonly id: number; readonly body: string; readonly author: Author };
}

export type Author = Person;

/** An issue or pull request. */
export interface ThreadRef {
  readonly number: number;
  /** How many comments it had when the event was sent, if the payload says. */
  readonly comments: number | undefined;
}

/** The issue or pull request of an event, as it was then. */
export interface EventThread extends ThreadRef {
  readonly isPullRequest: boolean;
  /** What its author had written; `undefined` if the payload does not say. */
  readonly written:
    | {
        readonly title: string;
        readonly body: string;
        readonly author: Author;
        /** Whether GitHub counts the author as no part of the repository. */
        readonly isFromOutside: boolean;
      }
    | undefined;
}

/** A branch or a tag got commits, or was deleted. */
export interface PushEvent {
  readonly kind: 'push';
  /** `refs/heads/…` or `refs/tags/…`. */
  readonly ref: string;
  /** All zeros for a new branch. */
  readonly before: string;
  readonly after: string;
  readonly isDeleted: boolean;
  /** The head commit's message. */
  readonly message: string;
  readonly pusher: Author;
}

/** The event of the run, as far as this action needs it. */
export type GitHubEvent =
  | CommentEvent
  | PushEvent
  | { readonly kind: 'release'; readonly action: string; readonly tag: string }
  /** Something was done with an issue or pull request, other than commenting. */
  | {
      readonly kind: 'thread';
      readonly thread: EventThread;
      /** For a pull request, the commit that its merge made, or its head before that. */
      readonly sha: string | undefined;
      /** Who did it: opened, labelled, pushed, merged. */
      readonly actor: Author;
      /** A pull request that was closed without being merged. */
      readonly isRejected: boolean;
      /** The address of a pull request that was opened just now. */
      readonly opened: string | undefined;
    }
  /** Something was written where commands are not read. */
  | {
      readonly kind: 'other-comment';
      readonly name: string;
      readonly action: string;
      /** Its id among those of its event, if the payload says. */
      readonly id: number | undefined;
      /** The pull request that it is in, if any. */
      readonly thread: EventThread | undefined;
      readonly body: string;
      /** Who wrote it, even if someone else edited or deleted it. */
      readonly author: Author;
    }
  | { readonly kind: 'other'; readonly name: string };

/** Whether events of this name are about something that was written. */
export function isCommentEvent(name: string): boolean {
  return name === 'issue_comment' || otherCommentEvents.has(name);
}

/** Whether an event is what a person, perhaps a stranger, wrote or did: they need a permission. */
export function isSomebodysAct({ kind }: GitHubEvent): boolean {
  return kind !== 'other';
}

/** Reads the webhook payload; one that is not as GitHub documents it counts as an event without a thread. */
export function parseEvent(name: string, payload: unknown): GitHubEvent {
  if (name === 'issue_comment') {
    const parsed = commentPayload.safeParse(payload);
    if (parsed.success) return commentEvent(parsed.data);
  }
  // A comment that cannot be read is no command.
  if (isCommentEvent(name)) return otherComment(name, payload);
  switch (name) {
    case 'push':
      return pushEvent(payload) ?? { kind: 'other', name };
    case 'release':
      return releaseEvent(payload) ?? { kind: 'other', name };
    default:
      return threadEvent(payload) ?? { kind: 'other', name };
  }
}

function pushEvent(payload: unknown): PushEvent | undefined {
  const { data } = pushPayload.safeParse(payload);
  if (data === undefined) return undefined;
  const { ref, before, after, deleted: isDeleted = false } = data;
  const message = data.head_commit?.message ?? '';
  return { kind: 'push', ref, before, after, isDeleted, message, pusher: toPerson(data.sender) };
}

function releaseEvent(payload: unknown): GitHubEvent | undefined {
  const { data } = releasePayload.safeParse(payload);
  return data && { kind: 'release', action: data.action, tag: data.release.tag_name };
}

function threadEvent(payload: unknown): GitHubEvent | undefined {
  const { data } = threadPayload.safeParse(payload);
  if (data === undefined) return undefined;
  const { action, issue, pull_request: pull, sender } = data;
  const actor = toPerson(sender);
  if (pull !== undefined) {
    const isMerged = pull.merged === true;
    return {
      kind: 'thread',
      thread: threadOf(pull, true),
      sha: (isMerged ? pull.merge_commit_sha : undefined) ?? pull.head?.sha,
      actor,
      isRejected: action === 'closed' && !isMerged,
      opened: action === 'opened' ? pull.html_url : undefined,
    };
  }
  if (issue === undefined) return undefined;
  const none = { sha: undefined, isRejected: false, opened: undefined };
  return { kind: 'thread', thread: threadOf(issue, false), actor, ...none };
}

function threadOf(
  { number, comments, title, body, user, author_association: association }: z.infer<typeof thread>,
  isPullRequest: boolean,
): EventThread {
  const said = { author: toPerson(user), isFromOutside: isFromOutside(association ?? '') };
  const written =
    title === undefined || body === undefined ? undefined : { title, body: body ?? '', ...said };
  return { number, comments, isPullRequest, written };
}

function otherComment(name: string, payload: unknown): GitHubEvent {
  const { data } = otherPayload.safeParse(payload);
  const { id, body, user } = data?.comment ?? data?.review ?? data?.discussion ?? {};
  const pull = data?.pull_request;
  return {
    kind: 'other-comment',
    name,
    action: data?.action ?? '',
    id,
    thread: pull === undefined ? undefined : threadOf(pull, true),
    body: body ?? '',
    author: toPerson(user),
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

function commentEvent({ action, comment, issue }: z.infer<typeof commentPayload>): CommentEvent {
  return {
    kind: 'comment',
    action,
    thread: threadOf(issue, issue.pull_request !== undefined),
    comment: { id: comment.id, body: comment.body ?? '', author: toPerson(comment.user) },
  };
}
