import * as z from 'zod/mini';
import { type Person, type ReviewPlace, toPerson, toReviewPlace } from './changes.ts';
import { account, type EventThread, payloadAuthor, payloadText, threadFields, threadOf } from './payload.ts';

/*
 * The parts of webhook payloads that this action needs. Each schema turns a payload into an event. A payload in an undocumented
 * form is treated as an event without a thread.
 */

const repository = z.object({ full_name: z.string() });

const words = z.object({
  id: z.number(),
  html_url: z.optional(z.string()),
  body: payloadText,
  user: payloadAuthor,
});

/** The part of a pull request's review that is a command: a comment on lines, or the whole review. */
export interface ReviewRef {
  /** The pull request's number. */
  readonly number: number;
  /** `undefined` for a comment without a review. */
  readonly id: number | undefined;
  /** Where a comment is; `undefined` if the whole review is the command. */
  readonly place: ReviewPlace | undefined;
}

/** An event that can carry a command. */
function commandOf(
  kind: 'comment' | 'review-comment' | 'review',
  { action, thread }: { readonly action: string; readonly thread: EventThread },
  { id, html_url: url, body, user: actor }: z.infer<typeof words>,
  place?: ReviewPlace,
) {
  const part: ReviewRef = { number: thread.number, id: place === undefined ? id : place.reviewId, place };
  const review = kind === 'comment' ? undefined : part;
  return { kind: 'comment' as const, action, thread, comment: { kind, id, url, body }, actor, review };
}

const issueCommentEvent = z.pipe(
  z.object({
    action: z.string(),
    comment: words,
    issue: z.extend(threadFields, { pull_request: z.optional(z.looseObject({})) }),
  }),
  z.transform(({ action, comment, issue }) => {
    const thread = threadOf(issue, issue.pull_request !== undefined);
    return commandOf('comment', { action, thread }, comment);
  }),
);

const numeric = z.nullish(z.number());
const reviewCommentEvent = z.pipe(
  z.object({
    action: z.string(),
    comment: z.extend(words, {
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
    pull_request: threadFields,
  }),
  z.transform(({ action, comment, pull_request: pull }) =>
    commandOf('review-comment', { action, thread: threadOf(pull, true) }, comment, toReviewPlace(comment)),
  ),
);

const reviewEvent = z.pipe(
  z.object({ action: z.string(), review: words, pull_request: threadFields }),
  z.transform(({ action, review, pull_request: pull }) =>
    commandOf('review', { action, thread: threadOf(pull, true) }, review),
  ),
);

/** The events that can carry a command. */
const commandEvents = new Map(
  Object.entries({
    issue_comment: issueCommentEvent,
    pull_request_review_comment: reviewCommentEvent,
    pull_request_review: reviewEvent,
  }),
);

const pushEvent = z.pipe(
  z.object({
    /** `refs/heads/…` or `refs/tags/…`. */
    ref: z.string(),
    /** All zeros for a new branch. */
    before: z.string(),
    after: z.string(),
    deleted: z.optional(z.boolean()),
    head_commit: z.nullish(z.object({ message: z.string() })),
  }),
  z.transform(({ ref, before, after, deleted: isDeleted = false, head_commit }) => {
    const message = head_commit?.message ?? '';
    return { kind: 'push' as const, ref, before, after, isDeleted, message };
  }),
);

const releaseEvent = z.pipe(
  z.object({ action: z.string(), release: z.object({ tag_name: z.string() }) }),
  z.transform(({ action, release }) => ({ kind: 'release' as const, action, tag: release.tag_name })),
);

/** Anything other than a comment on a pull request, or (below) on an issue. */
const pullRequestEvent = z.pipe(
  z.object({
    action: z.optional(z.string()),
    pull_request: z.extend(threadFields, {
      merged: z.nullish(z.boolean()),
      merge_commit_sha: z.nullish(z.string()),
      head: z.optional(z.object({ sha: z.string() })),
    }),
  }),
  z.transform(({ action, pull_request: pull }) => {
    const isMerged = pull.merged === true;
    const thread = threadOf(pull, true);
    const isTurned = action === 'closed' || action === 'reopened';
    return {
      kind: 'thread' as const,
      thread,
      /** The merge commit, or before a merge, the head. */
      sha: (isMerged ? pull.merge_commit_sha : undefined) ?? pull.head?.sha,
      /** Closed without being merged. */
      isRejected: action === 'closed' && !isMerged,
      /** The pull request, if it was just merged, closed, or reopened. */
      turned: isTurned ? thread.opened : undefined,
      /** Its URL, if it was just opened. */
      opened: action === 'opened' ? pull.html_url : undefined,
    };
  }),
);

const issueEvent = z.pipe(
  z.object({ issue: threadFields }),
  z.transform(({ issue }) => {
    const none = { sha: undefined, isRejected: false, turned: undefined, opened: undefined };
    return { kind: 'thread' as const, thread: threadOf(issue, false), ...none };
  }),
);

const writing = z.nullish(z.object({ id: z.optional(z.number()), body: payloadText, user: payloadAuthor }));

/** Something was written where we don't read commands. */
const otherCommentEvent = z.pipe(
  z.object({
    action: payloadText,
    comment: writing,
    discussion: writing,
  }),
  z.transform(({ action, comment, discussion }) => {
    const { id, body = '', user: actor = toPerson(null) } = comment ?? discussion ?? {};
    return { kind: 'other-comment' as const, action, id, body, actor };
  }),
);

const senderOf = z.pipe(
  z.object({ sender: account }),
  z.transform(({ sender }) => sender),
);

/**
 * Anyone's pull request can start a run. The run that follows is treated as the act of the first run's actor, or of no one for
 * a fork.
 */
const runActorOf = z.pipe(
  z.object({
    repository,
    workflow_run: z.object({ actor: account, head_repository: z.nullish(repository) }),
  }),
  z.transform(({ repository: own, workflow_run: run }) =>
    run.head_repository?.full_name === own.full_name ? run.actor : undefined,
  ),
);

/** The event of the run. */
export type GitHubEvent = Readonly<
  {
    name: string;
    /** Whether only people who can push can cause it, so its actor needs no check. */
    isTrusted: boolean;
    /**
     * The person who caused the event: the author of the words, even if someone else edited or deleted them; otherwise the
     * person who opened, labeled, pushed, or starred. `undefined` if GitHub names no one, or for a fork's run.
     */
    actor: Person | undefined;
  } & (
    | z.infer<typeof issueCommentEvent | typeof reviewCommentEvent | typeof reviewEvent>
    | z.infer<typeof pushEvent>
    | z.infer<typeof releaseEvent>
    | z.infer<typeof pullRequestEvent>
    | z.infer<typeof issueEvent>
    | z.infer<typeof otherCommentEvent>
    | { kind: 'other' }
  )
>;

/** A branch or a tag got commits, or was deleted. */
export type PushEvent = Extract<GitHubEvent, { kind: 'push' }>;

/** Events that only people who can push can cause. A stranger may have caused any other event. */
const trusted = /^(?:push|release|workflow_dispatch|repository_dispatch|schedule|merge_group)$/;

/** Whether events with this name are about something that a person wrote. */
export function isCommentEvent(name: string): boolean {
  return commandEvents.has(name) || /^(?:commit_comment|discussion(?:_comment)?)$/.test(name);
}

/** Reads the webhook payload. A comment that can't be read is not a command. */
export function parseEvent(name: string, payload: unknown): GitHubEvent {
  const isTrusted = trusted.test(name);
  if (isCommentEvent(name)) {
    const command = commandEvents.get(name)?.safeParse(payload).data;
    const comment = command ?? otherCommentEvent.safeParse(payload).data ?? otherCommentEvent.parse({});
    return { name, isTrusted, ...comment };
  }
  const { data: actor } = (name === 'workflow_run' ? runActorOf : senderOf).safeParse(payload);
  const others = z.union([pullRequestEvent, issueEvent]);
  const schema = name === 'push' ? pushEvent : name === 'release' ? releaseEvent : others;
  return { name, isTrusted, actor, ...(schema.safeParse(payload).data ?? { kind: 'other' }) };
}

const forkPayload = z.object({
  repository,
  pull_request: z.object({ head: z.object({ repo: z.nullish(repository) }) }),
});

/**
 * Whether GitHub starts the run without secrets: for pull requests from forks, and for Dependabot (GitHub's documentation,
 * "Using secrets in GitHub Actions" and "Troubleshooting Dependabot on GitHub Actions").
 */
export function hasNoSecrets(payload: unknown, actor: string): boolean {
  if (actor === 'dependabot[bot]') return true;
  const { data } = forkPayload.safeParse(payload);
  return data !== undefined && data.pull_request.head.repo?.full_name !== data.repository.full_name;
}
