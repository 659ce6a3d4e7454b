import * as z from 'zod/mini';
import { mapSchema } from '../core/mapped.ts';
import {
  isFromOutside,
  type Person,
  type ReviewPlace,
  toMs,
  toPerson,
  toReviewPlace,
} from './changes.ts';

/*
 * Parses the webhook payloads that this action needs. A payload in an undocumented form becomes an
 * event without a thread.
 */

const payloadText = mapSchema(z.nullish(z.string()), (given) => given ?? '');
const user = z.object({ login: z.string(), type: z.optional(z.string()) });
const account = mapSchema(user, toPerson);
const payloadAuthor = mapSchema(z.nullish(user), toPerson);
/** The issue or pull request of an event, as it was at the time of the event. */
export type EventThread = Readonly<ReturnType<typeof threadOf>>;

const threadFields = z.object({
  number: z.number(),
  created_at: z.optional(z.string()),
  title: z.optional(z.string()),
  body: z.nullish(z.string()),
  user: payloadAuthor,
  author_association: payloadText,
  comments: z.optional(z.number()),
});

type ThreadFields = z.infer<typeof threadFields>;

function threadOf(fields: ThreadFields, isPullRequest: boolean) {
  return {
    number: fields.number,
    isPullRequest,
    commentCount: fields.comments ?? 0,
    /** `undefined` if the payload doesn't say. */
    createdAtMs: toMs(fields.created_at),
    written: writtenOf(fields),
  };
}

/** The title and body at the time of the event; `undefined` if the payload doesn't contain them. */
function writtenOf(fields: ThreadFields) {
  const { title, body } = fields;
  if (title === undefined || body === undefined) return undefined;
  return {
    title,
    body: body ?? '',
    author: fields.user,
    isFromOutside: isFromOutside(fields.author_association),
  };
}

const repository = z.object({ full_name: z.string() });

const pullFields = z.extend(threadFields, { head: z.optional(z.object({ sha: z.string() })) });

type PullFields = z.infer<typeof pullFields>;

/** A comment or a review. */
const postFields = z.object({
  id: z.number(),
  html_url: z.optional(z.string()),
  body: payloadText,
  user: payloadAuthor,
  created_at: z.nullish(z.string()),
  submitted_at: z.nullish(z.string()),
});

type Post = z.infer<typeof postFields>;

function commandOf(
  kind: 'comment' | 'review-comment' | 'review' | 'issue',
  action: string,
  thread: EventThread,
  post: Post,
) {
  return {
    kind: 'comment' as const,
    action,
    thread,
    id: post.id,
    source: { kind, id: post.id, url: post.html_url },
    body: post.body,
    /** When it was posted; `undefined` if the payload doesn't say. */
    postedAtMs: toMs(post.created_at ?? post.submitted_at),
    actor: post.user,
  };
}

/** The review that contains the command: either one of its comments on lines, or the whole review. */
function reviewOf(pull: PullFields, post: Post, place?: ReviewPlace) {
  return {
    number: pull.number,
    /** `undefined` for a comment without a review. */
    id: place === undefined ? post.id : place.reviewId,
    /** `undefined` if the command is in the review itself. */
    place,
    /** The pull request's head when the command was posted, if the payload says. */
    headSha: pull.head?.sha,
  };
}

const issueCommentEvent = mapSchema(
  z.object({
    action: z.string(),
    comment: postFields,
    issue: z.extend(threadFields, { pull_request: z.optional(z.looseObject({})) }),
  }),
  ({ action, comment, issue }) => {
    const thread = threadOf(issue, issue.pull_request !== undefined);
    return { ...commandOf('comment', action, thread, comment), review: undefined };
  },
);

const numeric = z.nullish(z.number());
const reviewCommentEvent = mapSchema(
  z.object({
    action: z.string(),
    comment: z.extend(postFields, {
      path: z.string(),
      diff_hunk: payloadText,
      line: numeric,
      start_line: numeric,
      original_line: numeric,
      original_start_line: numeric,
      side: z.optional(z.string()),
      subject_type: z.optional(z.string()),
      in_reply_to_id: numeric,
      pull_request_review_id: numeric,
    }),
    pull_request: pullFields,
  }),
  ({ action, comment, pull_request: pull }) => ({
    ...commandOf('review-comment', action, threadOf(pull, true), comment),
    review: reviewOf(pull, comment, toReviewPlace(comment)),
  }),
);

/** An issue. If it is new, its text may begin with a command. */
const issueEvent = mapSchema(
  z.object({
    action: z.string(),
    issue: z.extend(threadFields, { id: z.number(), html_url: z.optional(z.string()) }),
    /** For a transferred issue, the issue in the other repository. */
    changes: z.optional(z.object({ old_issue: z.nullish(z.looseObject({})) })),
  }),
  ({ action, issue, changes }) => {
    const isTransferred = changes?.old_issue != null;
    const post = { ...issue, body: issue.body ?? '', submitted_at: undefined };
    const thread = threadOf(issue, false);
    const command = commandOf('issue', isTransferred ? 'transferred' : action, thread, post);
    // GitHub's API finds an issue by its number.
    return { ...command, source: { ...command.source, id: issue.number }, review: undefined };
  },
);

const reviewEvent = mapSchema(
  z.object({ action: z.string(), review: postFields, pull_request: pullFields }),
  ({ action, review, pull_request: pull }) => ({
    ...commandOf('review', action, threadOf(pull, true), review),
    review: reviewOf(pull, review),
  }),
);

const pushEvent = mapSchema(
  z.object({
    /** `refs/heads/…` or `refs/tags/…`. */
    ref: z.string(),
    /** All zeros for a new branch. */
    before: z.string(),
    after: z.string(),
    deleted: z.optional(z.boolean()),
    head_commit: z.nullish(z.object({ message: z.string() })),
  }),
  (push) => ({
    kind: 'push' as const,
    ref: push.ref,
    before: push.before,
    after: push.after,
    isDeleted: push.deleted ?? false,
    message: push.head_commit?.message ?? '',
  }),
);

const releaseEvent = mapSchema(
  z.object({
    action: z.string(),
    release: z.object({ tag_name: z.string(), prerelease: z.optional(z.boolean()) }),
  }),
  ({ action, release }) => ({
    kind: 'release' as const,
    action,
    tag: release.tag_name,
    isPrerelease: release.prerelease ?? false,
  }),
);

/** What changes the state of a pull request. */
const turns = ['closed', 'reopened', 'ready_for_review', 'converted_to_draft'];

/** An event about an issue or pull request, unless it is a comment or review. */
const threadEvent = mapSchema(
  z.object({
    action: z.optional(z.string()),
    issue: z.optional(threadFields),
    pull_request: z.optional(
      z.extend(pullFields, {
        merged: z.nullish(z.boolean()),
        merge_commit_sha: z.nullish(z.string()),
      }),
    ),
  }),
  ({ action, issue, pull_request: pull }) => {
    const about = pull ?? issue;
    if (about === undefined) return { kind: 'other' as const };
    const thread = threadOf(about, pull !== undefined);
    const isMerged = pull?.merged === true;
    const mergeCommitSha = isMerged ? pull.merge_commit_sha : undefined;
    return {
      kind: 'thread' as const,
      thread,
      /** The merge commit, or if the pull request wasn't merged, its head. */
      sha: mergeCommitSha ?? pull?.head?.sha,
      isRejected: pull !== undefined && action === 'closed' && !isMerged,
      /** Whether the pull request was just merged. */
      isMerged: action === 'closed' && isMerged,
      /** Whether a pull request was just merged, closed, reopened, or made a draft or ready. */
      isTurned: pull !== undefined && turns.includes(action ?? ''),
      /** Whether a pull request was just opened. */
      isOpened: pull !== undefined && action === 'opened',
    };
  },
);

const checkSuiteEvent = mapSchema(
  z.object({
    check_suite: z.object({
      head_sha: z.string(),
      app: z.catch(z.object({ slug: payloadText }), { slug: '' }),
    }),
  }),
  ({ check_suite: suite }) => {
    return { kind: 'check-suite' as const, sha: suite.head_sha, app: suite.app.slug };
  },
);

const otherPost = z.nullish(
  z.object({ id: z.optional(z.number()), body: payloadText, user: payloadAuthor }),
);

/** A comment in a place where commands aren't supported, such as a discussion. */
const otherCommentEvent = mapSchema(
  z.object({ action: payloadText, comment: otherPost, discussion: otherPost }),
  ({ action, comment, discussion }) => {
    const post = comment ?? discussion;
    return {
      kind: 'other-comment' as const,
      action,
      id: post?.id,
      body: post?.body ?? '',
      actor: post?.user ?? toPerson(null),
    };
  },
);

const sender = mapSchema(z.object({ sender: account }), ({ sender }) => sender);

/**
 * For `workflow_run`, the actor is the person who triggered the first run. A run from a fork has no
 * actor.
 */
const runActor = mapSchema(
  z.object({
    repository,
    workflow_run: z.object({ actor: account, head_repository: z.nullish(repository) }),
  }),
  ({ repository: own, workflow_run: run }) =>
    run.head_repository?.full_name === own.full_name ? run.actor : undefined,
);

export type GitHubEvent = Readonly<
  {
    name: string;
    /**
     * Whether only people who can push can trigger the event, so that their permission needs no
     * check.
     */
    isTrusted: boolean;
    /**
     * Who triggered the event; for a comment, its author, even if someone else edited it.
     * `undefined` for a fork's run.
     */
    actor: Person | undefined;
  } & (
    | z.infer<typeof issueCommentEvent | typeof reviewCommentEvent | typeof reviewEvent>
    | z.infer<typeof issueEvent>
    | z.infer<typeof pushEvent>
    | z.infer<typeof releaseEvent>
    | z.infer<typeof threadEvent>
    | z.infer<typeof checkSuiteEvent>
    | z.infer<typeof otherCommentEvent>
  )
>;

export type PushEvent = Extract<GitHubEvent, { kind: 'push' }>;
export type ReleaseEvent = Extract<GitHubEvent, { kind: 'release' }>;

/** A comment or review that may be a command. */
export type CommentEvent = Extract<GitHubEvent, { kind: 'comment' }>;

const schemas = new Map(
  Object.entries({
    issue_comment: issueCommentEvent,
    pull_request_review_comment: reviewCommentEvent,
    pull_request_review: reviewEvent,
    push: pushEvent,
    release: releaseEvent,
    check_suite: checkSuiteEvent,
  }),
);

const commentEvents = [
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
  'commit_comment',
  'discussion',
  'discussion_comment',
];

/** The events that only people who can push can trigger. Strangers can trigger any other event. */
const trusted = /^(?:push|release|workflow_dispatch|repository_dispatch|schedule|merge_group)$/;

export function isCommentEvent(name: string): boolean {
  return commentEvents.includes(name);
}

/** Parses the webhook payload. @param readsCommands whether a new issue's text may be a command */
export function parseEvent(name: string, payload: unknown, readsCommands = false): GitHubEvent {
  const actorSchema = name === 'workflow_run' ? runActor : sender;
  const actor = actorSchema.safeParse(payload).data;
  return { name, isTrusted: trusted.test(name), actor, ...parseKind(name, payload, readsCommands) };
}

function parseKind(name: string, payload: unknown, readsCommands: boolean) {
  const isIssue = name === 'issues' && readsCommands;
  const schema = isIssue ? issueEvent : schemas.get(name);
  const event = schema?.safeParse(payload).data;
  if (event !== undefined) return event;
  // A comment that can't be parsed is never treated as a command.
  if (isCommentEvent(name))
    return otherCommentEvent.safeParse(payload).data ?? otherCommentEvent.parse({});
  return threadEvent.safeParse(payload).data ?? { kind: 'other' as const };
}

const forkPayload = z.object({
  repository,
  pull_request: z.object({ head: z.object({ repo: z.nullish(repository) }) }),
});

const inheritedPayload = z.object({ repository: z.object({ fork: z.literal(true) }) });

/**
 * Why the run has no access to secrets ("Using secrets"), as the end of a sentence; `undefined` if
 * it may have.
 */
export function whyNoSecrets(name: string, payload: unknown, actor: string): string | undefined {
  // The owner of a fork who starts a workflow by hand is setting it up.
  const isFork = name !== 'workflow_dispatch' && inheritedPayload.safeParse(payload).success;
  if (isFork) return 'this repository is a fork, which doesn’t inherit secrets';
  const { data } = forkPayload.safeParse(payload);
  const isFromFork = data && data.pull_request.head.repo?.full_name !== data.repository.full_name;
  if (!isFromFork && actor !== 'dependabot[bot]') return undefined;
  return 'GitHub doesn’t pass secrets to runs from forks or Dependabot';
}
